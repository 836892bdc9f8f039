/** The session machine: one per session, whatever agent runs in it. */
import { parse } from "../schema.js";
import { ignored } from "../step.js";
import { compile, type Compiled, type Machine, type TableNames } from "../table.js";
import type { SessionStep } from "./change.js";
import type { RefusalCode, SessionEffect } from "./effects.js";
import { isRequest, parseSessionEvent, type SessionEvent } from "./events.js";
import { dropReason } from "./gates.js";
import { STATUSES, initialSession, sessionStateShape, type SessionState, type Status } from "./state.js";
import { RULES, TABLE, description, rowOf } from "./table.js";

type SessionRules = Compiled<SessionState, SessionEvent, SessionEffect, RefusalCode>;

const COLUMN: Readonly<Record<Status, number>> = Object.fromEntries(
  STATUSES.map((status, index) => [status, index]),
) as Record<Status, number>;

function transitionBy(table: TableNames): (state: SessionState, event: SessionEvent) => SessionStep {
  const rules: SessionRules = compile(table, RULES);
  return (state, event) => {
    if (!isRequest(event)) {
      const reason = dropReason(state, event);
      if (reason !== null) return ignored(state, reason);
    }
    const apply = rules.get(rowOf(state, event))?.[COLUMN[state.status]];
    if (!apply) throw new Error(`the table has no cell for ${event.type} in ${state.status}`);
    return apply(state, event);
  };
}

/** Pure: the same state and event always give the same step, and neither is changed. */
export const transition = transitionBy(TABLE);

export const sessionMachine: Machine<SessionState, SessionEvent, SessionEffect, RefusalCode> = {
  name: "session",
  initial: initialSession,
  parseEvent: parseSessionEvent,
  parseState: (value) => parse(sessionStateShape, value),
  transition,
  transitionBy,
  locate(state, event) {
    if (!isRequest(event) && dropReason(state, event) !== null) return null;
    return { row: rowOf(state, event), column: state.status };
  },
  description,
};
