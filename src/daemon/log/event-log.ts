/** Writes down what was forwarded: every stream event at level `debug`, and refused or misdirected events as warnings. */
import type { StateEvent } from "../../protocol/state-event.js";
import type { StreamEvent } from "../../protocol/stream-event.js";
import type { Bus, Committed, Entry } from "../../runtime/ports.js";
import type { Log } from "./log.js";

const WARNED_CODES: ReadonlySet<string> = new Set(["session_not_found", "state_transition_invalid"]);

export class EventLog implements Bus {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  publish(committed: Committed): void {
    const isDebug = this.#log.isOn("debug");
    for (const entry of committed.entries) {
      if (entry.kind === "state") this.#warnOf(entry);
      else if (isDebug && entry.kind === "stream") this.#note(entry);
    }
  }

  #note(entry: Entry): void {
    const event = JSON.parse(entry.body) as StreamEvent;
    this.#log.debug("stream event forwarded", {
      session_id: event.sessionId,
      stream_id: event.streamId,
      type: event.type,
      seq: event.seq,
      ...(this.#log.payloads ? { payload: event.payload } : {}),
    });
  }

  #warnOf(entry: Entry): void {
    // Most state events are no errors, and need not be parsed to know it.
    if (!entry.body.includes('"session_error"')) return;
    const { sessionId, payload } = JSON.parse(entry.body) as StateEvent;
    if (payload.type !== "session_error" || !WARNED_CODES.has(payload.code)) return;
    this.#log.warn("session error", {
      session_id: sessionId,
      stream_id: payload.streamId,
      code: payload.code,
      message: payload.message,
    });
  }
}
