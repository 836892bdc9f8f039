/**
 * The workspace machine: one per workspace.
 *
 * What an agent makes is a person's work from the moment that it is on the disk. So nothing here throws any of it away, or
 * changes the original repository, by guess: a removal needs the very observation that a person confirmed; the base moves
 * only from the commit that was observed; every step can be done again after a crash, and until the original is being
 * changed every step can be taken back.
 */
import { parse, type Parsed } from "../schema.js";
import { ignored } from "../step.js";
import { compile, describe, type Machine, type TableNames } from "../table.js";
import type { WorkspaceEffect, WorkspaceRefusalCode } from "./effects.js";
import { WORKSPACE_REQUESTS, workspaceEventShape, type WorkspaceEvent } from "./events.js";
import { WORKSPACE_RULES } from "./rules.js";
import { INITIAL_WORKSPACE, WORKSPACE_STATUSES, workspaceStateShape, type WorkspaceState } from "./state.js";
import type { WorkspaceStep } from "./steps.js";
import { WORKSPACE_TABLE } from "./table.js";

/** Why an event is dropped before the table is asked; null: it is not. */
function dropReason(state: WorkspaceState, event: WorkspaceEvent): string | null {
  return "op" in event && event.op !== state.op ? "stale_step" : null;
}

function transitionBy(table: TableNames): (state: WorkspaceState, event: WorkspaceEvent) => WorkspaceStep {
  const compiled = compile<WorkspaceState, WorkspaceEvent, WorkspaceEffect, WorkspaceRefusalCode>(
    table,
    WORKSPACE_RULES,
  );
  return (state, event) => {
    const reason = dropReason(state, event);
    if (reason !== null) return ignored(state, reason);
    const apply = compiled.get(event.type)?.[WORKSPACE_STATUSES.indexOf(state.status)];
    if (!apply) throw new Error(`no rule for ${event.type} / ${state.status}`);
    return apply(state, event);
  };
}

export const transition = transitionBy(WORKSPACE_TABLE);

/** Something is under way exactly while it is finishing or conflicted; what has no place is not made yet. */
function parseState(value: unknown): Parsed<WorkspaceState> {
  const parsed = parse(workspaceStateShape, value);
  if (!parsed.ok) return parsed;
  const { status, finish, path, branch, base } = parsed.value;
  const isUnderWay = status === "finishing" || status === "conflicted";
  if (isUnderWay !== (finish !== null))
    return { ok: false, flaw: { path: "finish", expected: isUnderWay ? "an object" : "null" } };
  const hasPlace = path !== null && branch !== null && base !== null;
  if (status !== "none" && !hasPlace)
    return { ok: false, flaw: { path: "path", expected: "a path, a branch and a base" } };
  return parsed;
}

export const workspaceMachine: Machine<
  WorkspaceState,
  WorkspaceEvent,
  WorkspaceEffect,
  WorkspaceRefusalCode
> = {
  name: "workspace",
  initial: INITIAL_WORKSPACE,
  parseEvent: (value) => parse(workspaceEventShape, value),
  parseState,
  transition,
  transitionBy,
  locate: (state, event) =>
    dropReason(state, event) === null ? { row: event.type, column: state.status } : null,
  description: describe(
    "workspace",
    WORKSPACE_STATUSES,
    ["a report on a step that is not the newest is ignored (`stale_step`)"],
    WORKSPACE_TABLE,
    WORKSPACE_RULES,
    (row) => (row in WORKSPACE_REQUESTS ? "request" : "fact"),
  ),
};
