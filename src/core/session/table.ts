/**
 * The session machine's table: every decision, for every status.
 *
 * A row is an event, or a variant of one in brackets. What comes before the table (a stale run, a repeated ask) is in
 * `gates.ts`; what a rule does is in the `*-rules.ts` files under the same name.
 */
import type { StreamEventType } from "../stream-event.js";
import { describe, type Table, type TableDescription } from "../table.js";
import * as activity from "./activity-rules.js";
import * as agent from "./agent-rules.js";
import * as ask from "./ask-rules.js";
import * as checkpoint from "./checkpoint-rules.js";
import {
  REQUESTS,
  isRequest,
  type AskEvent,
  type EventOf,
  type FailedHandover,
  type SessionEvent,
  type SessionEventType,
  type SessionFact,
  type StreamFact,
} from "./events.js";
import { GATES, isActivity, isFailedHandover, isLate, isOfCheckpoint, isStale } from "./gates.js";
import * as request from "./request-rules.js";
import { IGNORE, REFUSE } from "./rule.js";
import * as rest from "./rest-rules.js";
import * as run from "./run-rules.js";
import { STATUSES, type SessionState } from "./state.js";
import * as wall from "./wall-rules.js";

export const RULES = {
  ignore: IGNORE,
  refuse: REFUSE,
  ...request,
  ...ask,
  ...activity,
  ...agent,
  ...rest,
  ...checkpoint,
  ...run,
  ...wall,
};

/** Events with a row of their own, and those whose variants have one each. */
type Varied = "harness_stream" | "timer_fired" | "process_exit";

type RowEvents = { readonly [T in Exclude<SessionEventType, Varied>]: EventOf<T> } & {
  readonly "ask (partial)": AskEvent;
  readonly "ask:followup (partial)": EventOf<"ask:followup">;
  readonly "timer_fired (ready)": EventOf<"timer_fired">;
  readonly "timer_fired (settle)": EventOf<"timer_fired">;
  readonly "timer_fired (interrupt)": EventOf<"timer_fired">;
  readonly "timer_fired (idle)": EventOf<"timer_fired">;
  readonly "timer_fired (checkpoint)": EventOf<"timer_fired">;
  readonly "say:checkpoint_saved (of a turn)": EventOf<"say:checkpoint_saved">;
  readonly "process_exit (code 0)": EventOf<"process_exit">;
  readonly "process_exit (other)": EventOf<"process_exit">;
  readonly "harness_stream (delta)": StreamFact;
  readonly "harness_stream (tool_call_completed)": StreamFact;
  readonly "harness_stream (completed)": StreamFact;
  readonly "harness_stream (error)": StreamFact;
  readonly "harness_stream (ask)": StreamFact;
  readonly "harness_stream (telemetry)": StreamFact;
  readonly "session_created (stopped run)": EventOf<"session_created">;
  readonly "activity (stopped run)": SessionFact;
  readonly "handover failed (stale run)": FailedHandover;
};

export type SessionRow = keyof RowEvents;

