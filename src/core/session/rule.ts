/** How a rule of the session's table is written. */
import { ignored } from "../step.js";
import type { Rule } from "../table.js";
import { Change, type SessionStep } from "./change.js";
import type { RefusalCode, SessionEffect } from "./effects.js";
import type { SessionEvent } from "./events.js";
import { openStream, type SessionState, type Status } from "./state.js";

export type SessionRule<E extends SessionEvent> = Rule<SessionState, E, SessionEffect, RefusalCode, Status>;

type Targets = readonly (Status | "same")[];

/** A rule that works on a change; it may still refuse or ignore by returning that step. */
export function rule<E extends SessionEvent>(
  to: Targets,
  note: string,
  apply: (change: Change, event: E) => SessionStep | undefined,
): SessionRule<E> {
  return {
    to,
    note,
    apply(state, event) {
      const change = new Change(state, event);
      return apply(change, event) ?? change.done();
    },
  };
}

export function refuse(state: SessionState, code: RefusalCode, message: string): SessionStep {
  const streamId = openStream(state);
  const error = { code, message, retryable: false, source: "orchestrator" } as const;
  return {
    state,
    effects: [{ type: "emit_session_error", ...error, ...(streamId !== undefined && { streamId }) }],
    result: "rejected",
    error: { code, message },
  };
}

export const IGNORE: SessionRule<SessionEvent> = {
  to: ["same"],
  note: "means nothing here; counted",
  apply: (state) => ignored(state, "it means nothing in this status"),
};

export const REFUSE: SessionRule<SessionEvent> = {
  to: ["same"],
  note: "rejected `state_transition_invalid`",
  apply: (state, event) =>
    refuse(state, "state_transition_invalid", `${event.type} is not possible while ${state.status}`),
};
