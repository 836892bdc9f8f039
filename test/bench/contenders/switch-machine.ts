/** The limit: the session's behaviour as a bare nested switch, first by status, then by event. */
import type { SessionState } from "../../../src/core/session/state.js";
import { harnessFailed, isDropped, type PlayedEvent } from "./pieces.js";
import * as asks from "./switch-asks.js";
import { ignored, type Outcome } from "./switch-outcome.js";
import * as runs from "./switch-runs.js";
import * as work from "./switch-work.js";

export function switchTransition(state: SessionState, event: PlayedEvent): Outcome {
  switch (state.status) {
    case "idle":
      return event.type === "start_session" ? runs.started(state, event) : ignored(state);
    case "creating":
      return creating(state, event);
    case "streaming":
      return streaming(state, event);
    case "waiting_approval":
    case "waiting_input":
      return waiting(state, event);
    case "completed":
    case "paused":
    case "error":
      return resting(state, event);
    case "stopped":
      return stopped(state, event);
  }
}

function creating(state: SessionState, event: PlayedEvent): Outcome {
  switch (event.type) {
    case "start_session":
    case "approve_action":
    case "reject_action":
    case "interrupt":
      return ignored(state);
    case "send_message":
      return runs.queued(state, event);
    case "cancel_session":
      return runs.stopped(state, event);
    default:
      if (isDropped(state, event)) return ignored(state);
  }
  switch (event.type) {
    case "session_created":
      return work.createdWhileCreating(state, event);
    case "api_req_started":
      return work.requestWhileCreating(state, event);
    case "harness_stream":
      return work.streamWhileCreating(state, event);
    case "tool_started":
      return work.toolStarted(state, event);
    case "tool_finished":
      return work.toolFinished(state, event);
    case "ask:tool":
      return asks.approvalAsked(state, event, "tool");
    case "ask:command":
      return asks.approvalAsked(state, event, "command");
    case "ask:followup":
      return asks.questionAsked(state, event);
    case "ask:completion_result":
      return runs.completed(state, event);
    case "ask:api_req_failed":
      return runs.turnFailed(state, event);
    case "ask_closed":
      return asks.askClosed(state, event);
    case "turn_interrupted":
      return runs.turnInterrupted(state, event.type);
    case "background_changed":
      return work.backgroundChanged(state, event);
    case "process_exit":
      return event.code === 0 && event.signal == null
        ? runs.exitFailed(state, event, harnessFailed("the agent ended before it did anything"))
        : runs.crashed(state, event);
    default:
      return ignored(state);
  }
}

function streaming(state: SessionState, event: PlayedEvent): Outcome {
  switch (event.type) {
    case "start_session":
    case "approve_action":
    case "reject_action":
      return ignored(state);
    case "send_message":
      return runs.queued(state, event);
    case "interrupt":
      return runs.interruptAsked(state);
    case "cancel_session":
      return runs.stopped(state, event);
    default:
      if (isDropped(state, event)) return ignored(state);
  }
  switch (event.type) {
    case "harness_stream":
      return work.streamWhileStreaming(state, event);
    case "session_created":
      return work.createdWhileStreaming(state, event);
    case "api_req_started":
      return work.requestWhileStreaming(state, event);
    case "tool_started":
      return work.toolStarted(state, event);
    case "tool_finished":
      return work.toolFinished(state, event);
    case "ask:tool":
      return asks.approvalAsked(state, event, "tool");
    case "ask:command":
      return asks.approvalAsked(state, event, "command");
    case "ask:followup":
      return asks.questionAsked(state, event);
    case "ask:completion_result":
      return runs.completed(state, event);
    case "ask:api_req_failed":
      return runs.turnFailed(state, event);
    case "ask_closed":
      return asks.askClosed(state, event);
    case "turn_interrupted":
      return runs.turnInterrupted(state, event.type);
    case "retry_scheduled":
      return work.retryScheduled(state, event);
    case "background_changed":
      return work.backgroundChanged(state, event);
    case "process_exit":
      return event.code === 0 && event.signal == null
        ? runs.exitedWhileStreaming(state, event)
        : runs.crashed(state, event);
    default:
      return ignored(state);
  }
}

