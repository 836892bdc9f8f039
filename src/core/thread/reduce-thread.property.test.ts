import fc from "fast-check";
import { expect, test } from "vitest";
import { freeze } from "../../../test/model/interned.js";
import { parse, type Json } from "../schema.js";
import { STREAM_EVENT_TYPES, streamEventShape, type StreamEvent } from "../stream-event.js";
import { jsonLength } from "./bounded.js";
import { extendThread, reduceThread, threadFrom } from "./reduce-thread.js";
import { EMPTY_THREAD, type Thread } from "./thread.js";

const names = fc.constantFrom("a", "b", "c");
const words = fc.string({ minLength: 1, maxLength: 6 });

/** Right, wrong and strange fields under the names that payloads use, and some that none does. */
const anyPayload: fc.Arbitrary<Record<string, Json>> = fc.dictionary(
  fc.constantFrom(
    ...[
      "text",
      "replace",
      "startedSeq",
      "startedAtMs",
      "callId",
      "name",
      "argsDelta",
      "outputDelta",
      "input",
    ],
    ...["output", "isError", "error", "canceled", "diff", "artifactId", "path", "reason", "usage", "code"],
    ...[
      "message",
      "recoverable",
      "messageId",
      "askId",
      "ask",
      "title",
      "detail",
      "partial",
      "__proto__",
      "x",
    ],
  ),
  fc.oneof(names, fc.boolean(), fc.nat(9), fc.constant("interrupted"), jsonValue()),
);

function jsonValue(): fc.Arbitrary<Json> {
  return fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
}

const anyEvent: fc.Arbitrary<StreamEvent> = fc
  .record(
    {
      schemaVersion: fc.constant("1.0" as const),
      eventId: fc.uuid(),
      sessionId: fc.constant("session"),
      harness: fc.constant("claude"),
      streamId: names,
      seq: fc.nat(30),
      timestampMs: fc.nat(1_000),
      type: fc.constantFrom(...STREAM_EVENT_TYPES),
      payload: anyPayload,
      messageId: names,
      parentMessageId: names,
    },
    {
      requiredKeys: [
        "schemaVersion",
        "eventId",
        "sessionId",
        "harness",
        "streamId",
        "seq",
        "timestampMs",
        "type",
        "payload",
      ],
    },
  )
  .map(freeze);

/** What an adapter would write: within a stream `seq` rises, and nothing follows `completed`. */
const properStreams: fc.Arbitrary<readonly StreamEvent[]> = fc
  .array(
    fc.record({
      stream: names,
      kind: fc.nat(9),
      name: names,
      text: words,
      gap: fc.integer({ min: 1, max: 3 }),
    }),
    {
      maxLength: 60,
      size: "max",
    },
  )
  .map((steps) => freeze(streamsOf(steps)));

interface Written {
  readonly stream: string;
  readonly kind: number;
  readonly name: string;
  readonly text: string;
  readonly gap: number;
}

function streamsOf(steps: readonly Written[]): readonly StreamEvent[] {
  const seqs = new Map<string, number>();
  const turns = new Map<string, number>();
  let now = 1_000;
  return steps.map((step, index): StreamEvent => {
    const turn = turns.get(step.stream) ?? 0;
    const streamId = `${step.stream}${turn}`;
    const seq = (seqs.get(streamId) ?? 0) + step.gap;
    seqs.set(streamId, seq);
    const content = contentOf(step, streamId);
    if (content.type === "completed") turns.set(step.stream, turn + 1);
    return {
      schemaVersion: "1.0",
      eventId: `e${index}`,
      sessionId: "session",
      harness: "claude",
      streamId,
      seq,
      // Several events of one stream, never of two, share a millisecond.
      timestampMs: (now += steps[index - 1]?.stream === step.stream ? 0 : 1),
      ...content,
    };
  });
}

