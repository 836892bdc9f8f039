import { describe, expect, test } from "vitest";
import type { Json } from "../schema.js";
import type { StreamEvent, StreamEventType } from "../stream-event.js";
import { jsonLength } from "./bounded.js";
import { reduceThread, threadFrom } from "./reduce-thread.js";
import { EMPTY_THREAD, itemKey, type Item } from "./thread.js";

type Extra = Partial<
  Pick<StreamEvent, "streamId" | "messageId" | "parentMessageId" | "eventId" | "timestampMs">
>;

function event(
  seq: number,
  type: StreamEventType,
  payload: Readonly<Record<string, Json>>,
  extra: Extra = {},
): StreamEvent {
  return {
    schemaVersion: "1.0",
    eventId: `${extra.streamId ?? "s"}-${seq}`,
    sessionId: "session",
    harness: "claude",
    streamId: "s",
    seq,
    timestampMs: 1_000 + seq,
    type,
    payload,
    ...extra,
  };
}

const text = (seq: number, written: string, extra: Extra = {}) =>
  event(seq, "text_delta", { text: written }, extra);

/** Not where and when: what most tests are not about. */
const PLACE: ReadonlySet<string> = new Set(["streamId", "seq", "atMs", "lastStreamId", "cut"]);

function seen(item: Item): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).filter(([field]) => !PLACE.has(field)));
}

const shown = (...events: StreamEvent[]) => threadFrom(events).items.map(seen);

describe("messages", () => {
  test("deltas of a message make one item, done with its stream", () => {
    const writing = threadFrom([text(1, "Hel", { messageId: "m" }), text(2, "lo", { messageId: "m" })]);
    expect(writing).toEqual({
      items: [
        {
          type: "assistant_message",
          id: "m",
          streamId: "s",
          seq: 1,
          atMs: 1_001,
          lastStreamId: "s",
          text: "Hello",
          state: "streaming",
          cut: [],
        },
      ],
      streams: [{ streamId: "s", seq: 2, closed: false }],
      dropped: 0,
      length: jsonLength(writing.items[0]),
    });
    const done = reduceThread(writing, event(3, "completed", { reason: "end_turn" }));
    expect(done.items).toEqual([{ ...writing.items[0], state: "done" }]);
    expect(done.streams).toEqual([{ streamId: "s", seq: 3, closed: true }]);
  });

  test("without a message id, the stream is the message", () => {
    expect(shown(text(1, "a"), text(2, "b"))).toEqual([
      { type: "assistant_message", id: "s", text: "ab", state: "streaming" },
    ]);
  });

  test("thinking and text of one message are two items", () => {
    const m = { messageId: "m" };
    const thread = threadFrom([
      event(1, "thinking_delta", { text: "Hm" }, m),
      text(2, "So", m),
      event(3, "thinking_delta", { text: "m" }, m),
    ]);
    expect(thread.items.map(seen)).toEqual([
      { type: "thinking", id: "m", text: "Hmm", state: "streaming" },
      { type: "assistant_message", id: "m", text: "So", state: "streaming" },
    ]);
    expect(thread.items.map(itemKey)).toEqual(["thinking:m", "assistant_message:m"]);
  });

  test("an interrupted stream stops its message and cancels its calls; a done one leaves calls running", () => {
    const events = [text(1, "a"), event(2, "tool_call_delta", { callId: "c" })];
    const states = (reason: Json) =>
      threadFrom([...events, event(3, "completed", { reason })]).items.map((item) =>
        "state" in item ? item.state : null,
      );
    expect(states("interrupted")).toEqual(["stopped", "canceled"]);
    expect(states("cancelled")).toEqual(["stopped", "canceled"]);
    expect(states("tool_use")).toEqual(["done", "running"]);
    expect(states(7)).toEqual(["done", "running"]);
  });

  test("streams of subagents interleave, each under its parent's message", () => {
    const sub = { streamId: "sub", messageId: "m2", parentMessageId: "m1" };
    const thread = threadFrom([
      text(5, "one ", { messageId: "m1" }),
      text(1, "two ", sub),
      text(6, "three", { messageId: "m1" }),
      text(2, "four", sub),
      event(3, "completed", {}, { streamId: "sub" }),
    ]);
    expect(thread.items.map(seen)).toEqual([
      { type: "assistant_message", id: "m1", text: "one three", state: "streaming" },
      { type: "assistant_message", id: "m2", text: "two four", state: "done", parentMessageId: "m1" },
    ]);
    expect(thread.streams).toEqual([
      { streamId: "s", seq: 6, closed: false },
      { streamId: "sub", seq: 3, closed: true },
    ]);
  });

  test("what a person wrote is shown once, under its id", () => {
    const said = event(1, "user_message", { text: "hi", messageId: "m1" });
    expect(shown(said)).toEqual([{ type: "user_message", id: "m1", text: "hi" }]);
    const echo = event(1, "user_message", { text: "hi!" }, { streamId: "t", messageId: "m1" });
    expect(shown(said, echo)).toEqual([{ type: "user_message", id: "m1", text: "hi!" }]);
    expect(shown(event(1, "user_message", { text: "a" }), event(2, "user_message", { text: "b" }))).toEqual([
      { type: "user_message", id: "s-1", text: "a" },
      { type: "user_message", id: "s-2", text: "b" },
    ]);
  });

  test("an empty delta begins nothing", () => {
    expect(threadFrom([text(1, "")]).items).toEqual([]);
  });
});

