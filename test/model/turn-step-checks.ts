/** What must hold in every step of a turn. */
import type { Check } from "./search.js";
import { expectedResult } from "./turn-expected.js";
import type { TurnAnswered, TurnTaken } from "./turn-model.js";
import type { TurnEffect } from "../../src/core/turn/effects.js";
import { columnOf, isUnresolved, toolOf } from "../../src/core/turn/state.js";
import { turnMachine } from "../../src/core/turn/turn-machine.js";

/** Where each cell says that it can lead. */
const TARGETS: ReadonlyMap<string, readonly string[]> = new Map(
  turnMachine.description.rows.flatMap((row) =>
    Object.entries(row.cells).map(([column, cell]) => [`${row.event} / ${column}`, cell.to] as const),
  ),
);

/** Of an answer alone, whatever the world around it. */
export const answerChecks: Readonly<Record<string, Check<TurnAnswered>>> = {
  "the table leads where it says": ({ before, event, after }) => {
    const cell = turnMachine.locate(before.state, event);
    const to = cell ? TARGETS.get(`${cell.row} / ${cell.column}`) : [columnOf(before.state)];
    const column = columnOf(after.state);
    return to?.includes(column) ? null : `${column}, not ${to?.join(" or ")}`;
  },

  "only what is ok has effects": ({ step }) =>
    step.result === "ok" || step.effects.length === 0 ? null : `${step.result} with effects`,

  "a resolved tool stays as it was resolved": ({ before, after }) => {
    const changed = before.state.tools.find((tool) => {
      const later = toolOf(after.state, tool.id);
      return !isUnresolved(tool) && later !== undefined && later.state !== tool.state;
    });
    return changed ? changed.id : null;
  },

  "a known exit code stays": ({ before, after }) => {
    const changed = before.state.tools.find((tool) => {
      const later = toolOf(after.state, tool.id)?.preview?.["exitCode"];
      const known = tool.preview?.["exitCode"];
      if (!toolOf(after.state, tool.id)) return false;
      return known === undefined ? !isUnresolved(tool) && later !== undefined : later !== known;
    });
    return changed ? changed.id : null;
  },

  "a stream is counted: from 0 for a new turn, as one more for a continuation": ({
    before,
    event,
    after,
    step,
  }) => {
    const starts = step.effects.filter((effect) => effect.type === "start_stream").length;
    if (after.state.streamId !== before.state.streamId + starts || starts > 1) return `${starts} streams`;
    if (starts === 0 || event.type === "retry") return null;
    const isNewTurn = step.effects.some(isTurnStart);
    const expected = isNewTurn ? 0 : before.state.continuations + 1;
    return after.state.continuations === expected ? null : `${after.state.continuations}, not ${expected}`;
  },

  "timeouts have new ids": ({ before, after, step }) => {
    const ids = step.effects.flatMap((effect) =>
      effect.type === "schedule_timeout" ? [effect.timeoutId] : [],
    );
    const expected = ids.map((_, index) => before.state.nextTimeoutId + index);
    if (ids.join() !== expected.join()) return `ids ${ids.join()}`;
    return after.state.nextTimeoutId === before.state.nextTimeoutId + ids.length
      ? null
      : "the counter is wrong";
  },

  "whoever comes while nothing runs starts a turn": ({ event, after }) => {
    if (event.type !== "user_submit" && event.type !== "skill_loaded") return null;
    return after.state.mode.type === "turn" ? null : `left lying in ${after.state.mode.type}`;
  },

  "a cancel leaves only when there is nothing to cancel": ({ before, event, step }) => {
    if (event.type !== "cancel") return null;
    const { mode } = before.state;
    const isAtRest = mode.type === "error" || (mode.type === "idle" && mode.confirmation === null);
    return isAtRest === has(step.effects, "exit_app") ? null : `exit_app, but ${mode.type}`;
  },

  "a command is run, or must be confirmed once": ({ before, event, step }) => {
    const { mode } = before.state;
    if (event.type !== "execute_command" || mode.type !== "idle") return null;
    const types = step.effects.map((effect) => effect.type).join();
    return types === "exit_app" || (types === "schedule_timeout" && mode.confirmation === null)
      ? null
      : types;
  },

  "a confirmation that is cancelled leaves nothing to do": ({ before, event, step }) => {
    const { mode } = before.state;
    const isConfirming = mode.type === "idle" && mode.confirmation !== null;
    return event.type === "cancel" && isConfirming && step.effects.length > 0 ? "it does something" : null;
  },

  "a dangerous command is run only when it was confirmed": ({ before, step }) => {
    const { mode, suggestion } = before.state;
    for (const effect of step.effects) {
      if (effect.type !== "exit_app" || effect.action.type === "cancel") continue;
      if (effect.action.command !== suggestion?.command) return "a command that was not suggested";
      const confirmed = mode.type === "idle" && mode.confirmation?.command === effect.action.command;
      if (effect.action.type === "execute" && suggestion.danger !== "low" && !confirmed)
        return "not confirmed";
    }
    return null;
  },
};

/** Of a step in its world. */
export const stepChecks: Readonly<Record<string, Check<TurnTaken>>> = {
  "what makes sense is done, and nothing else": ({ before, event, step }) => {
    const expected = expectedResult(before, event);
    return step.result === expected ? null : `${step.result}, not ${expected}`;
  },

  "what ends a turn is persisted, and last": ({ before, after, step }) => {
    const ends = before.ghost.inTurn && (!after.ghost.inTurn || has(step.effects, "turn_ended"));
    if (!ends) return null;
    const persist = step.effects.findIndex((effect) => effect.type === "persist");
    const rest = step.effects.slice(persist + 1).map((effect) => effect.type);
    if (persist < 0) return "it is not persisted";
    const expected = rest[0] === "turn_ended" ? rest.slice(1) : rest;
    return expected.length === 0 || expected.join() === "append,start_stream" ? null : rest.join();
  },
};

function has(effects: readonly TurnEffect[], type: TurnEffect["type"]): boolean {
  return effects.some((effect) => effect.type === type);
}

function isTurnStart(effect: TurnEffect): boolean {
  return (
    effect.type === "append" &&
    (effect.entry.type === "user_message" || effect.entry.type === "skill_invocation")
  );
}
