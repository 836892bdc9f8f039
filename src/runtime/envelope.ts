import type { StreamEvent } from "../core/index.js";
import type { StreamOutput } from "./harness.js";

/** The envelope of a stream event. `seq` is that of its entry: it rises within the session, and so within each stream. */
export function envelope(
  output: StreamOutput,
  sessionId: string,
  harness: string,
  seq: number,
  timestampMs: number,
): StreamEvent {
  const { messageId, parentMessageId } = output;
  return {
    schemaVersion: "1.0",
    eventId: `${sessionId}:${seq}`,
    sessionId,
    harness,
    streamId: output.streamId,
    seq,
    timestampMs,
    type: output.event,
    payload: output.payload,
    ...(messageId === undefined ? {} : { messageId }),
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
  };
}