describe("order within a stream", () => {
  const thread = threadFrom([text(4, "a")]);

  test("a repeated or lower seq changes nothing", () => {
    expect(reduceThread(thread, text(4, "b"))).toBe(thread);
    expect(reduceThread(thread, text(3, "b"))).toBe(thread);
  });

  test("nothing follows completed", () => {
    const closed = reduceThread(thread, event(5, "completed", {}));
    expect(reduceThread(closed, text(6, "b"))).toBe(closed);
    expect(reduceThread(closed, event(7, "error", {}))).toBe(closed);
  });

  test("telemetry changes nothing, not even the position", () => {
    expect(reduceThread(thread, event(9, "status", { status: "thinking" }))).toBe(thread);
    expect(reduceThread(thread, event(9, "metadata", {}))).toBe(thread);
    expect(reduceThread(thread, text(5, "b")).items).toEqual([{ ...thread.items[0], text: "ab" }]);
  });

  test("what did not change stays the same object", () => {
    const two = reduceThread(thread, text(5, "b", { messageId: "m2" }));
    const three = reduceThread(two, text(6, "c", { messageId: "m2" }));
    expect(three.items[0]).toBe(thread.items[0]);
    expect(three.items[1]).not.toBe(two.items[1]);
    expect(two.items.map(seen)).toEqual([
      { type: "assistant_message", id: "s", text: "a", state: "streaming" },
      { type: "assistant_message", id: "m2", text: "b", state: "streaming" },
    ]);
  });
});

describe("compacted messages", () => {
  test("replace by message id, and stand where the message began", () => {
    const live = [
      text(1, "first ", { messageId: "m1" }),
      text(2, "second", { messageId: "m2" }),
      event(1, "user_message", { text: "hi" }, { streamId: "u", timestampMs: 1_002.5 }),
      text(3, "third", { messageId: "m1" }),
    ];
    const compacted = event(
      3,
      "text_delta",
      { text: "first third", replace: true, startedSeq: 1, startedAtMs: 1_001 },
      { messageId: "m1" },
    );
    const whole = threadFrom(live);
    expect(whole.items.map((item) => item.id)).toEqual(["m1", "m2", "u-1"]);
    expect(threadFrom([...live.slice(1, 3), compacted])).toEqual(whole);
    expect(threadFrom([...live.slice(0, 3), compacted])).toEqual(whole);
  });

  test("without the start they stand where they come", () => {
    const whole = event(3, "text_delta", { text: "b", replace: true }, { messageId: "m1", timestampMs: 1 });
    expect(threadFrom([text(2, "a", { streamId: "t" }), whole]).items.map((item) => item.id)).toEqual([
      "t",
      "m1",
    ]);
  });
});

