/** A stream event: a piece of content from an agent, in the envelope of the wire. */
import { count, id, jsonObject, object, oneOf, optional, timeMs, type Infer } from "./schema.js";

/** Content as it is being written. */
export const DELTA_TYPES = ["text_delta", "thinking_delta", "tool_call_delta", "artifact_delta"] as const;

export const STREAM_EVENT_TYPES = [
  ...DELTA_TYPES,
  "tool_call_completed",
  "completed",
  "error",
  "status",
  "metadata",
  "user_message",
  "ask",
] as const;

export type StreamEventType = (typeof STREAM_EVENT_TYPES)[number];

export const streamEventShape = object({
  schemaVersion: oneOf("1.0"),
  eventId: id,
  sessionId: id,
  harness: id,
  provider: optional(id),
  streamId: id,
  seq: count,
  timestampMs: timeMs,
  type: oneOf(...STREAM_EVENT_TYPES),
  payload: jsonObject,
  messageId: optional(id),
  parentMessageId: optional(id),
});

export type StreamEvent = Infer<typeof streamEventShape>;
