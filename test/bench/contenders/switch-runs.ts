/** The bare switch's own code for how runs and turns begin and end. */
import type { SessionEffect } from "../../../src/core/session/effects.js";
import type { EventOf } from "../../../src/core/session/events.js";
import type { SessionError, SessionState } from "../../../src/core/session/state.js";
import {
  FRESH_RUN,
  allCancelled,
  changed,
  failed,
  harnessFailed,
  idsOf,
  interruptStarted,
  messageLine,
  readyStarted,
  remembered,
  rememberedAll,
  requestFailed,
  voided,
} from "./pieces.js";
import { NONE, copyOf, ignored, ok, type Draft, type Outcome } from "./switch-outcome.js";

export function started(state: SessionState, event: EventOf<"start_session">): Outcome {
  const waiting = messageLine(state);
  const [prompt = null, ...queue] = event.messageId === undefined ? waiting : [...waiting, event.messageId];
  const run = state.run + 1;
  const next = copyOf(state);
  Object.assign(next, FRESH_RUN);
  next.status = "creating";
  next.run = run;
  next.autoApprove = event.autoApprove ?? state.autoApprove;
  next.asksClose = event.asksClose ?? state.asksClose;
  next.prompt = prompt;
  next.queue = queue;
  next.onReady = null;
  next.harnessSessionId = null;
  next.readyTimer = `ready:${run}`;
  const effects: SessionEffect[] = [changed([state.status, null], ["creating", null], event.type)];
  if (state.alive) effects.push({ type: "stop_harness", run: state.run });
  const spawn = { type: "spawn_harness", run, resume: false } as const;
  effects.push(prompt === null ? spawn : { ...spawn, messageId: prompt }, readyStarted(run));
  return ok(next, effects);
}

export function queued(state: SessionState, event: EventOf<"send_message">): Outcome {
  const next = copyOf(state);
  next.queue = [...state.queue, event.messageId];
  return ok(next, NONE);
}

/** After a turn: the head of the queue goes to the run, or to a new one. */
export function sent(state: SessionState, event: EventOf<"send_message">): Outcome {
  const queue = [...state.queue, event.messageId];
  const next = copyOf(state);
  next.queue = queue;
  next.error = null;
  return proceed(next, event.type);
}

function proceed(next: Draft, reason: string): Outcome {
  const effect = changed([next.status, null], ["streaming", "calling_llm"], reason);
  if (next.alive && !next.stopRequested) {
    const [head = "", ...queue] = next.queue;
    const { run } = next;
    next.status = "streaming";
    next.phase = "calling_llm";
    next.queue = queue;
    next.delivering = head;
    return ok(next, [effect, { type: "deliver_message", run, messageId: head }]);
  }
  const run = next.run + 1;
  next.queue = messageLine(next);
  Object.assign(next, FRESH_RUN);
  next.status = "streaming";
  next.phase = "calling_llm";
  next.run = run;
  next.prompt = null;
  next.onReady = "message";
  next.readyTimer = `ready:${run}`;
  const resume = next.harnessSessionId !== null;
  return ok(next, [effect, { type: "spawn_harness", run, resume }, readyStarted(run)]);
}

export function interruptAsked(state: SessionState): Outcome {
  const { run, interruptTimer } = state;
  const effect = { type: "interrupt_run", run } as const;
  const next = copyOf(state);
  next.interrupting = true;
  next.onReady = null;
  if (interruptTimer !== null) return ok(next, [effect]);
  next.timerCount = state.timerCount + 1;
  const timerId = `interrupt:${run}:${next.timerCount}`;
  next.interruptTimer = timerId;
  return ok(next, [effect, interruptStarted(timerId)]);
}

export function stopped(state: SessionState, event: EventOf<"cancel_session">): Outcome {
  const effects: SessionEffect[] = [changed([state.status, state.phase], ["stopped", null], event.type)];
  if (state.alive) effects.push({ type: "stop_harness", run: state.run });
  effects.push(...allCancelled(state), ...voided(state.asks, event.type));
  const next = over(copyOf(state));
  next.status = "stopped";
  next.stopRequested = true;
  next.error = null;
  return ok(next, effects);
}

/** The state without anything that ends with a turn. */
function over(next: Draft): Draft {
  next.tools = [];
  if (next.status === "streaming") {
    next.retry = null;
    next.onReady = null;
  }
  next.phase = null;
  next.closedAsks = rememberedAll(next.closedAsks, idsOf(next.asks));
  next.asks = [];
  next.interrupting = false;
  next.readyTimer = null;
  next.interruptTimer = null;
  return next;
}

/** Everything handed over was taken; the timer `ready` is not needed any more. */
function taken(next: Draft): Draft {
  next.delivering = null;
  next.prompt = null;
  next.onReady = null;
  return next;
}

