/** Brings everything to its end: answers what is asked, resumes what can go on, stops what hangs. */
import { messageLine } from "../../src/core/session/state.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import type { SessionRecord } from "../../src/runtime/session-record.js";
import type { PersonRequest } from "../../src/runtime/submission.js";
import type { Crowd } from "./crowd.js";

/** An agent that says nothing for so long hangs. */
const PATIENCE_MS = 120_000;

export class Caretaker {
  private readonly since = new Map<string, { readonly seq: number; readonly atMs: number }>();

  constructor(private readonly crowd: Crowd) {}

  /** Whether everything is settled. */
  look(runtime: Runtime, nowMs: number): boolean {
    let isSettled = true;
    for (const record of runtime.sessions()) {
      const request = this.needs(record, nowMs);
      if (request === null) continue;
      isSettled = false;
      if (request !== "time") this.crowd.wish(runtime, { type: "request", sessionId: record.id, request });
    }
    return isSettled;
  }

  private needs({ id, state, seq }: SessionRecord, nowMs: number): PersonRequest | "time" | null {
    const line = messageLine(state);
    switch (state.status) {
      case "idle":
        return null;
      case "waiting_approval": {
        const ask = state.asks.find(({ ask: kind }) => kind !== "followup");
        return ask ? { type: "approve_action", askId: ask.askId } : "time";
      }
      case "waiting_input":
        return { type: "send_message", text: this.crowd.newText() };
      case "completed":
      case "paused":
      case "stopped":
      case "error":
        return line.length > 0 ? { type: "resume_session" } : null;
      case "creating":
      case "streaming":
        return this.hangs(id, seq, nowMs) ? { type: "cancel_session" } : "time";
    }
  }

  private hangs(id: string, seq: number, nowMs: number): boolean {
    const known = this.since.get(id);
    if (known?.seq === seq) return nowMs - known.atMs > PATIENCE_MS;
    this.since.set(id, { seq, atMs: nowMs });
    return false;
  }
}
