/** The session machine in its world, and what must always hold there. */
import type { Answered as AnyAnswered, Goal, Model, Node as AnyNode, Taken as AnyTaken } from "./search.js";
import { agentOf, initialGhost, toldBy, type Agent, type Budget, type Ghost } from "./session-ghost.js";
import { AGENTS, isHorizon, lookAt, movesFrom, type Node } from "./session-moves.js";
import { nodeChecks, stateChecks } from "./session-node-checks.js";
import { answerChecks, stepChecks } from "./session-step-checks.js";
import type { SessionEffect } from "../../src/core/session/effects.js";
import { isRequest, type SessionEvent } from "../../src/core/session/events.js";
import { sessionMachine } from "../../src/core/session/session-machine.js";
import { isUsable, type SessionState } from "../../src/core/session/state.js";
import type { Step } from "../../src/core/step.js";

export type Taken = AnyTaken<SessionState, SessionEvent, SessionEffect, Ghost>;
export type Answered = AnyAnswered<SessionState, SessionEvent, SessionEffect>;
export type SessionModel = Model<SessionState, SessionEvent, SessionEffect, Ghost>;

/** An agent that was there before us. */
const stranger: Agent = {
  run: 1,
  life: "up",
  told: false,
  ready: true,
  busy: true,
  shown: false,
  acted: true,
  byFact: false,
  announces: false,
  open: [],
  used: [],
  partial: false,
  seq: 0,
  turns: 0,
};

/** Parts of the world, each small enough to be searched to its end. */
// prettier-ignore
export const SCOPES = {
  everything: { runs: 2, turns: 1, asks: 2, approvals: 1, messages: 2, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0 },
  messages:   { runs: 2, turns: 2, asks: 0, approvals: 0, messages: 2, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 1, lateAnswers: 1 },
  restarts:   { runs: 2, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 2, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 1, lateAnswers: 1 },
  interrupts: { runs: 1, turns: 1, asks: 2, approvals: 1, messages: 0, starts: 1, interrupts: 1, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 1 },
  questions:  { runs: 1, turns: 1, asks: 2, approvals: 1, messages: 1, starts: 1, interrupts: 0, partials: 1, autos: 0, work: 0, accidents: 0, lateAnswers: 0 },
  replies:    { runs: 1, turns: 1, asks: 2, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 1, autos: 0, work: 0, accidents: 0, lateAnswers: 1 },
  approvals:  { runs: 1, turns: 1, asks: 2, approvals: 2, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 1, work: 0, accidents: 0, lateAnswers: 0 },
  work:       { runs: 1, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 1, partials: 0, autos: 0, work: 1, accidents: 1, lateAnswers: 1 },
  // Agents that are ended while they are idle, and resumed.
  rests:      { runs: 2, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, idles: 1, backgrounds: 1 },
  restsAsked: { runs: 1, turns: 1, asks: 1, approvals: 1, messages: 1, starts: 1, interrupts: 0, partials: 1, autos: 0, work: 0, accidents: 0, lateAnswers: 0, idles: 1, backgrounds: 0 },
  // The files are kept at the end of every turn.
  checkpoints:{ runs: 2, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, unsaved: 0 },
  checkpointAnew:  { runs: 2, turns: 1, asks: 0, approvals: 0, messages: 0, starts: 2, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, unsaved: 1 },
  checkpointLine:  { runs: 1, turns: 2, asks: 0, approvals: 0, messages: 2, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, unsaved: 0 },
  checkpointAsked: { runs: 1, turns: 1, asks: 1, approvals: 1, messages: 1, starts: 1, interrupts: 0, partials: 1, autos: 0, work: 0, accidents: 0, lateAnswers: 0, unsaved: 0 },
  checkpointShell: { runs: 1, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, shell: 1, agents: 1, doubts: 0, unsaved: 0 },
  // A terminal with a program of its own, whose screen is not always understood.
  unknown:    { runs: 1, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 1, autos: 0, work: 0, accidents: 0, lateAnswers: 0, doubts: 2 },
  unknownLine:{ runs: 1, turns: 1, asks: 0, approvals: 0, messages: 2, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, doubts: 1 },
  // A terminal that is started as a shell, in which agents come and go.
  shell:      { runs: 1, turns: 1, asks: 1, approvals: 1, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, shell: 1, agents: AGENTS, doubts: 0 },
  shellLine:  { runs: 1, turns: 1, asks: 0, approvals: 0, messages: 2, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, shell: 1, agents: AGENTS, doubts: 0 },
  shellAgain: { runs: 2, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 1, lateAnswers: 0, shell: 1, agents: 1, doubts: 0 },
  shellReply: { runs: 1, turns: 1, asks: 1, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 1, shell: 1, agents: AGENTS, doubts: 0 },
  // Hosts that the wall around a run does not list.
  walled:     { runs: 1, turns: 1, asks: 2, approvals: 1, messages: 0, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, walls: 1 },
  walledTwice:{ runs: 2, turns: 1, asks: 0, approvals: 0, messages: 0, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, walls: 2 },
  walledRest: { runs: 1, turns: 1, asks: 0, approvals: 0, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 0, lateAnswers: 0, idles: 1, walls: 1 },
  walledShell:{ runs: 1, turns: 1, asks: 0, approvals: 0, messages: 0, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 1, lateAnswers: 0, shell: 1, agents: 1, doubts: 0, walls: 1 },
  stranger:   { runs: 1, turns: 1, asks: 1, approvals: 1, messages: 1, starts: 1, interrupts: 0, partials: 0, autos: 0, work: 0, accidents: 1, lateAnswers: 1 },
} as const satisfies Record<string, Budget>;
export type Scope = keyof typeof SCOPES;

