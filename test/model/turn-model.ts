/** The turn machine in its world, and what must always hold there. */
import type { Answered, Goal, Model, Node as AnyNode, Taken as AnyTaken } from "./search.js";
import { newGhost, type Ghost } from "./turn-ghost.js";
import { CONFIG, movesFrom, type TurnNode } from "./turn-moves.js";
import { nodeChecks, stateChecks } from "./turn-node-checks.js";
import { answerChecks, stepChecks } from "./turn-step-checks.js";
import type { TurnEffect } from "../../src/core/turn/effects.js";
import type { TurnEvent } from "../../src/core/turn/events.js";
import { initialTurn, type TurnState } from "../../src/core/turn/state.js";
import { turnMachine } from "../../src/core/turn/turn-machine.js";
import type { Step } from "../../src/core/step.js";

export type TurnTaken = AnyTaken<TurnState, TurnEvent, TurnEffect, Ghost>;
export type TurnAnswered = Answered<TurnState, TurnEvent, TurnEffect>;
export type TurnModel = Model<TurnState, TurnEvent, TurnEffect, Ghost>;

/** Small worlds that each look closely at a few things; all of them are searched at once. */
const WORLDS: readonly Ghost[] = [
  // Two tools beside each other, a second message waiting.
  newGhost(["m1", "m2"], { calls: ["read", "shell"], errors: 1, noise: false }),
  // Calls that are not ours to run.
  newGhost(["m1", "m2"], { calls: ["read", "remote", "risky"], errors: 1, statuses: true }),
  // Calls that cannot run, and a skill.
  newGhost(["m1"], { calls: ["unknown", "invalid", "incapable"], errors: 1 }, "new"),
  // A skill between messages, a tool that runs.
  newGhost(["m1", "m2"], { calls: ["shell"], errors: 1 }, "new"),
  // Suggestions, confirmations and a new session.
  newGhost(["m1", "m2"], { calls: ["safe", "risky", "read"], sessions: 1 }),
  // What a tool shows while it runs and after.
  newGhost(["m1"], { calls: ["shell"], errors: 1, previews: true }),
  // A skill, a new session and an error beside a confirmation.
  newGhost(["m1"], { calls: ["risky", "unknown"], errors: 1, sessions: 1, previews: true }, "new"),
];

export function turnModel(
  transition: (state: TurnState, event: TurnEvent) => Step<TurnState, TurnEffect> = turnMachine.transition,
): TurnModel {
  const state = { ...initialTurn, config: CONFIG };
  return {
    name: "turn",
    initial: WORLDS.map((ghost) => ({ state, ghost })),
    transition,
    cell(from, event) {
      const cell = turnMachine.locate(from, event);
      return cell && `${cell.row} / ${cell.column}`;
    },
    moves: movesFrom,
    stateChecks,
    answerChecks,
    nodeChecks,
    stepChecks,
    goals,
  };
}

type TurnGoal = Goal<TurnState, TurnEvent, Ghost>;

const isIdle = ({ state }: AnyNode<TurnState, Ghost>): boolean => state.mode.type === "idle";
const isInTurn = ({ state }: TurnNode): boolean => state.mode.type === "turn";

const goals: readonly TurnGoal[] = [
  { name: "idle can always be reached", from: () => true, to: isIdle },
  {
    name: "one cancel ends any turn",
    from: isInTurn,
    to: isIdle,
    by: (event) => event.type === "cancel",
  },
  {
    name: "a turn can end without a cancel",
    from: isInTurn,
    to: isIdle,
    by: (event) => event.type !== "cancel",
  },
  {
    name: "a turn in which nobody is asked needs nobody to leave it",
    from: (node) => isInTurn(node) && node.ghost.asks.length === 0,
    to: (node) => !isInTurn(node),
    by: (event) => event.type.startsWith("stream_") || DRIVER_ANSWERS.has(event.type),
  },
];

const DRIVER_ANSWERS: ReadonlySet<string> = new Set(["permission_resolved", "tool_execution_done"]);
