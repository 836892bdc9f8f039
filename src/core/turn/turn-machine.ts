/**
 * The built-in agent's conversation turn.
 *
 * A message starts a stream of the model. The stream's tool calls are checked, run and resolved beside it; when the
 * stream is done and every call has its result, another stream shows the model the results, until a stream calls no tool:
 * then the turn is over and the next message of the queue has its turn. Whatever ends a turn, no call is left without a
 * result, because the model refuses a conversation with an open call.
 */
import { parse } from "../schema.js";
import { ignored } from "../step.js";
import { compile, describe, type Machine, type TableNames } from "../table.js";
import type { TurnStep } from "./change.js";
import type { TurnEffect, TurnRefusalCode } from "./effects.js";
import { TURN_REQUESTS, isStreamFact, turnEventShape, type TurnEvent } from "./events.js";
import { TURN_COLUMNS, columnOf, initialTurn, turnStateShape, type TurnState } from "./state.js";
import { TURN_RULES, TURN_TABLE } from "./table.js";

const GATES = [
  "A stream fact with the id of another stream is stale: ignored.",
  "A stream fact that comes before the first stream of a new session belongs to the archived one: ignored.",
] as const;

/** Why a fact is dropped before the table is asked, or null. */
function staleReason(state: TurnState, event: TurnEvent): string | null {
  if (!isStreamFact(event)) return null;
  if (event.streamId !== undefined && event.streamId !== state.streamId) return "another stream";
  return state.archivedStreamId === state.streamId ? "a stream of the archived conversation" : null;
}

function transitionBy(table: TableNames): (state: TurnState, event: TurnEvent) => TurnStep {
  const compiled = compile<TurnState, TurnEvent, TurnEffect, TurnRefusalCode>(table, TURN_RULES);
  return (state, event) => {
    const stale = staleReason(state, event);
    if (stale !== null) return ignored(state, stale);
    const column = columnOf(state);
    const apply = compiled.get(event.type)?.[TURN_COLUMNS.indexOf(column)];
    if (!apply) throw new Error(`the table has no cell for ${event.type} / ${column}`);
    return apply(state, event);
  };
}

/** Pure: the same state and event always give the same step, and neither is changed. */
export const transition = transitionBy(TURN_TABLE);

export const turnMachine: Machine<TurnState, TurnEvent, TurnEffect, TurnRefusalCode> = {
  name: "turn",
  initial: initialTurn,
  parseEvent: (value) => parse(turnEventShape, value),
  parseState: (value) => parse(turnStateShape, value),
  transition,
  transitionBy,
  locate(state, event) {
    return staleReason(state, event) === null ? { row: event.type, column: columnOf(state) } : null;
  },
  description: describe("turn", TURN_COLUMNS, GATES, TURN_TABLE, TURN_RULES, (row) =>
    Object.hasOwn(TURN_REQUESTS, row) ? "request" : "fact",
  ),
};
