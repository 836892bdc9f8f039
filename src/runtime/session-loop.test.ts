import { describe, expect, test, vi } from "vitest";
import { agentLines, SCRIPT } from "../../test/sim/runtime-fixture.js";
import { AT_MS, changed, loopBench, streamed, told, written } from "../../test/sim/loop-fixture.js";
import { initialSession } from "../core/index.js";
import type { StatePayload } from "../protocol/state-event.js";

describe("001", () => {
  test("content is forwarded even when the machine ignores it", () => {
    const { loop, during, started, fed } = loopBench();
    started();
    fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
    during((writing) => loop.request({ type: "cancel_session" }, writing));
    const { state } = loop;
    const late = fed(agentLines(3, { type: "text", text: "late" }));
    expect(written(late).map(([kind, , body]) => [kind, (body as { type: string }).type])).toEqual([
      ["stream", "text_delta"],
    ]);
    expect(loop.state).toBe(state);
  });

  test("a rejected request says so on the state channel, and changes nothing", () => {
    const { loop, during } = loopBench();
    const batch = during((writing) => loop.request({ type: "interrupt" }, writing));
    expect(loop.state).toBe(initialSession);
    const payload: StatePayload = {
      type: "session_error",
      code: "state_transition_invalid",
      message: "interrupt is not possible while idle",
      retryable: false,
      source: "orchestrator",
    };
    expect(written(batch)).toEqual([
      ["request", 0, { type: "interrupt" }],
      ["state", 0, told(2, payload, [1, "interrupt", "request"])],
    ]);
  });

  test("while an ask is open, a rejected request names the ask's stream", () => {
    const { loop, during, started, fed } = loopBench();
    started();
    const ask = { type: "ask", askId: "a1", ask: "command", title: "t", detail: "d" } as const;
    fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }, ask));
    const batch = during((writing) => loop.request({ type: "retry" }, writing));
    const [, [, , told] = []] = written(batch);
    expect((told as { readonly payload: StatePayload }).payload).toEqual({
      type: "session_error",
      code: "state_transition_invalid",
      message: "retry is not possible while waiting_approval",
      retryable: false,
      source: "orchestrator",
      streamId: "run-1-turn-1",
    });
  });

  test("an ignored fact leaves no entry, and does not touch the session", () => {
    const { loop, during } = loopBench();
    const batch = during((writing) =>
      loop.fact({ type: "timer_fired", timerId: "ready:7" }, "timer", writing),
    );
    expect([batch.entries, batch.isEmpty]).toEqual([[], true]);
  });
});