// prettier-ignore
export const TABLE = {
  // requests                      idle              creating          streaming         waiting_approval   waiting_input      completed         paused            error             stopped
  start_session:                   ["startFirst",        "refuse",         "refuse",         "refuse",          "refuse",          "start",          "refuse",         "refuse",         "start"],
  send_message:                    ["refuseMessage", "queueEarly",     "queueMessage",   "queueBehindAsks", "replyToQuestion", "sendWhenKnown",   "sendMessage",    "sendMessage",    "sendAnew"],
  approve_action:                  ["approveWall", "approveWall", "approveWall", "approve", "approveWallBesideQuestion", "approveWall", "approveWall", "approveWall", "refuseAnswer"],
  reject_action:                   ["rejectWall", "rejectWall", "rejectWall", "reject", "rejectWallBesideQuestion", "rejectWall", "rejectWall", "rejectWall", "refuseAnswer"],
  interrupt:                       ["refuse",        "refuse",         "interrupt",      "interrupt",       "interrupt",       "refuse",         "refuse",         "refuse",         "refuse"],
  cancel_session:                  ["cancelShell",       "cancel",         "cancel",         "cancel",          "cancel",          "cancel",         "cancel",         "cancel",         "refuse"],
  resume_session:                  ["refuse",        "refuse",         "refuse",         "refuse",          "refuse",          "resume",         "resume",         "resume",         "resumeAnew"],
  retry:                           ["refuse",        "refuse",         "refuse",         "refuse",          "refuse",          "refuse",         "refuse",         "retry",          "refuse"],
  drop_message:                    ["dropMessage",   "dropMessage",    "dropMessage",    "dropMessage",     "dropMessage",     "dropMessage",    "dropMessage",    "dropMessage",    "dropMessage"],
  set_approve:                     ["setApprove",    "setApprove",     "setApprove",     "setApprove",      "setApprove",      "setApprove",     "setApprove",     "setApprove",     "setApprove"],

  // ready, requests to the model
  session_created:                 ["joinReady",     "ready",          "readyAgain",     "noteReady",       "noteReady",       "noteReady",      "noteReady",      "noteReady",      "ignore"],
  api_req_started:                 ["joinRequest",   "firstRequest",   "nextRequest",    "requestPastAsks", "requestPastAsks", "wake",           "wake",           "wake",           "ignore"],
  "session_created (stopped run)": ["noteLateId",    "noteLateId",     "noteLateId",     "noteLateId",      "noteLateId",      "noteLateId",     "noteLateId",     "noteLateId",     "noteLateId"],
  "activity (stopped run)":        ["noteLateActivity", "noteLateActivity", "noteLateActivity", "noteLateActivity", "noteLateActivity", "noteLateActivity", "noteLateActivity", "noteLateActivity", "noteLateActivity"],

  // agents in a terminal
  shell_ready:                     ["ignore",        "shellReady",     "shellReadyAgain","ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  agent_started:                   ["firstAgentStarted","firstAgentStarted","agentStarted","agentStarted",  "agentStarted",    "agentStarted",   "agentStarted",   "agentStarted",   "ignore"],
  agent_ended:                     ["ignore",        "ignore",         "agentEnded",     "agentEnded",      "agentEnded",      "agentEnded",     "agentEnded",     "agentEnded",     "ignore"],
  certainty_changed:               ["ignore",        "noteCertainty",  "learnWhileStreaming","noteCertainty","noteCertainty",  "learnWhileCompleted","noteCertainty","noteCertainty","ignore"],
  screen_still:                    ["ignore",        "screenStill",    "screenStill",    "screenStill",     "screenStill",     "screenStill",    "screenStill",    "screenStill",    "ignore"],

  // words
  "say:text":                      ["ignore",        "ignore",         "say",            "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  "say:completion_result":         ["ignore",        "ignore",         "say",            "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  "say:checkpoint_saved":          ["ignore",        "ignore",         "say",            "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],

  // asks
  "ask:tool":                      ["openApproval",  "openApproval",   "openApproval",   "openApproval",    "openApproval",    "openApproval",   "openApproval",   "openApproval",   "ignore"],
  "ask:command":                   ["openApproval",  "openApproval",   "openApproval",   "openApproval",    "openApproval",    "openApproval",   "openApproval",   "openApproval",   "ignore"],
  "ask:browser_action_launch":     ["openApproval",  "openApproval",   "openApproval",   "openApproval",    "openApproval",    "openApproval",   "openApproval",   "openApproval",   "ignore"],
  "ask:use_mcp_server":            ["openApproval",  "openApproval",   "openApproval",   "openApproval",    "openApproval",    "openApproval",   "openApproval",   "openApproval",   "ignore"],
  "ask:followup":                  ["openQuestion",  "openQuestion",   "openQuestion",   "openQuestionBehind", "openQuestion",    "openQuestion",   "openQuestion",   "openQuestion",   "ignore"],
  "ask:completion_result":         ["ignore",        "completeFirst",  "completeTurn",   "completeTurn",    "completeTurn",    "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:api_req_failed":            ["ignore",        "failFirst",      "failTurn",       "failTurn",        "failTurn",        "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:mistake_limit_reached":     ["ignore",        "failFirst",      "failTurn",       "failTurn",        "failTurn",        "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:invalid_model":             ["ignore",        "failFirst",      "failTurn",       "failTurn",        "failTurn",        "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:payment_required_prompt":   ["ignore",        "failFirst",      "failTurn",       "failTurn",        "failTurn",        "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:resume_task":               ["ignore",        "pauseTurn",      "pauseTurn",      "pauseTurn",       "pauseTurn",       "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:resume_completed_task":     ["ignore",        "pauseTurn",      "pauseTurn",      "pauseTurn",       "pauseTurn",       "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "ask:followup (partial)":        ["ignore",        "awaitQuestion",  "awaitQuestion",  "awaitQuestionBehind", "awaitQuestion",   "awaitQuestion",  "awaitQuestion",  "awaitQuestion",  "ignore"],
  "ask (partial)":                 ["ignore",        "ignore",         "stayPartial",    "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  ask_closed:                      ["ignore",        "noteAskClosed",  "noteAskClosed",  "closeAsk",        "closeAsk",        "noteAskClosed",  "noteAskClosed",  "noteAskClosed",  "ignore"],
  permission_resolved:             ["ignore",        "ignore",         "ignore",         "applyVerdict",    "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  "timer_fired (settle)":          ["ignore",        "settleQuestion", "settleQuestion", "settleQuestionBehind", "settleQuestion",  "settleQuestion", "settleQuestion", "settleQuestion", "ignore"],

  // the wall
  wall_asked:                      ["openWallAsk", "openWallAsk", "openWallAsk", "openWallAsk", "openWallAsk", "openWallAsk", "openWallAsk", "openWallAsk", "ignore"],
  wall_closed:                     ["closeWallAsk", "closeWallAsk", "closeWallAsk", "closeWallAsk", "closeWallAsk", "closeWallAsk", "closeWallAsk", "closeWallAsk", "ignore"],

  // work
  turn_interrupted:                ["ignore",        "turnInterrupted","turnInterrupted","turnInterrupted", "turnInterrupted", "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  retry_scheduled:                 ["ignore",        "ignore",         "scheduleRetry",  "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  background_changed:              ["countBackground","countBackground","countBackground","countBackground","countBackground", "countBackground","countBackground","countBackground","ignore"],
  tool_started:                    ["toolStarted",   "toolStarted",    "toolStarted",    "toolStarted",     "toolStarted",     "toolStarted",    "toolStarted",    "toolStarted",    "ignore"],
  tool_finished:                   ["toolFinished",  "toolFinished",   "toolFinished",   "toolFinished",    "toolFinished",    "toolFinished",   "toolFinished",   "toolFinished",   "ignore"],
  hooks_started:                   ["hooksStarted",  "hooksStarted",   "hooksStarted",   "hooksStarted",    "hooksStarted",    "hooksStarted",   "hooksStarted",   "hooksStarted",   "ignore"],
  hooks_finished:                  ["hooksFinished", "hooksFinished",  "hooksFinished",  "hooksFinished",   "hooksFinished",   "hooksFinished",  "hooksFinished",  "hooksFinished",  "ignore"],
  "harness_stream (delta)":        ["ignore",        "firstDelta",     "delta",          "quietDelta",      "quietDelta",      "quietDelta",     "quietDelta",     "quietDelta",     "ignore"],
  "harness_stream (tool_call_completed)": ["ignore", "streamedToolDone","streamedToolDone","streamedToolDone","streamedToolDone","streamedToolDone","streamedToolDone","streamedToolDone","ignore"],
  "harness_stream (completed)":    ["ignore",        "streamCompleted","streamCompleted","streamCompleted", "streamCompleted", "streamCompleted","streamCompleted","streamCompleted","ignore"],
  "harness_stream (error)":        ["ignore",        "firstStreamFailed", "streamFailed",   "streamFailed",    "streamFailed",    "forgetQuestion", "forgetQuestion", "forgetQuestion", "ignore"],
  "harness_stream (ask)":          ["ignore",        "openStreamOfAsk","openStreamOfAsk","openStreamOfAsk", "openStreamOfAsk", "openStreamOfAsk","openStreamOfAsk","openStreamOfAsk","ignore"],
  "harness_stream (telemetry)":    ["ignore",        "ignore",         "ignore",         "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],

  // the run
  "timer_fired (ready)":           ["ignore",        "notReady",       "notReady",       "ignore",          "ignore",          "ignore",         "ignore",         "ignore",         "ignore"],
  "timer_fired (interrupt)":       ["ignore",        "ignore",         "interruptOverdue","interruptOverdue","interruptOverdue","ignore",        "ignore",         "ignore",         "ignore"],
  "timer_fired (idle)":            ["ignore",        "ignore",         "ignore",         "ignore",          "ignore",          "idleLong",       "ignore",         "ignore",         "ignore"],
  rest_checked:                    ["ignore",        "ignore",         "ignore",         "ignore",          "ignore",          "restChecked",    "ignore",         "ignore",         "ignore"],
  "say:checkpoint_saved (of a turn)": ["checkpointSettled","checkpointSettled","goOnOnceSaved","checkpointSettled","checkpointSettled","sendOnceSaved","checkpointSettled","checkpointSettled","checkpointSettled"],
  checkpoint_failed:               ["checkpointSettled","checkpointSettled","goOnOnceSaved","checkpointSettled","checkpointSettled","sendOnceSaved","checkpointSettled","checkpointSettled","checkpointSettled"],
  "timer_fired (checkpoint)":      ["checkpointSettled","checkpointSettled","goOnOnceSaved","checkpointSettled","checkpointSettled","sendOnceSaved","checkpointSettled","checkpointSettled","checkpointSettled"],
  process_error:                   ["ignore",        "processError",   "processError",   "processError",    "processError",    "processError",   "processError",   "processError",   "ignore"],
  "process_exit (code 0)":         ["exitShell",     "exitEarly",      "exitStreaming",  "exitAsking",      "exitAsking",      "exitCompleted",   "exitQuietly",    "exitQuietly",    "exitQuietly"],
  "process_exit (other)":          ["exitShell",         "crash",          "crash",          "crash",           "crash",           "crash",          "crash",          "crash",          "exitQuietly"],
  interrupted:                     ["shellFoundDead","foundDeadEarly", "foundDead",      "foundDead",       "foundDead",       "completedFoundDead",      "noteDead",       "noteDead",       "noteDead"],
  delivery_failed:                 ["keepUndelivered","promptFailed","deliveryFailed", "keepUndelivered", "keepUndelivered", "deliveryFailed", "keepUndelivered","keepUndelivered","keepUndelivered"],
  effect_failed:                   ["keepUnhanded",  "keepUnhanded",   "handoverFailed", "handoverFailed",  "handoverFailed",  "handoverFailedLate","keepUnhanded",   "keepUnhanded",   "keepUnhanded"],
  "handover failed (stale run)":   ["keepStray",     "keepStray",      "keepStray",      "keepStray",       "keepStray",       "deliverStray",   "keepStray",      "keepStray",      "keepStray"],
} as const satisfies Table<RowEvents, typeof STATUSES, typeof RULES>;

const STREAM_ROWS = {
  text_delta: "harness_stream (delta)",
  thinking_delta: "harness_stream (delta)",
  tool_call_delta: "harness_stream (delta)",
  artifact_delta: "harness_stream (delta)",
  tool_call_completed: "harness_stream (tool_call_completed)",
  completed: "harness_stream (completed)",
  error: "harness_stream (error)",
  status: "harness_stream (telemetry)",
  metadata: "harness_stream (telemetry)",
  user_message: "harness_stream (telemetry)",
  ask: "harness_stream (ask)",
} as const satisfies Readonly<Record<StreamEventType, SessionRow>>;

export function rowOf(state: SessionState, event: SessionEvent): SessionRow {
  if (!isRequest(event)) {
    if (event.type === "say:checkpoint_saved" && isOfCheckpoint(state, event))
      return "say:checkpoint_saved (of a turn)";
    if (isFailedHandover(event) && state.status !== "idle" && isStale(state, event)) {
      return "handover failed (stale run)";
    }
    if (isLate(state)) {
      if (event.type === "session_created") return "session_created (stopped run)";
      if (isActivity(event)) return "activity (stopped run)";
    }
  }
  switch (event.type) {
    case "harness_stream":
      return STREAM_ROWS[event.event.type];
    case "timer_fired":
      return timerRow(state, event.timerId);
    case "process_exit":
      return event.code === 0 && event.signal == null ? "process_exit (code 0)" : "process_exit (other)";
    case "ask:followup":
      return event.partial === true ? "ask:followup (partial)" : event.type;
    case "ask:tool":
    case "ask:command":
    case "ask:browser_action_launch":
    case "ask:use_mcp_server":
    case "ask:completion_result":
    case "ask:api_req_failed":
    case "ask:mistake_limit_reached":
    case "ask:invalid_model":
    case "ask:payment_required_prompt":
    case "ask:resume_task":
    case "ask:resume_completed_task":
      return event.partial === true ? "ask (partial)" : event.type;
    default:
      // Every other event is a row of its own; the compiler refuses one that is not.
      return event.type;
  }
}

function timerRow(state: SessionState, timerId: string): SessionRow {
  if (timerId === state.readyTimer) return "timer_fired (ready)";
  if (timerId === state.rest?.timerId) return "timer_fired (idle)";
  if (timerId === state.checkpoint?.timerId) return "timer_fired (checkpoint)";
  return timerId === state.interruptTimer ? "timer_fired (interrupt)" : "timer_fired (settle)";
}

export const description: TableDescription = describe("session", STATUSES, GATES, TABLE, RULES, (row) =>
  Object.hasOwn(REQUESTS, row) ? "request" : "fact",
);
