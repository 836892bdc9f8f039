/** What must hold in every state of a turn and its world. */
import type { Check } from "./search.js";
import type { TurnNode } from "./turn-moves.js";
import { hasPendingCalls, isUnresolved, turnStateShape, type Tool } from "../../src/core/turn/state.js";
import { describeFlaw, parse } from "../../src/core/schema.js";

/** More than these worlds can need: each message, error and tool call allows one more stream. */
const STREAMS_MAX = 8;
const TIMEOUTS_MAX = 4;

/** Of a state alone, whatever the world around it. */
export const stateChecks: Readonly<Record<string, Check<Pick<TurnNode, "state">>>> = {
  "the state has its shape": ({ state }) => {
    const parsed = parse(turnStateShape, state);
    return parsed.ok ? null : describeFlaw(parsed.flaw);
  },

  "outside a turn nothing is open": ({ state }) => {
    if (state.mode.type === "turn") return null;
    if (hasPendingCalls(state)) return "a call has no result";
    if (state.text !== "") return "text was not appended";
    return state.turnToolIds.length === 0 ? null : "tools of a turn that is over";
  },

  "idle means that nothing waits": ({ state }) =>
    state.mode.type === "idle" && state.queue.length > 0 ? "the queue is not empty" : null,

  "only a stream has a status": ({ state }) =>
    state.mode.type === "turn" && state.mode.stream !== "streaming" && state.mode.status !== null
      ? state.mode.status
      : null,

  "done waits for a tool": ({ state }) =>
    state.mode.type === "turn" && state.mode.stream === "done" && !state.tools.some(isUnresolved)
      ? "a spinner for ever"
      : null,

  "a tool that may time out has a timeout while it runs": ({ state }) =>
    state.tools.some(
      (tool) => tool.name === "shell" && tool.state === "executing" && tool.timeoutId === undefined,
    )
      ? "it may run for ever"
      : null,

  "only queued messages have their text kept": ({ state }) => {
    const texts = Object.keys(state.queuedTexts).join();
    const queued = state.queue.filter((item) => typeof item === "string").join();
    return texts === queued ? null : texts;
  },

  "nothing goes on for ever": ({ state }) =>
    state.streamId > STREAMS_MAX || state.nextTimeoutId > TIMEOUTS_MAX
      ? "streams or timeouts without end"
      : null,

  "continuations are bounded": ({ state }) =>
    state.continuations <= state.config.maxContinuations ? null : `${state.continuations}`,
};

/** Of a state in its world. */
export const nodeChecks: Readonly<Record<string, Check<TurnNode>>> = {
  "no promise is broken": ({ ghost }) => ghost.fault,

  "the mode says whether a turn runs": ({ state, ghost }) =>
    (state.mode.type === "turn") === ghost.inTurn ? null : `${state.mode.type}, but turn ${ghost.inTurn}`,

  "connecting and streaming mean that a stream talks": ({ state, ghost }) => {
    const isOpen = state.mode.type === "turn" && state.mode.stream !== "done";
    return ghost.live === (isOpen ? state.streamId : 0) ? null : `live ${ghost.live}`;
  },

  "every unresolved tool waits for someone": ({ state, ghost }) => {
    const waits: Readonly<Record<Tool["state"], readonly string[] | null>> = {
      checking_permission: ghost.checks,
      awaiting_permission: ghost.asks,
      executing: ghost.running,
      completed: null,
      denied: null,
    };
    const stuck = state.tools.find((tool) => waits[tool.state]?.includes(tool.id) === false);
    return stuck ? `${stuck.id} is ${stuck.state}` : null;
  },

  "every call and its result is known": ({ state, ghost }) => {
    const calls = [...state.tools.map(({ id }) => id), ...state.foreignCalls.map(({ id }) => id)];
    if (calls.toSorted().join() !== Object.keys(ghost.results).toSorted().join()) return calls.join();
    const open = [
      ...state.tools.filter(isUnresolved).map(({ id }) => id),
      ...state.foreignCalls.filter((call) => call.open).map(({ id }) => id),
    ];
    const withoutResult = Object.keys(ghost.results).filter((id) => ghost.results[id] === 0);
    return open.toSorted().join() === withoutResult.toSorted().join() ? null : `open: ${open.join()}`;
  },

  "the queue holds what arrived, in order": ({ state, ghost }) => {
    const queue = state.queue.map((queued) => (typeof queued === "string" ? queued : queued.name));
    return queue.join() === ghost.arrived.join() ? null : `${queue.join()}, not ${ghost.arrived.join()}`;
  },

  "unsaid text is kept": ({ state, ghost }) => (state.text === ghost.unsaid ? null : state.text),

  "the session's id is of this conversation": ({ state, ghost }) =>
    state.sessionId === null || state.sessionId === `c${ghost.conversation}` ? null : state.sessionId,

  "a new conversation begins with nothing": ({ state, ghost }) =>
    ghost.streamConversation === ghost.conversation || state.suggestion === null ? null : "an old suggestion",
};
