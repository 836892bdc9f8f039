/** The bare switch's own code for what an agent does while it works: requests to the model, content, tools. */
import type { SessionEffect, StateChanged } from "../../../src/core/session/effects.js";
import type { EventOf, StreamFact } from "../../../src/core/session/events.js";
import type { Phase, SessionState } from "../../../src/core/session/state.js";
import { cancelled, changed, recorded, rememberedAll, idsOf, voided, without } from "./pieces.js";
import { NONE, copyOf, ignored, ok, type Draft, type Outcome } from "./switch-outcome.js";

export function created(state: SessionState, event: EventOf<"session_created">): Outcome {
  const { seen, readyTimer } = state;
  const next = copyOf(state);
  next.seen = seen.sessionCreated ? seen : { sessionCreated: true, apiReqStarted: seen.apiReqStarted };
  next.harnessSessionId = event.sessionId ?? state.harnessSessionId;
  next.readyTimer = null;
  return ok(next, readyTimer === null ? NONE : [cancelled(readyTimer)]);
}

export function createdWhileCreating(state: SessionState, event: EventOf<"session_created">): Outcome {
  const step = created(state, event);
  if (!state.seen.apiReqStarted) return step;
  const effect = changed(["creating", null], ["streaming", "calling_llm"], event.type);
  const next = copyOf(step.state);
  next.status = "streaming";
  next.phase = "calling_llm";
  return ok(next, [effect, ...step.effects]);
}

export function createdWhileStreaming(state: SessionState, event: EventOf<"session_created">): Outcome {
  const step = created(state, event);
  const { onReady, run, queue } = state;
  if (onReady === null) return step;
  const [head, ...rest] = queue;
  if (head === undefined) {
    const why = onReady === "retry" ? "retry" : "resume";
    const next = copyOf(step.state);
    next.onReady = null;
    return ok(next, [...step.effects, { type: "continue_run", run, why }]);
  }
  const next = copyOf(step.state);
  next.onReady = null;
  next.queue = rest;
  next.delivering = head;
  return ok(next, [...step.effects, { type: "deliver_message", run, messageId: head }]);
}

/** The state with a request seen and everything handed over taken. */
function requested(state: SessionState): Draft {
  const { seen, answered } = state;
  const next = copyOf(state);
  next.delivering = null;
  next.prompt = null;
  next.onReady = null;
  next.readyTimer = null;
  next.seen = seen.apiReqStarted ? seen : { sessionCreated: seen.sessionCreated, apiReqStarted: true };
  next.answered = state.asksClose === "implicit" && answered.length > 0 ? [] : answered;
  return next;
}

export function requestWhileCreating(state: SessionState, event: EventOf<"api_req_started">): Outcome {
  const effects: SessionEffect[] = [];
  const next = requested(state);
  if (state.seen.sessionCreated) {
    next.status = "streaming";
    next.phase = "calling_llm";
    effects.push(changed(["creating", null], ["streaming", "calling_llm"], event.type));
  }
  if (state.readyTimer !== null) effects.push(cancelled(state.readyTimer));
  return ok(next, effects);
}

export function requestWhileStreaming(state: SessionState, event: EventOf<"api_req_started">): Outcome {
  const next = requested(state);
  next.retry = null;
  next.phase = "calling_llm";
  return ok(next, phaseEffects(state, "calling_llm", event.type));
}

export function requestWhileAsking(state: SessionState, event: EventOf<"api_req_started">): Outcome {
  const ready = state.readyTimer === null ? NONE : [cancelled(state.readyTimer)];
  if (state.asksClose === "explicit") return ok(requested(state), ready);
  const next = requested(state);
  next.status = "streaming";
  next.phase = "calling_llm";
  next.asks = [];
  next.closedAsks = rememberedAll(state.closedAsks, idsOf(state.asks));
  return ok(next, [
    changed([state.status, null], ["streaming", "calling_llm"], event.type),
    ...ready,
    ...voided(state.asks, event.type),
  ]);
}

export function wake(state: SessionState, event: EventOf<"api_req_started">): Outcome {
  const next = requested(state);
  next.status = "streaming";
  next.phase = "calling_llm";
  next.error = null;
  const effects: SessionEffect[] = [changed([state.status, null], ["streaming", "calling_llm"], event.type)];
  if (state.readyTimer !== null) effects.push(cancelled(state.readyTimer));
  return ok(next, effects);
}

/** A change of phase while streaming, and the end of the timer `ready`. */
function phaseEffects(state: SessionState, phase: Phase, reason: string): readonly SessionEffect[] {
  const { phase: before, readyTimer } = state;
  if (before === phase) return readyTimer === null ? NONE : [cancelled(readyTimer)];
  const effect = changed(["streaming", before], ["streaming", phase], reason);
  return readyTimer === null ? [effect] : [effect, cancelled(readyTimer)];
}

