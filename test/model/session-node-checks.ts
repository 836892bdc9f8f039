/** What must hold in every state of a session. */
import type { Check } from "./search.js";
import { agentOf, MESSAGES, type Agent, type Ghost } from "./session-ghost.js";
import { isHorizon, type Node } from "./session-moves.js";
import { deriveUi } from "../../src/core/session/derive-ui.js";
import {
  canHandOver,
  canRest,
  isApproval,
  isUnknown,
  isUsable,
  messageLine,
  type SessionState,
} from "../../src/core/session/state.js";

const TURN = ["streaming", "waiting_approval", "waiting_input"];

function agentNow(node: Node): Agent | undefined {
  return agentOf(node.ghost, node.state.run);
}

function unless(holds: boolean, message: string): string | null {
  return holds ? null : message;
}

/** Of a state alone, whatever the world around it. */
export const stateChecks: Readonly<Record<string, Check<Pick<Node, "state">>>> = {
  "a phase exactly while streaming": ({ state }) =>
    unless(
      (state.phase !== null) === (state.status === "streaming"),
      `${state.status}, ${String(state.phase)}`,
    ),

  "asks exactly while waiting": ({ state }) => unless(state.status === expectedByAsks(state), state.status),

  "an error exactly in error": ({ state }) =>
    unless((state.error !== null) === (state.status === "error"), JSON.stringify(state.error)),

  "what belongs to a status is there only in it": ({ state }) => misplaced(state),

  "no spinner while nobody knows": ({ state }) =>
    unless(!isUnknown(state) || !deriveUi(state).showSpinner, state.status),

  "nobody waits where nobody is": ({ state }) => {
    if (state.addressee === "conversation" || state.agent !== null) return null;
    return unless(messageLine(state).length === 0 && state.asks.length === 0, messageLine(state).join());
  },

  "no timer waits for an agent that is there": ({ state }) =>
    unless(state.agent === null || state.readyTimer === null, "ready"),

  "what nobody understands is an agent's that runs": ({ state }) => {
    if (!isUnknown(state)) return unless(state.unknownSinceMs === null && !state.unknownNotified, "known");
    return unless(isUsable(state) && state.status !== "idle", state.status);
  },

  "an ending only of a turn that is over": ({ state }) =>
    unless(state.ending === null || state.status === "completed", state.status),
};

/** Of a state in its world. */
export const nodeChecks: Readonly<Record<string, Check<Node>>> = {
  "alive is what the process is": (node) => {
    if (node.state.status === "idle" && node.state.run === 0) return null;
    const agent = agentNow(node);
    return unless(node.state.alive === (agent !== undefined && agent.life !== "over"), JSON.stringify(agent));
  },

  "a run that was told to stop is known to be": (node) => {
    const agent = agentNow(node);
    if (!agent || agent.life === "over") return null;
    return unless(agent.told === node.state.stopRequested, `told: ${agent.told}`);
  },

  "the timers in the state are the timers that run": ({ state, ghost }) => {
    const idleTimer = state.rest?.step === "waiting" ? state.rest.timerId : null;
    const checkpointTimer = state.checkpoint?.timerId;
    const named = [
      state.readyTimer,
      state.settle?.timerId,
      state.interruptTimer,
      idleTimer,
      checkpointTimer,
    ].filter((name) => name != null);
    return unless(named.sort().join() === [...ghost.timers].sort().join(), `${named} but ${ghost.timers}`);
  },

  "no spinner for ever": (node) => unless(!isStuck(node), "nothing can ever happen"),

  "who rests has nothing left to do, and can be resumed": (node) => {
    const { rest, status, background, asks, wallAsks, harnessSessionId, idleAfterMs } = node.state;
    if (rest === null) return null;
    const isAsked = asks.length > 0 || wallAsks.length > 0;
    const isDone = status === "completed" && messageLine(node.state).length === 0 && !isAsked;
    const agent = agentNow(node);
    const isQuiet = background === 0 && (agent?.background ?? 0) === 0;
    return unless(isDone && isQuiet && harnessSessionId !== null && idleAfterMs !== null, rest.step);
  },

  "rest is what the process is": ({ state }) => {
    switch (state.rest?.step) {
      case undefined:
        return null;
      case "waiting":
      case "checking":
        return unless(isUsable(state), "it cannot be used");
      case "ending":
        return unless(state.alive && state.stopRequested, "it was not told to end");
      case "resting":
        return unless(!state.alive, "it lives");
    }
  },

  "who is idle and can rest waits for it": ({ state }) =>
    unless(state.rest !== null || !canRest(state), "nobody counts the time"),

  "what the wall holds is asked, and nothing else, whatever the agent does": ({ state, ghost }) => {
    const held = ghost.held.filter((name) => name.startsWith(`${state.run}:`)).join();
    const shown = state.wallAsks.map(({ askId }) => `${state.run}:${askId}`).sort();
    const isShown = state.wallAsks.length === 0 || deriveUi(state).needsAttention;
    return unless(shown.join() === held && isShown, `${shown} but ${held}`);
  },
  "a checkpoint is waited for exactly while it is made": ({ state, ghost }) =>
    unless((state.checkpoint?.turn ?? null) === ghost.saving, JSON.stringify(state.checkpoint)),

  "no unseen ask, no ask that is not there": (node) => askFlaw(node),

  "an approval has a verdict to come or a person to see it": ({ state, ghost }) => {
    const lost = state.asks.find(
      (ask) => !ask.needsHuman && !ghost.checked.includes(`${state.run}:${ask.askId}`),
    );
    return lost ? `nobody knows of ${lost.askId}` : null;
  },

  "the agent in front is the one that is there": (node) => {
    const agent = agentNow(node);
    const isSeen = agent?.life === "up" && !agent.told;
    const front = isSeen ? (agent.front ?? null) : null;
    return unless((node.state.agent?.start ?? null) === front, JSON.stringify(node.state.agent));
  },

  "every message that waits is for the agent in front": ({ state, ghost }) => {
    const wrong = messageLine(state).find(
      (messageId) => ghost.messages[messageId]?.owner !== state.agent?.start,
    );
    return wrong === undefined ? null : `${wrong} is not for ${String(state.agent?.start)}`;
  },

  "what came back is kept for the person": ({ state, ghost }) => {
    const lost = MESSAGES.find(
      (messageId) => (ghost.messages[messageId]?.fate === "back") !== state.returned.includes(messageId),
    );
    return lost ?? null;
  },

  "no message lost, none twice": (node) => messageFlaw(node),

  "messages keep their order": ({ state, ghost }) => {
    const line = messageLine(state).filter((messageId) => ghost.messages[messageId]?.returned === false);
    return unless([...line].sort().join() === line.join(), line.join());
  },
};