describe("tool calls", () => {
  const call = {
    type: "tool_call",
    id: "c",
    name: "bash",
    args: "",
    input: null,
    output: "",
    error: null,
    diff: null,
    state: "running",
  };

  test("arguments and output are shown as they come", () => {
    expect(
      shown(
        event(1, "tool_call_delta", { callId: "c", name: "bash" }),
        event(2, "tool_call_delta", { callId: "c", argsDelta: '{"command":' }),
        event(3, "tool_call_delta", { callId: "c", argsDelta: '"ls"}' }),
        event(4, "tool_call_delta", { callId: "c", outputDelta: "README" }),
      ),
    ).toEqual([{ ...call, args: '{"command":"ls"}', output: "README" }]);
  });

  test("a snapshot of the output replaces it", () => {
    expect(
      shown(
        event(1, "tool_call_delta", { callId: "c", name: "bash", outputDelta: "10%" }),
        event(2, "tool_call_delta", { callId: "c", outputDelta: "20%", replace: true }),
      ),
    ).toEqual([{ ...call, output: "20%" }]);
  });

  test("the result may come in another stream and stands for the deltas", () => {
    const result = { callId: "c", input: { command: "ls" }, output: "README.md\n", diff: "+a" };
    expect(
      shown(
        event(1, "tool_call_delta", { callId: "c", name: "bash", argsDelta: "{" }),
        event(2, "completed", { reason: "tool_use" }),
        event(1, "tool_call_completed", result, { streamId: "t" }),
      ),
    ).toEqual([{ ...call, input: { command: "ls" }, output: "README.md\n", diff: "+a", state: "succeeded" }]);
  });

  test("a call that goes on in another stream ends with that one", () => {
    const began = event(1, "tool_call_delta", { callId: "c", name: "bash" });
    const goesOn = event(1, "tool_call_delta", { callId: "c", outputDelta: "a" }, { streamId: "t" });
    const first = event(2, "completed", { reason: "interrupted" });
    const second = event(2, "completed", { reason: "interrupted" }, { streamId: "t" });
    expect(shown(began, goesOn, first)).toEqual([{ ...call, output: "a" }]);
    expect(shown(began, goesOn, first, second)).toEqual([{ ...call, output: "a", state: "canceled" }]);
  });

  test.each<[Record<string, Json>, Record<string, unknown>]>([
    [{}, { state: "succeeded" }],
    [{ error: null, output: null, input: null }, { state: "succeeded" }],
    [
      { isError: true, output: "no" },
      { state: "failed", output: "no" },
    ],
    [{ error: "no such file" }, { state: "failed", error: "no such file" }],
    [{ error: { message: "denied", code: 1 } }, { state: "failed", error: "denied" }],
    [{ error: { code: 1 } }, { state: "failed", error: '{\n  "code": 1\n}' }],
    [{ canceled: true, isError: true }, { state: "canceled" }],
    [{ output: ["a", 1] }, { state: "succeeded", output: '[\n  "a",\n  1\n]' }],
    [
      { isError: "yes", output: 7, diff: 3 },
      { state: "succeeded", output: "7" },
    ],
  ])("a result %j", (payload, expected) => {
    expect(shown(event(1, "tool_call_completed", { callId: "c", name: "bash", ...payload }))).toEqual([
      { ...call, ...expected },
    ]);
  });

  test("a result is final, a supposed cancellation is not", () => {
    const succeeded = event(1, "tool_call_completed", { callId: "c", name: "bash", output: "done" });
    const late = event(2, "tool_call_delta", { callId: "c", outputDelta: "late" });
    expect(shown(succeeded, late)).toEqual([{ ...call, output: "done", state: "succeeded" }]);
    const running = event(1, "tool_call_delta", { callId: "c", name: "bash" });
    const broken = event(2, "error", { code: "x", message: "y", recoverable: true });
    const goesOn = event(3, "tool_call_delta", { callId: "c", outputDelta: "more" });
    expect(shown(running, broken)[0]).toEqual({ ...call, state: "canceled" });
    expect(shown(running, broken, goesOn)[0]).toEqual({ ...call, output: "more" });
  });
});