export function streamWhileCreating(state: SessionState, fact: StreamFact): Outcome {
  const { event } = fact;
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
    case "artifact_delta": {
      const { seen, readyTimer } = state;
      const effects: SessionEffect[] = [];
      if (seen.sessionCreated) {
        effects.push(streamed(["creating", null], ["streaming", "calling_llm"], event.streamId));
      }
      if (readyTimer !== null) effects.push(cancelled(readyTimer));
      const next = copyOf(state);
      next.streams = recorded(state.streams, event, false);
      next.delivering = null;
      next.prompt = null;
      next.onReady = null;
      next.readyTimer = null;
      next.seen = { sessionCreated: seen.sessionCreated, apiReqStarted: true };
      next.status = seen.sessionCreated ? "streaming" : "creating";
      next.phase = seen.sessionCreated ? "calling_llm" : null;
      return ok(next, effects);
    }
    case "completed":
      const next = copyOf(state);
      next.streams = recorded(state.streams, event, true);
      return ok(next, NONE);
    default:
      return ignored(state);
  }
}

export function streamWhileStreaming(state: SessionState, fact: StreamFact): Outcome {
  const { event } = fact;
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
    case "artifact_delta": {
      const { phase, readyTimer } = state;
      const next = copyOf(state);
      next.phase = "calling_llm";
      next.streams = recorded(state.streams, event, false);
      next.delivering = null;
      next.prompt = null;
      next.onReady = null;
      next.retry = null;
      next.readyTimer = null;
      if (phase === "calling_llm") return ok(next, readyTimer === null ? NONE : [cancelled(readyTimer)]);
      const effect = streamed(["streaming", phase], ["streaming", "calling_llm"], event.streamId);
      return ok(next, readyTimer === null ? [effect] : [effect, cancelled(readyTimer)]);
    }
    case "completed": {
      const next = copyOf(state);
      next.streams = recorded(state.streams, event, true);
      if (state.phase === "processing_response") return ok(next, NONE);
      next.phase = "processing_response";
      return ok(next, [
        streamed(["streaming", state.phase], ["streaming", "processing_response"], event.streamId),
      ]);
    }
    default:
      return ignored(state);
  }
}

export function streamElsewhere(state: SessionState, fact: StreamFact): Outcome {
  const { event } = fact;
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
    case "artifact_delta": {
      const { readyTimer } = state;
      const next = copyOf(state);
      next.streams = recorded(state.streams, event, false);
      next.delivering = null;
      next.prompt = null;
      next.onReady = null;
      next.readyTimer = null;
      return ok(next, readyTimer === null ? NONE : [cancelled(readyTimer)]);
    }
    case "completed":
      const next = copyOf(state);
      next.streams = recorded(state.streams, event, true);
      return ok(next, NONE);
    default:
      return ignored(state);
  }
}

type Place = Parameters<typeof changed>[0];

function streamed(from: Place, to: Place, streamId: string): StateChanged {
  return { ...changed(from, to, "harness_stream"), streamId };
}

/** The state with these calls open and everything handed over taken. */
function withTools(state: SessionState, tools: readonly string[], phase: Phase | null): Draft {
  const next = copyOf(state);
  next.tools = tools;
  next.phase = phase;
  next.delivering = null;
  next.prompt = null;
  next.onReady = null;
  next.readyTimer = null;
  return next;
}

export function toolStarted(state: SessionState, event: EventOf<"tool_started">): Outcome {
  const tools = state.tools.includes(event.callId) ? state.tools : [...state.tools, event.callId];
  if (state.status === "streaming") {
    const effects = phaseEffects(state, "executing_tools", event.type);
    return ok(withTools(state, tools, "executing_tools"), effects);
  }
  return ok(withTools(state, tools, null), state.readyTimer === null ? NONE : [cancelled(state.readyTimer)]);
}

export function toolFinished(state: SessionState, event: EventOf<"tool_finished">): Outcome {
  const tools = without(state.tools, event.callId);
  if (state.status === "streaming" && tools.length === 0) {
    const effects = phaseEffects(state, "calling_llm", event.type);
    return ok(withTools(state, tools, "calling_llm"), effects);
  }
  const effects = state.readyTimer === null ? NONE : [cancelled(state.readyTimer)];
  return ok(withTools(state, tools, state.phase), effects);
}

export function backgroundChanged(state: SessionState, event: EventOf<"background_changed">): Outcome {
  const next = copyOf(state);
  next.background = event.count;
  return ok(next, NONE);
}

export function retryScheduled(state: SessionState, event: EventOf<"retry_scheduled">): Outcome {
  const next = copyOf(state);
  next.retry = { attempt: event.attempt, atMs: event.atMs };
  return ok(next, NONE);
}
