/**
 * Who gets the message.
 *
 * A seat is a session in which an agent really runs, or could. Exactly one running agent is connected: it gets the
 * messages that name no seat. The last one started, or chosen by a person, is connected; when it ends, the most recently
 * started of the others takes its place. Only evidence ends an agent: nothing that is typed does.
 */
import { parse } from "../schema.js";
import type { Step } from "../step.js";
import { compile, describe, type Cell, type Machine, type TableNames } from "../table.js";
import type { RosterEffect, RosterRefusalCode } from "./effects.js";
import { ROSTER_REQUESTS, rosterEventShape, type RosterEvent } from "./events.js";
import { ROSTER_RULES } from "./rules.js";
import { columnOf, EMPTY_ROSTER, ROSTER_COLUMNS, rosterStateShape, type RosterState } from "./state.js";
import { ROSTER_TABLE } from "./table.js";

type RosterStep = Step<RosterState, RosterEffect, RosterRefusalCode>;

function transitionBy(table: TableNames): (state: RosterState, event: RosterEvent) => RosterStep {
  const compiled = compile<RosterState, RosterEvent, RosterEffect, RosterRefusalCode>(table, ROSTER_RULES);
  return (state, event) => {
    const column = columnOf(state, event.seat);
    const apply = compiled.get(event.type)?.[ROSTER_COLUMNS.indexOf(column)];
    if (!apply) throw new Error(`no rule for ${event.type} / ${column}`);
    return apply(state, event);
  };
}

function locate(state: RosterState, event: RosterEvent): Cell {
  return { row: event.type, column: columnOf(state, event.seat) };
}

export const transition = transitionBy(ROSTER_TABLE);

export const rosterMachine: Machine<RosterState, RosterEvent, RosterEffect, RosterRefusalCode> = {
  name: "roster",
  initial: EMPTY_ROSTER,
  parseEvent: (value) => parse(rosterEventShape, value),
  parseState: (value) => parse(rosterStateShape, value),
  transition,
  transitionBy,
  locate,
  description: describe("roster", ROSTER_COLUMNS, [], ROSTER_TABLE, ROSTER_RULES, (row) =>
    row in ROSTER_REQUESTS ? "request" : "fact",
  ),
};
