/**
 * The terminal machine: one per run of a program in a terminal.
 *
 * It says what hooks, screen, marks, processes and typing mean together. What is known, best first: the agent's own
 * hooks, its screen, whether its process lives. Hooks decide where they have spoken; the screen then adds what they cannot
 * see: that somebody pressed Esc, that a dialog is gone. Who is in front decides whom a screen can be of: a shell is never
 * typed at, and what no rule understands is never said to work.
 */
import { parse } from "../schema.js";
import { ignored } from "../step.js";
import { compile, type Compiled, type Machine, type TableNames } from "../table.js";
import type { TerminalStep } from "./change.js";
import type { TerminalEffect, TerminalRefusalCode } from "./effects.js";
import { terminalEventShape, type TerminalEvent } from "./events.js";
import { dropReason } from "./gates.js";
import { ACTIVITIES_IN_TERMINAL, initialTerminal, terminalStateShape, type TerminalState } from "./state.js";
import { description, RULES, rowOf, TABLE } from "./table.js";

type TerminalRules = Compiled<TerminalState, TerminalEvent, TerminalEffect, TerminalRefusalCode>;

function transitionBy(table: TableNames): (state: TerminalState, event: TerminalEvent) => TerminalStep {
  const rules: TerminalRules = compile(table, RULES);
  return (state, event) => {
    const reason = dropReason(state, event);
    if (reason !== null) return ignored(state, reason);
    const column = ACTIVITIES_IN_TERMINAL.indexOf(state.activity.type);
    const apply = rules.get(rowOf(state, event))?.[column];
    if (!apply) throw new Error(`the table has no cell for ${event.type} in ${state.activity.type}`);
    return apply(state, event);
  };
}

/** Pure: the same state and event always give the same step, and neither is changed. */
export const transition = transitionBy(TABLE);

export const terminalMachine: Machine<TerminalState, TerminalEvent, TerminalEffect, TerminalRefusalCode> = {
  name: "terminal",
  initial: initialTerminal,
  parseEvent: (value) => parse(terminalEventShape, value),
  parseState: (value) => parse(terminalStateShape, value),
  transition,
  transitionBy,
  locate(state, event) {
    if (dropReason(state, event) !== null) return null;
    return { row: rowOf(state, event), column: state.activity.type };
  },
  description,
};
