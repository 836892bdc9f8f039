/**
 * What is decided before the table: facts of another run, of a run that cannot be used any more, and facts that were
 * already told. Requests always reach the table.
 */
import { DELTA_TYPES, type StreamEventType } from "../stream-event.js";
import { AGENT_FACTS, type AskEvent, type EventOf, type FailedHandover, type SessionFact } from "./events.js";
import { isUsable, isWithoutAgent, type SessionState } from "./state.js";

export const GATES = [
  "a fact of another run than the current one is ignored, but for what could not be handed over; before the first run they are not compared",
  "a fact of a run that has ended, or that was told to stop, is ignored, but for its end, what could not be handed to it, its id and what it proves taken",
  "in a terminal started as a shell, what only an agent can tell is ignored while none is in front",
  "a timer that is not the one in the state is ignored",
  "what is told of a checkpoint counts whatever has become of the run; of another than the one that is being made it is ignored",
  "a complete ask whose id is pending or closed is ignored",
  "a stream event whose `seq` does not rise, or that follows its stream's `completed`, is ignored",
] as const;

/** Why the fact is dropped before the table, or null. */
export function dropReason(state: SessionState, fact: SessionFact): string | null {
  if (fact.type === "process_exit" && !state.alive) return "no process";
  if (isOfCheckpoint(state, fact)) return isCurrentCheckpoint(state, fact) ? null : "another checkpoint";
  if (state.run > 0 || state.status !== "idle") {
    if (isStale(state, fact)) return isFailedHandover(fact) ? null : "another run";
    if (!isUsable(state) && !countsAfterStop(state, fact)) return "the run is over";
  }
  if (isWithoutAgent(state) && TOLD_BY_AGENTS.has(fact.type)) return "no agent is in front";
  return repetition(state, fact);
}

const TOLD_BY_AGENTS: ReadonlySet<string> = new Set([
  ...Object.keys(AGENT_FACTS).filter((type) => type !== "process_exit" && type !== "process_error"),
  "certainty_changed",
  "screen_still",
]);

type CheckpointFact = EventOf<"say:checkpoint_saved" | "checkpoint_failed" | "timer_fired">;

/** The files are not the run's: they are kept, or not, whether it lives or not. */
export function isOfCheckpoint(state: SessionState, fact: SessionFact): fact is CheckpointFact {
  if (fact.type === "say:checkpoint_saved") return fact.turn !== undefined;
  if (fact.type === "timer_fired") return fact.timerId === state.checkpoint?.timerId;
  return fact.type === "checkpoint_failed";
}

function isCurrentCheckpoint({ checkpoint }: SessionState, fact: CheckpointFact): boolean {
  return fact.type === "timer_fired" || fact.turn === checkpoint?.turn;
}

/** Whether the fact speaks of another run than the current one. */
export function isStale(state: SessionState, fact: SessionFact): boolean {
  const run = fact.run ?? (fact.type === "effect_failed" ? fact.effect.run : undefined);
  return run !== undefined && run !== state.run;
}

/** What could not be handed over comes back, whatever run it was meant for: no message is lost. */
export function isFailedHandover(fact: SessionFact): fact is FailedHandover {
  return fact.type === "delivery_failed" || fact.type === "effect_failed";
}

/** A run that was told to stop and still talks. */
export function isLate(state: SessionState): boolean {
  return state.alive && state.stopRequested && state.status !== "idle";
}

function countsAfterStop(state: SessionState, fact: SessionFact): boolean {
  switch (AFTER_STOP[fact.type]) {
    case "always":
      return true;
    case "while alive":
      return state.alive;
    case "as activity":
      return state.alive && isActivity(fact);
    case "never":
      return false;
  }
}

type AfterStop = "always" | "while alive" | "as activity" | "never";

/** What a fact of a run that was told to stop still means. */
const AFTER_STOP: Readonly<Record<SessionFact["type"], AfterStop>> = {
  interrupted: "always",
  delivery_failed: "always",
  effect_failed: "always",
  process_exit: "always",
  session_created: "while alive",
  api_req_started: "as activity",
  "ask:tool": "as activity",
  "ask:command": "as activity",
  "ask:browser_action_launch": "as activity",
  "ask:use_mcp_server": "as activity",
  "ask:followup": "as activity",
  "ask:completion_result": "as activity",
  "ask:api_req_failed": "as activity",
  "ask:mistake_limit_reached": "as activity",
  "ask:invalid_model": "as activity",
  "ask:payment_required_prompt": "as activity",
  "ask:resume_task": "as activity",
  "ask:resume_completed_task": "as activity",
  tool_started: "as activity",
  tool_finished: "as activity",
  turn_interrupted: "as activity",
  harness_stream: "as activity",
  "say:text": "never",
  "say:completion_result": "never",
  "say:checkpoint_saved": "never",
  ask_closed: "never",
  retry_scheduled: "never",
  background_changed: "never",
  hooks_started: "never",
  hooks_finished: "never",
  process_error: "never",
  permission_resolved: "never",
  timer_fired: "never",
  rest_checked: "never",
  wall_asked: "never",
  wall_closed: "never",
  // What is ours of it counts anyway.
  checkpoint_failed: "never",
  shell_ready: "never",
  agent_started: "never",
  agent_ended: "never",
  certainty_changed: "never",
  screen_still: "never",
};

const ACTIVE_STREAM_TYPES: ReadonlySet<StreamEventType> = new Set([
  ...DELTA_TYPES,
  "tool_call_completed",
  "error",
]);

/** Whether the fact shows that the run does something with what it was given. */
export function isActivity(fact: SessionFact): boolean {
  if (AFTER_STOP[fact.type] !== "as activity") return false;
  if (fact.type === "harness_stream") return ACTIVE_STREAM_TYPES.has(fact.event.type);
  return !("partial" in fact) || fact.partial !== true;
}

function repetition(state: SessionState, fact: SessionFact): string | null {
  if (fact.type === "harness_stream") return streamRepetition(state, fact.event);
  if (fact.type === "timer_fired") return isCurrentTimer(state, fact.timerId) ? null : "another timer";
  if (fact.type === "wall_asked") return isKnownAsk(state, fact.askId) ? "a known ask" : null;
  if (isAsk(fact) && fact.partial !== true) return isKnownAsk(state, fact.askId) ? "a known ask" : null;
  return null;
}

function isAsk(fact: SessionFact): fact is AskEvent {
  return fact.type.startsWith("ask:");
}

export function isKnownAsk(state: SessionState, askId: string): boolean {
  const isIt = (ask: { readonly askId: string }): boolean => ask.askId === askId;
  return state.closedAsks.includes(askId) || state.asks.some(isIt) || state.wallAsks.some(isIt);
}

function isCurrentTimer(state: SessionState, timerId: string): boolean {
  if (state.rest?.step === "waiting" && timerId === state.rest.timerId) return true;
  return (
    timerId === state.readyTimer || timerId === state.interruptTimer || timerId === state.settle?.timerId
  );
}

function streamRepetition(
  state: SessionState,
  event: { readonly streamId: string; readonly seq: number },
): string | null {
  const cursor = state.streams.find((stream) => stream.streamId === event.streamId);
  if (!cursor) return null;
  if (cursor.closed) return "a closed stream";
  return event.seq > cursor.seq ? null : "a repeated stream event";
}