function expectedByAsks(state: SessionState): string {
  const waiting = state.status === "waiting_approval" || state.status === "waiting_input";
  if (state.asks.some(isApproval)) return "waiting_approval";
  if (state.asks.length > 0) return "waiting_input";
  return waiting ? "not waiting" : state.status;
}

function misplaced(state: SessionState): string | null {
  const { status } = state;
  const inTurn = TURN.includes(status);
  if (state.interrupting && !inTurn) return "interrupting outside a turn";
  if (state.interrupting !== (state.interruptTimer !== null)) return "interrupting without its timer";
  if (state.onReady !== null && status !== "streaming") return "onReady outside streaming";
  if (state.readyTimer !== null && status !== "creating" && status !== "streaming") return "ready timer";
  if (state.retry !== null && status !== "streaming") return "retry outside streaming";
  if (state.settle !== null && (status === "idle" || status === "stopped")) return "settle";
  if (state.queue.length > 0 && status === "completed" && canHandOver(state)) return "a queue in completed";
  if (state.delivering !== null && status !== "streaming" && isUsable(state))
    return "delivering outside streaming";
  if (state.prompt !== null && status !== "creating" && isUsable(state)) return "prompt outside creating";
  const isEnding = state.alive && state.stopRequested && state.rest?.step !== "ending";
  if (isEnding && status !== "stopped" && status !== "error") return "stopRequested";
  return null;
}

const spinners = new WeakMap<SessionState, boolean>();

/** Of a state alone: asked once for each, and not in every world around it. */
function hasSpinner(state: SessionState): boolean {
  const known = spinners.get(state);
  if (known !== undefined) return known;
  const { showSpinner } = deriveUi(state);
  spinners.set(state, showSpinner);
  return showSpinner;
}

/** A spinner, and neither the agent, nor a timer, nor the driver has anything left to do. */
function isStuck(node: Node): boolean {
  const { state, ghost } = node;
  if (!hasSpinner(state)) return false;
  const agent = agentNow(node);
  if (!agent || agent.life === "over") return true;
  if (agent.busy || agent.life === "held" || ghost.timers.length > 0) return false;
  return !agent.announces && ghost.handovers.length === 0;
}

function askFlaw(node: Node): string | null {
  const { state, ghost } = node;
  const agent = agentNow(node);
  if (agent?.life !== "up" || !isUsable(state) || state.status === "idle") return null;
  const unseen = agent.open.find(
    (askId) =>
      !state.asks.some((ask) => ask.askId === askId) && !ghost.finished.includes(`${agent.run}:${askId}`),
  );
  if (unseen !== undefined) return `${unseen} is not shown`;
  const phantom = state.asks.find(
    ({ askId }) => !agent.open.includes(askId) && !(askId === "a2" && agent.partial),
  );
  return phantom ? `${phantom.askId} is shown but not asked` : null;
}

function messageFlaw(node: Node): string | null {
  if (isHorizon(node)) return null;
  const { state, ghost } = node;
  const line = messageLine(state);
  for (const messageId of MESSAGES) {
    const times = line.filter((other) => other === messageId).length;
    const flaw = fateFlaw(ghost, messageId, times);
    if (flaw) return `${messageId} is ${ghost.messages[messageId]?.fate}, ${flaw} (${line})`;
  }
  return null;
}

function fateFlaw(ghost: Ghost, messageId: string, times: number): string | null {
  switch (ghost.messages[messageId]?.fate) {
    case "line":
    case "out":
      return unless(times === 1, `but ${times} times in the line`);
    case "new":
    case "reply":
    case "taken":
    case "back":
    case undefined:
      return unless(times === 0, "but in the line");
  }
}