function contentOf(
  { kind, name, text }: Written,
  streamId: string,
): Pick<StreamEvent, "type" | "payload" | "messageId"> {
  const messageId = `${streamId}-${name}`;
  switch (kind) {
    case 0:
      return { type: "completed", payload: { reason: text.length === 1 ? "interrupted" : "end_turn" } };
    case 1:
      return { type: "tool_call_delta", payload: { callId: name, name: "bash", outputDelta: text } };
    case 2:
      return {
        type: "tool_call_completed",
        payload: { callId: name, input: { command: text }, output: text },
      };
    case 3:
      return { type: "error", payload: { code: "busy", message: text, recoverable: true } };
    case 4:
      return { type: "user_message", payload: { text } };
    case 5:
      return { type: "thinking_delta", payload: { text }, messageId };
    case 6:
      return { type: "text_delta", payload: { text, replace: true }, messageId };
    case 7:
      return { type: "text_delta", payload: { text } };
    default:
      return { type: "text_delta", payload: { text }, messageId };
  }
}

/** What the journal does: all deltas of a message of a closed stream become one, in the place of the last. */
function compact(events: readonly StreamEvent[]): readonly (StreamEvent | null)[] {
  const closed = new Set(events.filter(({ type }) => type === "completed").map(({ streamId }) => streamId));
  const keyOf = (event: StreamEvent) =>
    closed.has(event.streamId) && (event.type === "text_delta" || event.type === "thinking_delta")
      ? `${event.type} ${event.messageId ?? event.streamId}`
      : null;
  return events.map((event) => {
    const key = keyOf(event);
    if (key === null) return event;
    const group = events.filter((other) => keyOf(other) === key);
    const [first] = group;
    if (!first || event !== group.at(-1)) return null;
    const text = group.reduce(
      (whole, { payload }) => (payload["replace"] ? "" : whole) + (payload["text"] as string),
      "",
    );
    const payload = { text, replace: true, startedSeq: first.seq, startedAtMs: first.timestampMs };
    return freeze({ ...event, payload });
  });
}

function present(events: readonly (StreamEvent | null)[]): readonly StreamEvent[] {
  return events.filter((event) => event !== null);
}

test("any stream event gives plain JSON, changes no input, and never throws", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let thread: Thread = freeze(EMPTY_THREAD);
      for (const event of events) {
        expect(parse(streamEventShape, event).ok).toBe(true);
        thread = freeze(reduceThread(thread, event));
      }
      expect(JSON.parse(JSON.stringify(thread))).toEqual(thread);
      expect(new Set(thread.items.map((item) => `${item.type} ${item.id}`)).size).toBe(thread.items.length);
    }),
    { numRuns: 2_000 },
  );
});

test("a replay in one go, or in any two pieces, equals what was seen live", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.nat(40), (events, at) => {
      const live = events.reduce(reduceThread, EMPTY_THREAD);
      expect(threadFrom(events)).toEqual(live);
      const restored = JSON.parse(JSON.stringify(threadFrom(events.slice(0, at)))) as Thread;
      expect(extendThread(restored, events.slice(at))).toEqual(live);
    }),
  );
});

test("an event that comes again, at once or much later, changes nothing", () => {
  fc.assert(
    fc.property(properStreams, fc.nat(), (events, pick) => {
      const thread = threadFrom(events);
      expect(threadFrom(events.flatMap((event) => [event, event]))).toEqual(thread);
      const again = events[pick % Math.max(1, events.length)];
      if (again) expect(reduceThread(thread, again)).toBe(thread);
      expect(extendThread(thread, events)).toBe(thread);
    }),
  );
});

test("a compacted replay equals the whole one, from the start or resumed anywhere", () => {
  fc.assert(
    fc.property(properStreams, fc.nat(60), (events, at) => {
      const whole = threadFrom(events);
      const compacted = compact(events);
      expect(threadFrom(present(compacted))).toEqual(whole);
      expect(extendThread(threadFrom(events.slice(0, at)), present(compacted.slice(at)))).toEqual(whole);
    }),
    { numRuns: 1_000 },
  );
});

test("the length is the sum of the items' lengths, and bounds that of their JSON", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const thread = threadFrom(events);
      const sum = thread.items.reduce((length, item) => length + jsonLength(item), 0);
      expect(thread.length).toBe(sum);
      // At most six characters for one: an escaped control character.
      expect(JSON.stringify(thread.items).length).toBeLessThanOrEqual(6 * thread.length + 2);
    }),
  );
});
