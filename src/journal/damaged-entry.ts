/** What a reader gets in the place of an entry that is not as it was written. */
import type { StreamEvent } from "../core/index.js";
import type { StateEvent } from "../protocol/state-event.js";
import type { Entry } from "../runtime/ports.js";

export const DAMAGED_CODE = "journal_damaged";

/** Of its kind, so that every reader can show it; its body says what is damaged instead of what it said. */
export function damagedEntry(entry: Omit<Entry, "body" | "damaged">): Entry {
  return { ...entry, body: JSON.stringify(bodyOf(entry)), damaged: true };
}

export function damageSentence(sessionId: string, position: number): string {
  return `Position ${position} of session ${sessionId} is damaged in the journal and cannot be read. See signalbox doctor.`;
}

function bodyOf({
  kind,
  sessionId,
  position,
  seq,
  atMs,
}: Omit<Entry, "body" | "damaged">): StreamEvent | StateEvent | { type: string; message: string } {
  const message = damageSentence(sessionId, position);
  const envelope = { eventId: `damaged-${position}`, sessionId, timestampMs: atMs };
  switch (kind) {
    case "stream":
      return {
        ...envelope,
        schemaVersion: "1.0",
        harness: "signalbox",
        streamId: envelope.eventId,
        seq,
        type: "error",
        payload: { code: DAMAGED_CODE, message, recoverable: false },
      };
    case "state":
      return {
        ...envelope,
        payload: {
          type: "session_error",
          code: DAMAGED_CODE,
          message,
          retryable: false,
          source: "orchestrator",
        },
      };
    case "request":
    case "fact":
      return { type: DAMAGED_CODE, message };
  }
}
