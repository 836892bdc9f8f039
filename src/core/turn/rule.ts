/** How a rule of the turn's table is written. */
import { ignored } from "../step.js";
import type { Rule } from "../table.js";
import { Change, type TurnStep } from "./change.js";
import type { TurnEffect, TurnRefusalCode } from "./effects.js";
import type { TurnEvent, TurnFact, TurnRequest } from "./events.js";
import { columnOf, type TurnColumn, type TurnState } from "./state.js";

export type TurnRule<E> = Rule<TurnState, E, TurnEffect, TurnRefusalCode, TurnColumn>;

/** A rule that works on a change; it may still refuse or ignore by returning that step. */
export function rule<E extends TurnEvent>(
  to: readonly (TurnColumn | "same")[],
  note: string,
  apply: (change: Change, event: E) => TurnStep | undefined,
): TurnRule<E> {
  return {
    to,
    note,
    apply(state, event) {
      const change = new Change(state);
      return apply(change, event) ?? change.done();
    },
  };
}

export function refuse(state: TurnState, code: TurnRefusalCode, message: string): TurnStep {
  return { state, effects: [], result: "rejected", error: { code, message } };
}

export function refuseHere(state: TurnState, event: TurnRequest): TurnStep {
  return refuse(state, "state_transition_invalid", `${event.type} is not possible while ${columnOf(state)}`);
}

export const reject: TurnRule<TurnRequest> = {
  to: ["same"],
  note: "rejected `state_transition_invalid`",
  apply: refuseHere,
};

export const ignore: TurnRule<TurnFact> = {
  to: ["same"],
  note: "means nothing here; counted",
  apply: (state, event) => ignored(state, `${event.type} means nothing while ${columnOf(state)}`),
};