function waiting(state: SessionState, event: PlayedEvent): Outcome {
  switch (event.type) {
    case "start_session":
      return ignored(state);
    case "send_message":
      return state.status === "waiting_input" ? asks.replied(state, event) : runs.queued(state, event);
    case "approve_action":
      return asks.approved(state, event);
    case "reject_action":
      return asks.rejected(state, event);
    case "interrupt":
      return runs.interruptAsked(state);
    case "cancel_session":
      return runs.stopped(state, event);
    default:
      if (isDropped(state, event)) return ignored(state);
  }
  switch (event.type) {
    case "harness_stream":
      return work.streamElsewhere(state, event);
    case "session_created":
      return work.created(state, event);
    case "api_req_started":
      return work.requestWhileAsking(state, event);
    case "tool_started":
      return work.toolStarted(state, event);
    case "tool_finished":
      return work.toolFinished(state, event);
    case "ask:tool":
      return asks.approvalAsked(state, event, "tool");
    case "ask:command":
      return asks.approvalAsked(state, event, "command");
    case "ask:followup":
      return asks.questionAsked(state, event);
    case "ask:completion_result":
      return runs.completed(state, event);
    case "ask:api_req_failed":
      return runs.turnFailed(state, event);
    case "ask_closed":
      return asks.askClosed(state, event);
    case "permission_resolved":
      return asks.verdict(state, event);
    case "turn_interrupted":
      return runs.turnInterrupted(state, event.type);
    case "background_changed":
      return work.backgroundChanged(state, event);
    case "process_exit":
      return event.code === 0 && event.signal == null
        ? runs.exitedWhileAsking(state, event)
        : runs.crashed(state, event);
    default:
      return ignored(state);
  }
}

/** Completed, paused, error: no turn goes on. */
function resting(state: SessionState, event: PlayedEvent): Outcome {
  switch (event.type) {
    case "start_session":
      return state.status === "completed" ? runs.started(state, event) : ignored(state);
    case "send_message":
      return runs.sent(state, event);
    case "cancel_session":
      return runs.stopped(state, event);
    case "approve_action":
    case "reject_action":
    case "interrupt":
      return ignored(state);
    default:
      if (isDropped(state, event)) return ignored(state);
  }
  switch (event.type) {
    case "harness_stream":
      return work.streamElsewhere(state, event);
    case "session_created":
      return work.created(state, event);
    case "api_req_started":
      return work.wake(state, event);
    case "tool_started":
      return work.toolStarted(state, event);
    case "tool_finished":
      return work.toolFinished(state, event);
    case "ask:tool":
      return asks.approvalAsked(state, event, "tool");
    case "ask:command":
      return asks.approvalAsked(state, event, "command");
    case "ask:followup":
      return asks.questionAsked(state, event);
    case "ask_closed":
      return asks.askClosed(state, event);
    case "background_changed":
      return work.backgroundChanged(state, event);
    case "process_exit":
      return event.code === 0 && event.signal == null
        ? runs.exitedQuietly(state)
        : runs.crashed(state, event);
    default:
      return ignored(state);
  }
}

function stopped(state: SessionState, event: PlayedEvent): Outcome {
  switch (event.type) {
    case "start_session":
      return runs.started(state, event);
    case "send_message":
      return runs.sent(state, event);
    case "approve_action":
    case "reject_action":
    case "interrupt":
    case "cancel_session":
      return ignored(state);
    case "process_exit":
      return isDropped(state, event) ? ignored(state) : runs.exitedQuietly(state);
    case "session_created":
      if (!state.alive || event.sessionId === undefined || event.sessionId === state.harnessSessionId) {
        return ignored(state);
      }
      return runs.lateId(state, event.sessionId);
    case "api_req_started":
    case "tool_started":
    case "tool_finished":
    case "turn_interrupted":
      return state.alive ? runs.lateActivity(state) : ignored(state);
    default:
      return ignored(state);
  }
}