export function sessionModel(
  asksClose: "implicit" | "explicit",
  scope: Scope,
  transition: (
    state: SessionState,
    event: SessionEvent,
  ) => Step<SessionState, SessionEffect> = sessionMachine.transition,
): SessionModel {
  const initial = { ...sessionMachine.initial, asksClose };
  const world = initialGhost(SCOPES[scope]);
  const ghost = scope === "stranger" ? { ...world, agents: [stranger] } : world;
  return {
    name: `session (${scope}, asks close ${asksClose}ly)`,
    initial: [{ state: initial, ghost }],
    transition,
    cell(state, event) {
      const cell = sessionMachine.locate(state, event);
      return cell && `${cell.row} / ${cell.column}`;
    },
    moves: ({ state, ghost: around }, isProbing) =>
      movesFrom({ look: lookAt(state), ghost: around }, asksClose, isProbing),
    parts: { state: lookAt, step: toldBy },
    stateChecks,
    answerChecks,
    nodeChecks,
    stepChecks,
    goals,
  };
}

type SessionGoal = Goal<SessionState, SessionEvent, Ghost>;

const isKnown = (node: Node): boolean =>
  !isHorizon(node) && (node.state.status !== "idle" || node.state.alive);

const goals: readonly SessionGoal[] = [
  {
    name: "a person alone can always stop it",
    from: isKnown,
    to: (node) => node.state.status === "stopped" || isHorizon(node),
    by: isRequest,
  },
  {
    name: "a person alone can always set it going again",
    from: (node) => !isHorizon(node) && node.state.status === "stopped",
    to: (node) => node.state.status === "streaming" || isHorizon(node),
    by: isRequest,
  },
  {
    name: "a waiting message is delivered by some continuation",
    from: (node) => isKnown(node) && Object.values(node.ghost.messages).some(({ fate }) => fate === "line"),
    to: (node) => isHorizon(node) || Object.values(node.ghost.messages).every(({ fate }) => fate !== "line"),
  },
  {
    name: "a usable run's turn can end by itself",
    from: (node) => isKnown(node) && node.state.status === "streaming" && isUsable(node.state),
    to: (node) => node.state.status !== "streaming" || isHorizon(node),
    by: (event) => !isRequest(event),
  },
];

/** The agent of the session's current run. */
export function currentAgent(node: AnyNode<SessionState, Ghost>): Agent | undefined {
  return agentOf(node.ghost, node.state.run);
}