describe("artifacts, asks and errors", () => {
  test("an artifact gathers text and diff", () => {
    expect(
      shown(
        event(1, "artifact_delta", { artifactId: "a", path: "x.ts", text: "let " }),
        event(2, "artifact_delta", { artifactId: "a", text: "x" }),
        event(3, "artifact_delta", { artifactId: "a", diff: "-y" }),
        event(4, "artifact_delta", { artifactId: "a", diff: "+x", replace: true }),
      ),
    ).toEqual([{ type: "artifact", id: "a", path: "x.ts", text: "let x", diff: "+x" }]);
  });

  test("an ask is partial until it is complete, then stays so", () => {
    const partial = event(1, "ask", { askId: "q", ask: "followup", text: "Whi", partial: true });
    const complete = event(2, "ask", { askId: "q", ask: "followup", text: "Which?", detail: "a or b" });
    const late = event(3, "ask", { askId: "q", partial: true });
    const ask = { type: "ask", id: "q", ask: "followup", title: "Whi", detail: "", partial: true };
    expect(shown(partial)).toEqual([ask]);
    const whole = { ...ask, title: "Which?", detail: "a or b", partial: false };
    expect(shown(partial, complete)).toEqual([whole]);
    expect(shown(partial, complete, late)).toEqual([whole]);
  });

  test("an ask with a title has its text as detail", () => {
    expect(shown(event(1, "ask", { askId: "q", ask: "tool", title: "Run ls", text: "ls -l" }))).toEqual([
      { type: "ask", id: "q", ask: "tool", title: "Run ls", detail: "ls -l", partial: false },
    ]);
  });

  test("an error ends what its stream writes, and a later delta takes it up again", () => {
    const broken = event(2, "error", { code: "overloaded", message: "busy", recoverable: true });
    const notice = { type: "error", id: "s-2", code: "overloaded", message: "busy", recoverable: true };
    const message = { type: "assistant_message", id: "s", text: "a", state: "failed" };
    expect(shown(text(1, "a"), broken)).toEqual([message, notice]);
    expect(shown(text(1, "a"), broken, text(3, "b"))).toEqual([
      { ...message, text: "ab", state: "streaming" },
      notice,
    ]);
  });

  test("an error that says nothing is still an error", () => {
    expect(shown(event(1, "error", { message: {} }))).toEqual([
      { type: "error", id: "s-1", code: "streaming_failed", message: "", recoverable: false },
    ]);
  });
});

describe("payloads that make no sense", () => {
  test.each<[StreamEventType, Record<string, Json>]>([
    ["text_delta", {}],
    ["text_delta", { text: 1 }],
    ["text_delta", { text: null, replace: true }],
    ["thinking_delta", { text: ["a"] }],
    ["tool_call_delta", { argsDelta: "x" }],
    ["tool_call_completed", { callId: "" }],
    ["artifact_delta", { text: "x" }],
    ["user_message", { text: {} }],
    ["ask", { ask: "tool" }],
  ])("%s %j shows nothing", (type, payload) => {
    expect(threadFrom([event(1, type, payload)])).toEqual({
      ...EMPTY_THREAD,
      streams: [{ streamId: "s", seq: 1, closed: false }],
    });
  });

  test("a tool's input keeps its names, and is cut where it is too deep", () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Json;
    const thread = threadFrom([event(1, "tool_call_completed", { callId: "c", input: hostile })]);
    expect(JSON.stringify(thread.items[0])).toContain('"__proto__":{"polluted":true}');

    let deep: Json = "bottom";
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    const nested = threadFrom([event(1, "tool_call_completed", { callId: "c", input: deep, output: deep })]);
    expect(nested.items[0]?.cut).toEqual(["input", "output"]);
    expect(JSON.parse(JSON.stringify(nested))).toEqual(nested);
  });
});