describe("output", () => {
  test("half a line waits for its other half, and the cursor with it", () => {
    const { loop, started, fed } = loopBench();
    started();
    const line = agentLines(1, { type: "ready", sessionId: "S" });
    expect(fed(line.subarray(0, 10)).entries).toEqual([]);
    expect([loop.cursor.outOffset, loop.snapshot().progress.outOffset]).toEqual([10, 0]);
    expect(fed(line.subarray(10)).entries.length).toBe(1);
    expect(loop.snapshot().progress.outOffset).toBe(line.length);
  });

  test("what the journal could not take is forgotten, but for the half of a line that was fed before", () => {
    const { loop, started, fed, during } = loopBench();
    started();
    const lines = agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" });
    fed(lines.subarray(0, 60));
    loop.durable = loop.snapshot();
    const { cursor } = loop;
    during((writing) => loop.request({ type: "cancel_session" }, writing));
    loop.restore();
    expect([loop.state.status, loop.cursor]).toEqual(["creating", cursor]);
    fed(lines.subarray(60));
    expect([loop.state.status, loop.cursor.outOffset]).toEqual(["streaming", lines.length]);
    loop.restore();
    expect([loop.state.status, loop.cursor.outOffset]).toEqual(["creating", loop.durable.progress.outOffset]);
    fed(lines.subarray(loop.cursor.outOffset));
    expect(loop.state.status).toBe("streaming");
  });

  test("a last line without its end is taken when the output ends", () => {
    const { loop, started, fed, during } = loopBench();
    started();
    const line = agentLines(1, { type: "ready", sessionId: "S" });
    fed(line.subarray(0, -1));
    expect(loop.state.harnessSessionId).toBeNull();
    during((writing) => loop.finish(writing));
    expect([loop.state.harnessSessionId, loop.cursor.outOffset]).toEqual(["S", line.length - 1]);
  });

  test("what no codec knows is kept as metadata and counted", () => {
    const { loop, started, fed, unknown } = loopBench();
    started();
    const { state } = loop;
    expect(written(fed(Buffer.from("gibberish\n")))).toEqual([
      ["stream", 1, streamed(4, "metadata", { unknown: "gibberish" })],
    ]);
    expect([unknown, loop.state === state]).toEqual([["script line"], true]);
  });

  test("a line that a codec throws at is kept and counted, and those around it are taken", () => {
    const broken = (line: string): void => {
      if (line.includes("poison")) throw new RangeError("too deep");
    };
    const { loop, started, fed, during, unknown } = loopBench({
      ...SCRIPT,
      decode: (state, line, nowMs) => {
        broken(line);
        return SCRIPT.decode(state, line, nowMs);
      },
      decodeHook: (state, line) => {
        broken(line);
        return { state, outputs: [{ type: "unknown", kind: line }] };
      },
    });
    started();
    const poison = Buffer.from(`poison ${"x".repeat(20_000)}\n`);
    const [ready, request] = [{ type: "ready", sessionId: "S" }, { type: "request" }] as const;
    const batch = fed(agentLines(1, ready), poison, agentLines(2, request));
    const kept = { unknown: poison.toString().slice(0, 10_000) };
    expect(written(batch).find(([kind]) => kind === "stream")).toEqual([
      "stream",
      1,
      { ...streamed(5, "metadata", kept), streamId: "run-1" },
    ]);
    expect(loop.state).toMatchObject({ harnessSessionId: "S", status: "streaming" });
    expect(loop.cursor.outOffset).toBe(loop.snapshot().progress.outOffset);
    during((writing) => loop.feedHooks(["one", "poison", "two"], 17, writing));
    expect(unknown).toEqual(["script thrown_at", "script one", "script thrown_at", "script two"]);
    expect(loop.cursor.hooksOffset).toBe(17);
  });

  test("a harness of bytes gets every piece as it is", () => {
    const pieces: string[] = [];
    const { loop, started, fed } = loopBench({
      ...SCRIPT,
      framing: "bytes",
      decode: (state, piece) => {
        pieces.push(piece);
        return { state, outputs: [] };
      },
    });
    started();
    fed(Buffer.from("ab\nc"));
    fed(Buffer.from([0xff, 0x0a]));
    expect([pieces, loop.cursor.outOffset, loop.snapshot().progress.outOffset]).toEqual([
      ["ab\nc", "ÿ\n"],
      6,
      6,
    ]);
  });

  test("lines of hooks move their own cursor", () => {
    const { loop, started, during } = loopBench();
    started();
    during((writing) => loop.feedHooks(["", ""], 17, writing));
    expect(loop.cursor).toEqual({ run: 1, outOffset: 0, hooksOffset: 17 });
  });

  test("a codec's own words are written to the agent", () => {
    const { started, fed } = loopBench({
      ...SCRIPT,
      decode: (state) => ({ state, outputs: [{ type: "write", data: "pong\n" }] }),
    });
    started();
    const { outbox, sync } = fed(Buffer.from("ping\n"));
    const call = { type: "write", run: 1, data: "pong\n", onFailure: { type: "none" } };
    expect([outbox, sync]).toEqual([[{ sessionId: "s", effectId: "3.2", call }], "full"]);
  });
});

