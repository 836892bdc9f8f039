import type { StateEvent } from "../protocol/state-event.js";
import type { Entry } from "./ports.js";

/** Content of a session that nobody knows: said on the state channel, and nothing else is changed (001). */
export function strayEntry(sessionId: string, position: number, nowMs: number): Entry {
  const event: StateEvent = {
    eventId: `${sessionId}:stray:${position}`,
    timestampMs: nowMs,
    sessionId,
    payload: {
      type: "session_error",
      code: "session_not_found",
      message: "There is no such session.",
      retryable: false,
      source: "orchestrator",
    },
  };
  const body = JSON.stringify(event);
  return { position, sessionId, seq: position, atMs: nowMs, kind: "state", run: 0, body };
}
