import { describe, expect, test } from "vitest";
import type { Json } from "../schema.js";
import type { StreamEvent, StreamEventType } from "../stream-event.js";
import { jsonLength } from "./bounded.js";
import { extendThread, reduceThread, threadFrom } from "./reduce-thread.js";
import { ITEMS_MAX, STREAMS_MAX, TEXT_LENGTH_MAX, THREAD_LENGTH_MAX } from "./thread.js";

type Extra = Partial<Pick<StreamEvent, "streamId" | "messageId">>;

function event(
  seq: number,
  type: StreamEventType,
  payload: Readonly<Record<string, Json>>,
  extra: Extra = {},
): StreamEvent {
  const ids = { eventId: `e${seq}`, sessionId: "session", harness: "claude", streamId: "s" };
  return { schemaVersion: "1.0", ...ids, seq, timestampMs: seq, type, payload, ...extra };
}

const text = (seq: number, written: string, extra: Extra = {}) =>
  event(seq, "text_delta", { text: written }, extra);

describe("bounds", () => {
  const half = "x".repeat(TEXT_LENGTH_MAX / 2);

  test("a text is cut at its limit and says so", () => {
    const full = threadFrom([text(1, half), text(2, half)]);
    expect(full.items[0]).toMatchObject({ cut: [] });
    const over = reduceThread(full, text(3, "y"));
    expect(over.items[0]).toEqual({ ...full.items[0], cut: ["text"] });
    const replaced = reduceThread(over, event(4, "text_delta", { text: "short", replace: true }));
    expect(replaced.items[0]).toEqual({ ...full.items[0], text: "short" });
    expect(replaced.length).toBe(jsonLength(replaced.items[0]));
  });

  test("each text of a call is cut for itself", () => {
    const long = `${half}${half}z`;
    const thread = threadFrom([
      event(1, "tool_call_delta", { callId: "c", argsDelta: long, outputDelta: "ok" }),
      event(2, "tool_call_completed", { callId: "c", input: { content: long, other: 1 }, error: long }),
    ]);
    const [item] = thread.items;
    expect(item).toMatchObject({ cut: ["input", "error"], args: "", output: "ok", state: "failed" });
    expect(thread.length).toBeLessThan(2 * TEXT_LENGTH_MAX + 1_000);
  });

  test("the newest items are kept, and the dropped ones counted", () => {
    const events = Array.from({ length: ITEMS_MAX + 3 }, (_, seq) =>
      text(seq, "x", { messageId: `m${seq}` }),
    );
    const thread = threadFrom(events);
    expect(thread.items.length).toBe(ITEMS_MAX);
    expect(thread.items[0]?.id).toBe("m3");
    expect(thread.dropped).toBe(3);
    expect(thread.length).toBe(thread.items.reduce((length, item) => length + jsonLength(item), 0));
  });

  test("all items together are bounded, the oldest go first", () => {
    const count = (THREAD_LENGTH_MAX / TEXT_LENGTH_MAX) * 2;
    const events = Array.from({ length: count + 1 }, (_, seq) => text(seq, half, { messageId: `m${seq}` }));
    const thread = threadFrom(events);
    // One more than fits by its text alone, and one for what surrounds the texts.
    expect(thread.items[0]?.id).toBe("m2");
    expect([thread.items.length, thread.dropped]).toEqual([count - 1, 2]);
    expect(thread.length).toBeLessThanOrEqual(THREAD_LENGTH_MAX);
  });

  test("the streams that said something last are remembered", () => {
    const first = text(1, "a", { streamId: "first" });
    const others = Array.from({ length: STREAMS_MAX - 1 }, (_, index) =>
      text(1, "b", { streamId: `s${index}` }),
    );
    const again = text(2, "c", { streamId: "first" });
    const more = text(1, "d", { streamId: "more" });
    const thread = threadFrom([first, ...others, again, more]);
    expect(thread.streams.length).toBe(STREAMS_MAX);
    expect(reduceThread(thread, again)).toBe(thread);
    expect(thread.streams[0]?.streamId).toBe("s1");
    expect(thread.streams.slice(-2).map((stream) => stream.streamId)).toEqual(["first", "more"]);
  });
});

test("a long stream into a full thread gives the same, one by one or together", () => {
  const full = threadFrom(
    Array.from({ length: ITEMS_MAX }, (_, seq) =>
      text(seq, "x", { streamId: `s${seq % 50}`, messageId: `m${seq}` }),
    ),
  );
  const deltas = Array.from({ length: 20_000 }, (_, seq) => text(seq, "word ", { streamId: "long" }));
  expect(deltas.reduce(reduceThread, full)).toEqual(extendThread(full, deltas));
});
