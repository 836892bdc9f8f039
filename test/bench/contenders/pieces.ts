/**
 * Small pure pieces that the hand-written contenders share: lists and single effects. How an event is decided is each
 * contender's own.
 *
 * The contenders play what occurs in the facts. They leave out what never does (refusals, partial asks, timers that
 * fire, hooks, failed deliveries, agents joined late, the bounds of queue and asks), so they do a little less than the
 * machine that they are measured against, never more.
 */
import type { SessionAct, StateChanged } from "../../../src/core/session/effects.js";
import type { EventOf, SessionEvent } from "../../../src/core/session/events.js";
import {
  CLOSED_ASKS_MAX,
  INTERRUPT_DELAY_MS,
  READY_DELAY_MS,
  STREAMS_MAX,
  isApproval,
  type Ask,
  type Phase,
  type SessionError,
  type SessionState,
  type Status,
  type StreamCursor,
} from "../../../src/core/session/state.js";

export const PLAYED_EVENTS = [
  "start_session",
  "send_message",
  "approve_action",
  "reject_action",
  "interrupt",
  "cancel_session",
  "session_created",
  "api_req_started",
  "harness_stream",
  "tool_started",
  "tool_finished",
  "ask:tool",
  "ask:command",
  "ask:followup",
  "ask:completion_result",
  "ask:api_req_failed",
  "ask_closed",
  "permission_resolved",
  "turn_interrupted",
  "retry_scheduled",
  "background_changed",
  "process_exit",
] as const;

export type PlayedEvent = EventOf<(typeof PLAYED_EVENTS)[number]>;
export type PlayedRequest = EventOf<
  "start_session" | "send_message" | "approve_action" | "reject_action" | "interrupt" | "cancel_session"
>;
export type PlayedFact = Exclude<PlayedEvent, PlayedRequest>;

const played: ReadonlySet<string> = new Set(PLAYED_EVENTS);
const UNPLAYED_STREAM_TYPES: ReadonlySet<string> = new Set(["error", "tool_call_completed"]);

export function isPlayed(event: SessionEvent): event is PlayedEvent {
  if (event.type === "harness_stream") return !UNPLAYED_STREAM_TYPES.has(event.event.type);
  return played.has(event.type) && !("partial" in event && event.partial === true);
}

/** What the gates look at. */
export type Gated = Pick<SessionState, "run" | "alive" | "stopRequested" | "streams" | "asks" | "closedAsks">;

/** Facts of another run, of a run that is over, and repetitions. */
export function isDropped(state: Gated, fact: PlayedFact): boolean {
  if (fact.run !== undefined && fact.run !== state.run) return true;
  if (!state.alive) return true;
  switch (fact.type) {
    case "harness_stream":
      return isRepeated(state.streams, fact.event);
    case "ask:tool":
    case "ask:command":
    case "ask:followup":
    case "ask:completion_result":
    case "ask:api_req_failed":
      return state.closedAsks.includes(fact.askId) || state.asks.some((ask) => ask.askId === fact.askId);
    case "process_exit":
      return false;
    default:
      return state.stopRequested;
  }
}

function isRepeated(streams: readonly StreamCursor[], event: { streamId: string; seq: number }): boolean {
  for (const stream of streams) {
    if (stream.streamId === event.streamId) return stream.closed || event.seq <= stream.seq;
  }
  return false;
}

export function recorded(
  streams: readonly StreamCursor[],
  { streamId, seq }: { streamId: string; seq: number },
  closed: boolean,
): readonly StreamCursor[] {
  const cursor = { streamId, seq, closed };
  const at = streams.findIndex((stream) => stream.streamId === streamId);
  if (at >= 0) return streams.with(at, cursor);
  return streams.length < STREAMS_MAX ? [...streams, cursor] : [...streams.slice(1 - STREAMS_MAX), cursor];
}

/** The list with one more, without the oldest when there are too many. */
export function remembered(ids: readonly string[], id: string): readonly string[] {
  return ids.length < CLOSED_ASKS_MAX ? [...ids, id] : [...ids.slice(1 - CLOSED_ASKS_MAX), id];
}

export function rememberedAll(ids: readonly string[], more: readonly string[]): readonly string[] {
  return more.length === 0 ? ids : [...ids, ...more].slice(-CLOSED_ASKS_MAX);
}

export function without(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids.filter((other) => other !== id) : ids;
}

export function idsOf(asks: readonly Ask[]): readonly string[] {
  return asks.map((ask) => ask.askId);
}

/** Where the session waits, or goes on, with these asks left. */
export function statusFor(asks: readonly Ask[]): "waiting_approval" | "waiting_input" | "streaming" {
  if (asks.length === 0) return "streaming";
  return asks.some(isApproval) ? "waiting_approval" : "waiting_input";
}

/** Messages not proven taken, oldest first. */
export function messageLine(state: Pick<SessionState, "delivering" | "prompt" | "queue">): readonly string[] {
  const { delivering, prompt, queue } = state;
  if (delivering === null && prompt === null) return queue;
  return [...(delivering === null ? [] : [delivering]), ...(prompt === null ? [] : [prompt]), ...queue];
}

type Place = readonly [status: Status, phase: Phase | null];

export function changed([from, fromPhase]: Place, [to, toPhase]: Place, reason: string): StateChanged {
  return { type: "emit_state_changed", from, to, fromPhase, toPhase, reason };
}

export function failed(error: SessionError) {
  const { code, message, retryable, source } = error;
  return { type: "emit_session_error", code, message, retryable, source } as const;
}

export function cancelled(timerId: string): SessionAct {
  return { type: "cancel_timer", timerId };
}

/** Cancels the timers that run: `ready`, then `interrupt`. */
export function allCancelled(
  state: Pick<SessionState, "readyTimer" | "interruptTimer">,
): readonly SessionAct[] {
  const { readyTimer, interruptTimer } = state;
  if (readyTimer === null) return interruptTimer === null ? [] : [cancelled(interruptTimer)];
  return interruptTimer === null
    ? [cancelled(readyTimer)]
    : [cancelled(readyTimer), cancelled(interruptTimer)];
}

export function voided(asks: readonly Ask[], reason: string): readonly SessionAct[] {
  return asks.length === 0 ? [] : [{ type: "void_asks", askIds: idsOf(asks), reason }];
}

export function readyStarted(run: number): SessionAct {
  return { type: "start_timer", timerId: `ready:${run}`, timer: "ready", delayMs: READY_DELAY_MS };
}

export function interruptStarted(timerId: string): SessionAct {
  return { type: "start_timer", timerId, timer: "interrupt", delayMs: INTERRUPT_DELAY_MS };
}

export function harnessFailed(message: string): SessionError {
  return { code: "harness_failed", message, retryable: true, source: "harness" };
}

export function requestFailed(message = "the request to the model failed"): SessionError {
  return { code: "api_req_failed", message, retryable: true, source: "harness" };
}

/** What a new run knows nothing of. */
export const FRESH_RUN = {
  alive: true,
  stopRequested: false,
  seen: { sessionCreated: false, apiReqStarted: false },
  delivering: null,
  closedAsks: [],
  answered: [],
  tools: [],
  streams: [],
  background: 0,
} as const;
