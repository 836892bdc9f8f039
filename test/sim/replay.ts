/** One session, replayed from its entries alone. */
import {
  deriveStateEvents,
  initialSession,
  transitionSession,
  type DerivedStateEvent,
  type SessionEvent,
  type SessionState,
  type Status,
  type StreamEvent,
} from "../../src/core/index.js";
import type { StateEvent, StatePayload } from "../../src/protocol/state-event.js";
import type { Entry } from "../../src/runtime/ports.js";
import { emittedPayload, isEmitted } from "../../src/runtime/state-payload.js";

/** What a state event must say, at least: names and times only the runtime knows. */
type Expected = Readonly<Record<string, unknown>>;

export class Replay {
  state: SessionState = initialSession;
  /** The status as whoever hears only state events knows it. */
  shownStatus: Status = "idle";
  /** State events that the last step made and that were not told yet. */
  private expected: Expected[] = [];
  /** A person has interrupted this run: how its turn ended is not for its agent alone to say. */
  wasInterrupted = false;
  /** State events that should have been told by now. */
  private readonly untold: Expected[] = [];
  private readonly openCalls = new Set<string>();
  /** Messages that were given up with their session. */
  private readonly failed = new Set<string>();

  /** What is wrong with the entry, or null. */
  take(entry: Entry): string | null {
    switch (entry.kind) {
      case "state":
        return this.takeState(JSON.parse(entry.body) as StateEvent);
      case "stream":
        return this.step({
          type: "harness_stream",
          run: entry.run,
          event: JSON.parse(entry.body) as StreamEvent,
        });
      case "request":
      case "fact":
        return this.step(JSON.parse(entry.body) as SessionEvent);
    }
  }

  /** The first state event that was not told and should have been. Of a session that is being removed, messages are not. */
  missing(isRemoving: boolean): Expected | null {
    this.untold.push(...this.expected.splice(0));
    const missing = this.untold.find(({ type }) => !isRemoving || type !== "message_status");
    this.untold.length = 0;
    return missing ?? null;
  }

  private step(event: SessionEvent): string | null {
    this.untold.push(...this.expected);
    const before = this.state;
    const step = transitionSession(before, event);
    if (step.result === "ignored")
      return event.type === "harness_stream" ? null : `an ignored fact was journaled: ${event.type}`;
    this.state = step.state;
    if (event.type === "interrupt" && step.result === "ok") this.wasInterrupted = true;
    if (step.state.run !== before.run) this.wasInterrupted = false;
    this.expected = step.effects.filter(isEmitted).map((effect) => ({ ...emittedPayload(effect) }));
    if (step.result === "ok")
      for (const derived of deriveStateEvents(before, event, step.state))
        if (!this.isRepeatedEnd(derived)) this.expected.push({ ...derived });
    return null;
  }

  /** A call ends once, however often that is said. */
  private isRepeatedEnd(derived: DerivedStateEvent): boolean {
    if (derived.type !== "tool_lifecycle") return false;
    if (derived.status !== "running") return !this.openCalls.delete(derived.callId);
    this.openCalls.add(derived.callId);
    return false;
  }

  private takeState({ payload }: StateEvent): string | null {
    if (payload.type === "roster_changed") return null;
    // Not the machine's word: an answer was accepted, and its agent ended with the keeper before it had it.
    if (payload.type === "session_error" && payload.message.startsWith("Not delivered: ")) return null;
    if (payload.type === "message_status") {
      const problem = this.takeMessage(payload.messageId, payload.status);
      if (problem !== null || payload.status === "failed") return problem;
    }
    while (this.expected[0]?.["type"] === "message_status" && payload.type !== "message_status")
      this.untold.push(...this.expected.splice(0, 1));
    const expected = this.expected.shift();
    if (!expected || !says(payload, expected))
      return `told ${JSON.stringify(payload)} instead of ${JSON.stringify(expected)}`;
    if (payload.type !== "state_changed") return null;
    if (payload.from !== this.shownStatus) return `a change from ${payload.from} while ${this.shownStatus}`;
    this.shownStatus = payload.to;
    return null;
  }

  /** What was given up is never heard of again. */
  private takeMessage(messageId: string, status: string): string | null {
    if (this.failed.has(messageId)) return `the message ${messageId} is ${status} after it failed`;
    if (status === "failed") this.failed.add(messageId);
    return null;
  }
}

function says(payload: StatePayload, expected: Expected): boolean {
  return Object.entries(expected).every(
    ([key, value]) => key in payload && payload[key as keyof StatePayload] === value,
  );
}
