/** What the bare switch answers. */
import type { SessionEffect } from "../../../src/core/session/effects.js";
import type { SessionState } from "../../../src/core/session/state.js";

export interface Outcome {
  readonly state: SessionState;
  readonly effects: readonly SessionEffect[];
  readonly result: "ok" | "ignored";
}

/** A state under construction. */
export type Draft = { -readonly [K in keyof SessionState]: SessionState[K] };

/**
 * A copy of its own. Field by field, because V8 gives the result of every spread a hidden class of its own: a state
 * spread from a state spread from a state leaves the fast path, and costs more than ten times as much.
 */
export function copyOf(state: SessionState): Draft {
  return {
    status: state.status,
    phase: state.phase,
    run: state.run,
    alive: state.alive,
    seen: state.seen,
    asks: state.asks,
    closedAsks: state.closedAsks,
    answered: state.answered,
    asksClose: state.asksClose,
    prompt: state.prompt,
    queue: state.queue,
    delivering: state.delivering,
    returned: state.returned,
    addressee: state.addressee,
    agent: state.agent,
    certainty: state.certainty,
    unknownSinceMs: state.unknownSinceMs,
    unknownNotified: state.unknownNotified,
    ending: state.ending,
    tools: state.tools,
    background: state.background,
    retry: state.retry,
    streams: state.streams,
    autoApprove: state.autoApprove,
    interrupting: state.interrupting,
    stopRequested: state.stopRequested,
    onReady: state.onReady,
    harnessSessionId: state.harnessSessionId,
    error: state.error,
    readyTimer: state.readyTimer,
    settle: state.settle,
    interruptTimer: state.interruptTimer,
    timerCount: state.timerCount,
  };
}

export const NONE: readonly never[] = [];

export function ok(state: SessionState, effects: readonly SessionEffect[]): Outcome {
  return { state, effects, result: "ok" };
}

export function ignored(state: SessionState): Outcome {
  return { state, effects: NONE, result: "ignored" };
}