describe("calls", () => {
  test("while one runs the phase says so, and its end is told once", () => {
    const { loop, started, fed } = loopBench();
    started();
    fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
    fed(agentLines(3, { type: "tool", callId: "c", name: "sh" }));
    expect([loop.state.phase, loop.state.tools]).toEqual(["executing_tools", ["c"]]);
    const batch = fed(agentLines(4, { type: "tool_done", callId: "c", ok: true }));
    const ended = { type: "tool_lifecycle", callId: "c", toolName: "sh", status: "succeeded" } as const;
    const cause = [12, "stream:tool_call_completed", "protocol"] as const;
    const phase = changed(["streaming", "executing_tools"], ["streaming", "calling_llm"], "harness_stream");
    expect(written(batch)).toEqual([
      ["stream", 1, streamed(12, "tool_call_completed", { callId: "c", output: "", isError: false })],
      ["state", 1, told(13, { ...phase, streamId: "run-1-turn-1" }, cause)],
      ["state", 1, told(14, { ...ended, startedAtMs: AT_MS, finishedAtMs: AT_MS }, cause)],
      ["fact", 1, { type: "tool_finished", callId: "c", ok: true }],
    ]);
    expect(loop.snapshot().openTools).toEqual({});
  });

  test("each costs the same, however many are open", () => {
    const { loop, started, fed } = loopBench();
    started();
    fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
    const ids = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
    fed(agentLines(3, ...ids.map((callId) => ({ type: "tool", callId, name: "sh" }))));
    const { openTools } = loop.snapshot();
    // Each call is one copy of a whole record: one for the snapshot, none for an event.
    const copied = vi.spyOn(Object, "fromEntries");
    fed(agentLines(1_003, ...ids.map((callId) => ({ type: "tool_done", callId, ok: true }))));
    const after = loop.snapshot();
    const calls = copied.mock.results.length;
    copied.mockRestore();
    expect([Object.keys(openTools).length, after.openTools, calls]).toEqual([1_000, {}, 1]);
    expect(loop.snapshot().openTools).toBe(after.openTools);
  });

  test("an agent that opens ever more has no more remembered than the machine does", () => {
    const { loop, started, fed } = loopBench();
    started();
    fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
    const ids = Array.from({ length: 2_500 }, (_, index) => `c${index}`);
    fed(agentLines(3, ...ids.map((callId) => ({ type: "tool", callId, name: "sh" }))));
    expect(Object.keys(loop.snapshot().openTools)).toEqual(ids.slice(-1_000));
    expect(loop.state.tools).toEqual(ids.slice(-1_000));
  });
});

describe("what cannot be said to the agent", () => {
  test("is told to the machine at once", () => {
    const { loop, during, started } = loopBench({
      ...SCRIPT,
      encode: (state) => ({ state, writes: [], failure: "it does not listen" }),
    });
    started();
    during((writing) =>
      loop.feed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }), writing),
    );
    during((writing) => loop.feed(agentLines(3, { type: "done" }), writing));
    loop.texts.set("m2", "more");
    const batch = during((writing) => loop.request({ type: "send_message", messageId: "m2" }, writing));
    expect(
      batch.entries.filter(({ kind }) => kind !== "state").map(({ body }) => JSON.parse(body) as unknown),
    ).toEqual([
      { type: "send_message", messageId: "m2" },
      { type: "delivery_failed", run: 1, messageId: "m2", error: "it does not listen" },
    ]);
    expect([loop.state.status, loop.state.error?.code, loop.state.queue]).toEqual([
      "error",
      "delivery_failed",
      ["m2"],
    ]);
  });
});

describe("messages", () => {
  test("a text is dropped once its message is sent for good", () => {
    const { loop, started, fed } = loopBench();
    started();
    const batch = fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
    expect(batch.messageStatuses).toEqual([{ messageId: "m1", status: "sent" }]);
    expect([...loop.texts]).toEqual([["m1", "hello"]]);
    for (const { done } of batch.waiters) done();
    expect([...loop.texts]).toEqual([]);
  });

  test("of a session that is being removed no message is heard of again", () => {
    const { loop, during, started } = loopBench();
    started();
    during((writing) => loop.request({ type: "cancel_session" }, writing));
    during((writing) => loop.markRemoving(writing));
    const exit = { type: "delivery_failed", run: 1, messageId: "m1", error: "gone" } as const;
    const batch = during((writing) => loop.fact(exit, "process", writing));
    expect(written(batch)).toEqual([["fact", 1, exit]]);
    expect(batch.messageStatuses).toEqual([]);
  });
});
