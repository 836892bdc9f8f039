import { expect, test } from "vitest";
import { streamEventSchema } from "../protocol/stream-event.js";
import { stateEventSchema } from "../protocol/state-event.js";
import { addUsage } from "./add-usage.js";
import { envelope } from "./envelope.js";
import { strayEntry } from "./stray-entry.js";

test("the envelope of content, with and without what may be absent", () => {
  const output = { type: "stream", streamId: "t", event: "text_delta", payload: { text: "hi" } } as const;
  const bare = envelope(output, "s", "script", 7, 9);
  expect(bare).toEqual({
    schemaVersion: "1.0",
    eventId: "s:7",
    sessionId: "s",
    harness: "script",
    streamId: "t",
    seq: 7,
    timestampMs: 9,
    type: "text_delta",
    payload: { text: "hi" },
  });
  const whole = envelope({ ...output, messageId: "m", parentMessageId: "p" }, "s", "script", 7, 9);
  expect(whole).toEqual({ ...bare, messageId: "m", parentMessageId: "p" });
  expect([bare, whole].map((event) => streamEventSchema.parse(event))).toEqual([bare, whole]);
});

test("content of a session that nobody knows is an error on the state channel", () => {
  const entry = strayEntry("ghost", 12, 9);
  const event = JSON.parse(entry.body) as unknown;
  expect(event).toEqual({
    eventId: "ghost:stray:12",
    timestampMs: 9,
    sessionId: "ghost",
    payload: {
      type: "session_error",
      code: "session_not_found",
      message: "There is no such session.",
      retryable: false,
      source: "orchestrator",
    },
  });
  expect(stateEventSchema.parse(event)).toEqual(event);
  expect({ ...entry, body: "" }).toEqual({
    position: 12,
    sessionId: "ghost",
    seq: 12,
    atMs: 9,
    kind: "state",
    run: 0,
    body: "",
  });
});

test("usage adds up, and a cost once known stays known", () => {
  const free = { inputTokens: 1, outputTokens: 2, cachedTokens: 3, costUsd: null };
  const paid = { inputTokens: 10, outputTokens: 20, cachedTokens: 30, costUsd: 0.5 };
  expect(addUsage(free, free)).toEqual({ inputTokens: 2, outputTokens: 4, cachedTokens: 6, costUsd: null });
  expect(addUsage(free, paid)).toEqual({ inputTokens: 11, outputTokens: 22, cachedTokens: 33, costUsd: 0.5 });
  expect(addUsage(paid, free).costUsd).toBe(0.5);
  expect(addUsage(paid, paid).costUsd).toBe(1);
});
