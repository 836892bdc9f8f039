import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { decodeCodex } from "../../../src/harness/codex/codex-codec.js";
import { IDLE, OPENED, PROMPT, Peer, asking, notice, ready, turnOver, working } from "./codex-peer.js";

describe("turns", () => {
  test("the end is told when Codex says that it is idle", () => {
    const peer = working().hears(turnOver("completed"));
    expect(peer.facts).toEqual([]);
    expect(peer.hears(IDLE).facts).toEqual([{ type: "ask:completion_result", askId: "U:end" }]);
    expect(peer.hears(IDLE).facts).toEqual([]);
  });

  test("a version without statuses ends with the turn", () => {
    const peer = ready({ prompt: PROMPT }).hears(
      notice("turn/started", { threadId: "T", turn: { id: "U" } }),
    );
    expect(peer.hears(turnOver("completed")).facts).toEqual([
      { type: "ask:completion_result", askId: "U:end" },
    ]);
  });

  test("a turn may end that was never said to have started", () => {
    const peer = ready({ prompt: PROMPT }).hears({ id: 4, result: { turn: { id: "U" } } });
    expect(peer.hears(turnOver("completed")).facts).toEqual([
      { type: "ask:completion_result", askId: "U:end" },
    ]);
  });

  test("the end of another turn is not the end while one is about to start", () => {
    const peer = working();
    peer.told({ type: "deliver_message", run: 1, messageId: "m2" }, "next");
    expect(peer.hears(turnOver("completed")).hears(IDLE).facts).toEqual([]);
    peer.hears({ id: 5, result: { turn: { id: "V" } } });
    expect(peer.facts).toEqual([]);
    peer.hears(notice("turn/started", { threadId: "T", turn: { id: "V" } }));
    expect(peer.facts).toEqual([{ type: "api_req_started" }]);
  });

  test("a text that Codex adds to the turn under way starts none: that turn can be interrupted", () => {
    const peer = working();
    peer.told({ type: "deliver_message", run: 1, messageId: "m2" }, "next");
    peer.hears({ id: 5, result: { turn: { id: "U" } } });
    expect(peer.told({ type: "interrupt_run", run: 1 })).toMatchObject([{ method: "turn/interrupt" }]);
    expect(peer.hears(turnOver("completed")).hears(IDLE).facts).toEqual([
      { type: "ask:completion_result", askId: "U:end" },
    ]);
  });

  test("even if that turn is over before Codex says so", () => {
    const peer = working();
    peer.told({ type: "deliver_message", run: 1, messageId: "m2" }, "next");
    expect(peer.hears(turnOver("completed")).hears(IDLE).facts).toEqual([]);
    expect(peer.hears({ id: 5, result: { turn: { id: "U" } } }).facts).toEqual([
      { type: "ask:completion_result", askId: "U:end" },
    ]);
  });

  test("a message that Codex refuses comes back", () => {
    const peer = ready();
    peer.told({ type: "deliver_message", run: 1, messageId: "m2" }, "more");
    peer.hears({ id: 4, error: { code: 1, message: "busy" } });
    expect(peer.facts).toEqual([
      { type: "delivery_failed", messageId: "m2", error: "Codex refused the turn: busy" },
    ]);
  });

  test("the first prompt is not lost either: the run is of no use", () => {
    const peer = ready({ prompt: PROMPT }).hears({ id: 4, error: { code: 1, message: "no" } });
    expect(peer.facts).toEqual([{ type: "process_error", error: "Codex refused the turn: no" }]);
  });

  test("nothing is said to a conversation that is not there", () => {
    const peer = new Peer();
    const failure = ["Codex has no conversation yet"];
    expect(peer.told({ type: "deliver_message", run: 1, messageId: "m" }, "x")).toEqual(failure);
    expect(peer.told({ type: "continue_run", run: 1, why: "resume" })).toEqual(failure);
  });

  test.each([
    ["resume", "Continue."],
    ["retry", "Try again."],
  ] as const)("going on: %s", (why, text) => {
    expect(ready().told({ type: "continue_run", run: 1, why })).toMatchObject([
      { method: "turn/start", params: { input: [{ text }] } },
    ]);
  });

  test("a login that has ended", () => {
    const peer = new Peer({ prompt: PROMPT }).hears({ id: 1, result: {} });
    peer.hears({ id: 2, result: { account: { type: "chatgpt" }, requiresOpenaiAuth: true } }).hears(OPENED);
    peer.hears(notice("turn/started", { threadId: "T", turn: { id: "U" } }));
    peer.hears(turnOver("failed", { error: { message: "expired", codexErrorInfo: "unauthorized" } }));
    expect(peer.facts).toEqual([
      {
        type: "process_error",
        code: "login_required",
        error: "Codex is logged in no more: expired. Run: codex login",
      },
    ]);
  });
});