/** What acts on the world when a turn ends: `ready`, the asks, `interrupt`. */
function ending(state: SessionState, reason: string): readonly SessionEffect[] {
  const { readyTimer, interruptTimer, asks } = state;
  return [
    ...allCancelled({ readyTimer, interruptTimer: null }),
    ...voided(asks, reason),
    ...allCancelled({ readyTimer: null, interruptTimer }),
  ];
}

export function turnInterrupted(state: SessionState, reason: string): Outcome {
  const next = over(taken(copyOf(state)));
  next.status = "paused";
  return ok(next, [
    changed([state.status, state.phase], ["paused", null], "interrupted_by_user"),
    ...ending(state, reason),
  ]);
}

export function completed(state: SessionState, event: EventOf<"ask:completion_result">): Outcome {
  const closing = copyOf(state);
  closing.closedAsks = remembered(state.closedAsks, event.askId);
  if (state.interrupting) return turnInterrupted(closing, event.type);
  const next = over(taken(closing));
  next.status = "completed";
  const effect = changed([state.status, state.phase], ["completed", null], event.type);
  const acts = ending(state, event.type);
  if (state.queue.length === 0) return ok(next, [effect, ...acts]);
  const again = proceed(next, event.type);
  const [resumed, ...handed] = again.effects;
  return ok(again.state, [effect, ...(resumed ? [resumed] : []), ...acts, ...handed]);
}

export function turnFailed(state: SessionState, event: EventOf<"ask:api_req_failed">): Outcome {
  const closing = copyOf(state);
  closing.closedAsks = remembered(state.closedAsks, event.askId);
  if (state.interrupting) return turnInterrupted(closing, event.type);
  const error = requestFailed(event.text);
  const next = over(taken(closing));
  next.status = "error";
  next.error = error;
  return ok(next, [
    failed(error),
    changed([state.status, state.phase], ["error", null], event.type),
    ...ending(state, event.type),
  ]);
}

type Exit = EventOf<"process_exit">;

/** The run is over; a message that it did not take is first in the queue again. */
function ended(next: Draft): Draft {
  const { delivering } = next;
  next.alive = false;
  next.readyTimer = null;
  next.interruptTimer = null;
  if (delivering !== null) next.queue = [delivering, ...next.queue];
  next.delivering = null;
  return next;
}

function exited(state: SessionState): Draft {
  return over(ended(copyOf(state)));
}

export function exitFailed(state: SessionState, event: Exit, error: SessionError): Outcome {
  const effects: SessionEffect[] = [failed(error)];
  if (state.status !== "error") {
    effects.push(changed([state.status, state.phase], ["error", null], event.type));
  }
  effects.push(...allCancelled(state), ...voided(state.asks, event.type));
  const next = state.status === "error" ? ended(copyOf(state)) : exited(state);
  next.status = "error";
  next.error = error;
  return ok(next, effects);
}

export function crashed(state: SessionState, event: Exit): Outcome {
  const how = event.signal == null ? `with code ${String(event.code)}` : `by ${event.signal}`;
  return exitFailed(state, event, harnessFailed(`the agent ended ${how}`));
}

export function exitedWhileStreaming(state: SessionState, event: Exit): Outcome {
  const place = [state.status, state.phase] as const;
  if (state.interrupting) {
    const effect = changed(place, ["paused", null], "interrupted_by_user");
    const next = exited(state);
    next.status = "paused";
    return ok(next, [effect, ...allCancelled(state)]);
  }
  if (state.delivering !== null || state.prompt !== null || state.onReady !== null) {
    return exitFailed(state, event, harnessFailed("the agent ended before it took what it was given"));
  }
  const effect = changed(place, ["completed", null], event.type);
  const next = exited(state);
  next.status = "completed";
  if (next.queue.length === 0) return ok(next, [effect, ...allCancelled(state)]);
  const again = proceed(next, event.type);
  const [resumed, ...acts] = again.effects;
  return ok(again.state, [effect, ...(resumed ? [resumed] : []), ...allCancelled(state), ...acts]);
}

export function exitedWhileAsking(state: SessionState, event: Exit): Outcome {
  const reason = state.interrupting ? "interrupted_by_user" : event.type;
  const next = exited(state);
  next.status = "paused";
  return ok(next, [
    changed([state.status, null], ["paused", null], reason),
    ...allCancelled(state),
    ...voided(state.asks, event.type),
  ]);
}

export function exitedQuietly(state: SessionState): Outcome {
  return ok(ended(copyOf(state)), allCancelled(state));
}

/** A run that was told to stop and still talks: what it took is taken. */
export function lateActivity(state: SessionState): Outcome {
  if (state.prompt === null && state.delivering === null) return ignored(state);
  const next = copyOf(state);
  next.prompt = null;
  next.delivering = null;
  return ok(next, NONE);
}

/** Its id still serves to resume. */
export function lateId(state: SessionState, sessionId: string): Outcome {
  const next = copyOf(state);
  next.harnessSessionId = sessionId;
  return ok(next, NONE);
}
