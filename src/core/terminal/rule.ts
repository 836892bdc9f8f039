/** How a rule of the terminal's table is written. */
import { ignored } from "../step.js";
import type { Rule } from "../table.js";
import { Change, type TerminalStep } from "./change.js";
import type { TerminalEffect, TerminalRefusalCode } from "./effects.js";
import type { TerminalEvent } from "./events.js";
import type { TerminalColumn, TerminalState } from "./state.js";

export type TerminalRule<E extends TerminalEvent> = Rule<
  TerminalState,
  E,
  TerminalEffect,
  TerminalRefusalCode,
  TerminalColumn
>;

type Targets = readonly (TerminalColumn | "same")[];

/** A rule that works on a change; it may still refuse or ignore by returning that step. */
export function rule<E extends TerminalEvent>(
  to: Targets,
  note: string,
  apply: ((change: Change, event: E) => TerminalStep | undefined) | ((change: Change, event: E) => void),
): TerminalRule<E> {
  return {
    to,
    note,
    apply(state, event) {
      const change = new Change(state, event);
      return apply(change, event) ?? change.done();
    },
  };
}

export function refuse(state: TerminalState, code: TerminalRefusalCode, message: string): TerminalStep {
  return { state, effects: [], result: "rejected", error: { code, message } };
}

export const IGNORE: TerminalRule<TerminalEvent> = {
  to: ["same"],
  note: "means nothing here; counted",
  apply: (state) => ignored(state, "it means nothing in this activity"),
};