describe("interrupts", () => {
  test("a turn that has not started is interrupted as soon as it has", () => {
    const peer = ready({ prompt: PROMPT });
    expect(peer.told({ type: "interrupt_run", run: 1 })).toEqual([]);
    peer.hears(notice("turn/started", { threadId: "T", turn: { id: "U" } }));
    expect(peer.writes).toEqual([
      { jsonrpc: "2.0", id: 5, method: "turn/interrupt", params: { threadId: "T", turnId: "U" } },
    ]);
  });

  test("when nothing works, that is asked, and the wish is fulfilled", () => {
    const peer = ready();
    expect(peer.told({ type: "interrupt_run", run: 1 })).toMatchObject([{ id: 4, method: "thread/read" }]);
    expect(peer.hears({ id: 4, result: {} }).facts).toEqual([{ type: "turn_interrupted" }]);
  });

  test("an interrupt that came too late does not hit the next turn", () => {
    const peer = working();
    peer.told({ type: "interrupt_run", run: 1 });
    peer.hears(turnOver("completed")).hears(IDLE);
    expect(peer.facts).toEqual([{ type: "ask:completion_result", askId: "U:end" }]);
    peer.hears({ id: 5, error: { code: 1, message: "no active turn to interrupt" } });
    peer.told({ type: "deliver_message", run: 1, messageId: "m2" }, "next");
    peer.hears(notice("turn/started", { threadId: "T", turn: { id: "V" } }));
    expect(peer.writes).toEqual([]);
  });

  test("one that found nothing to do does not hit the message that follows", () => {
    const peer = ready();
    peer.told({ type: "interrupt_run", run: 1 });
    peer.told({ type: "deliver_message", run: 1, messageId: "m2" }, "next");
    peer.hears(notice("turn/started", { threadId: "T", turn: { id: "V" } }));
    expect(peer.writes).toEqual([]);
    expect(peer.hears({ id: 4, result: {} }).facts).toEqual([]);
  });

  test("a subagent that asks alone is stopped, and the turn that starts by itself then is not", () => {
    const peer = working().hears(notice("turn/started", { threadId: "S", turn: { id: "V" } }));
    peer.hears(turnOver("completed")).hears(IDLE);
    const params = { threadId: "S", turnId: "V", itemId: "c", command: "x", cwd: "/proj" };
    peer.hears({ id: 7, method: "item/commandExecution/requestApproval", params });
    expect(peer.facts).toEqual([{ type: "ask:command", askId: "ask-1-7" }]);
    expect(peer.told({ type: "interrupt_run", run: 1 })).toEqual([
      { jsonrpc: "2.0", id: 5, method: "turn/interrupt", params: { threadId: "S", turnId: "V" } },
    ]);
    peer.hears(notice("turn/completed", { threadId: "S", turn: { id: "V", status: "interrupted" } }));
    expect(peer.facts).toEqual([
      { type: "ask_closed", askId: "ask-1-7" },
      { type: "background_changed", count: 0 },
      { type: "ask:completion_result", askId: "ask-1-7:end" },
    ]);
    peer.hears(notice("turn/started", { threadId: "T", turn: { id: "W" } }));
    expect(peer.outputs).toEqual([{ type: "fact", fact: { type: "api_req_started" } }]);
  });
});

describe("what it does not know", () => {
  test("a request is refused, so that Codex does not wait for ever", () => {
    const peer = working().hears(asking("item/tool/call", { tool: "x" }));
    const error = { code: -32_601, message: "Signalbox does not know item/tool/call" };
    expect(peer.writes).toEqual([{ jsonrpc: "2.0", id: 7, error }]);
    expect(peer.outputs).toContainEqual({ type: "unknown", kind: "item/tool/call" });
  });

  test("a notification is kept and counted, and changes nothing", () => {
    const peer = working();
    const { state } = peer;
    peer.hears(notice("thread/dreams/changed", { threadId: "T", dream: "x" }));
    expect(peer.outputs).toEqual([
      { type: "unknown", kind: "thread/dreams/changed" },
      {
        type: "stream",
        streamId: "run-1",
        event: "metadata",
        payload: { notice: "thread/dreams/changed", params: { threadId: "T", dream: "x" } },
      },
    ]);
    expect(peer.state).toBe(state);
  });

  test("a line that is no message is kept, at its beginning", () => {
    const peer = working().hears("x".repeat(20_000));
    expect(peer.outputs).toEqual([
      { type: "unknown", kind: "line" },
      {
        type: "stream",
        streamId: "run-1",
        event: "metadata",
        payload: { unknown: "x".repeat(10_000) },
      },
    ]);
    expect(peer.hears("  \r").outputs).toEqual([]);
  });

  test("an item of a new kind is kept with its turn", () => {
    const item = { type: "hologram", id: "h", depth: 3 };
    const peer = working().hears(notice("item/completed", { threadId: "T", turnId: "U", item }));
    expect(peer.outputs).toEqual([{ type: "stream", streamId: "U", event: "metadata", payload: { item } }]);
  });
});

test("its state is plain JSON, small, and the codec goes on from it", () => {
  const peer = working();
  expect(JSON.parse(JSON.stringify(peer.state))).toEqual(peer.state);
  expect(JSON.stringify(peer.state).length).toBeLessThan(1_000);
  const stored = JSON.parse(JSON.stringify(peer.state)) as Json;
  const line = JSON.stringify(turnOver("failed", { error: { message: "x" } }));
  expect(decodeCodex(stored, line)).toEqual(decodeCodex(peer.state, line));
});
