/** What Claude says about itself. */
import { fieldsAt, idAt, type JsonObject, numberAt, textAt } from "../kit/json.js";
import type { ClaudeStep } from "./claude-step.js";
import { noteCommands, noteInit } from "./controls.js";
import { retract } from "./content.js";
import { readActivity, readBackground, readRequesting } from "./turn.js";

/** Known, and of no use to us: progress in numbers, its own hooks and lists, what other messages say better. */
const QUIET: ReadonlySet<string> = new Set([
  "control_request_progress",
  "elicitation_complete",
  "files_persisted",
  "hook_progress",
  "hook_response",
  "hook_started",
  "memory_recall",
  "mirror_error",
  "plugin_install",
  "post_turn_summary",
  "session_title_changed",
  "task_progress",
  "task_started",
  "task_updated",
  "thinking_tokens",
  "worker_shutting_down",
]);

export function readSystem(step: ClaudeStep, message: JsonObject, line: string): void {
  const subtype = textAt(message, "subtype") ?? "";
  switch (subtype) {
    case "init":
      return readInit(step, message);
    case "commands_changed":
      return noteCommands(step, message);
    case "session_state_changed":
      return readActivity(step, message, line);
    case "status":
      return readStatus(step, message);
    case "api_retry":
      return readRetry(step, message);
    case "background_tasks_changed":
      return readBackground(step, message);
    case "task_notification":
      return readSubagentEnd(step, message);
    case "local_command_output":
      return writeOutput(step, message);
    case "compact_boundary":
      return step.status("The conversation was compacted.");
    case "informational":
    case "model_refusal_fallback":
      return tell(step, textAt(message, "content"));
    case "notification":
      return tell(step, textAt(message, "text"));
    case "permission_denied":
      return tell(step, textAt(message, "message"));
    default:
      if (!QUIET.has(subtype)) step.unknown(`system/${subtype}`, line);
  }
}

function tell(step: ClaudeStep, text: string | null): void {
  if (text !== null) step.status(text);
}

/** It comes with every turn; the conversation's id changes when it is cleared. */
function readInit(step: ClaudeStep, message: JsonObject): void {
  const sessionId = idAt(message, "session_id");
  noteInit(step, message);
  if (sessionId === null || sessionId === step.state.sessionId) return;
  step.set({ sessionId });
  step.fact({ type: "session_created", sessionId });
}

function readStatus(step: ClaudeStep, message: JsonObject): void {
  const status = textAt(message, "status");
  if (status === "requesting") return readRequesting(step);
  if (status !== null) return step.status(status === "compacting" ? "Compacts the conversation." : status);
  tell(step, textAt(message, "compact_error"));
}

function readRetry(step: ClaudeStep, message: JsonObject): void {
  const attempt = Math.max(0, Math.trunc(numberAt(message, "attempt") ?? 0));
  const delayMs = Math.max(0, numberAt(message, "retry_delay_ms") ?? 0);
  const status = numberAt(message, "error_status");
  const error = textAt(message, "error") ?? "an error";
  retract(step);
  step.set({ requesting: false });
  const reason = status === null ? error : `${error}, ${status}`;
  const text = `The model could not be asked (${reason}); attempt ${attempt + 1} in ${Math.ceil(delayMs / 1_000)} s.`;
  step.status(text, { attempt, delayMs });
  if (step.toldMs !== null) step.fact({ type: "retry_scheduled", attempt, atMs: step.toldMs + delayMs });
}

const HOW_ENDED: Readonly<Record<string, string>> = { failed: "failed", stopped: "interrupted" };

function readSubagentEnd(step: ClaudeStep, message: JsonObject): void {
  const parent = idAt(message, "tool_use_id");
  if (parent !== null) step.endSpeaker(parent, HOW_ENDED[textAt(message, "status") ?? ""] ?? "done");
  tell(step, textAt(message, "summary"));
}

function writeOutput(step: ClaudeStep, message: JsonObject): void {
  const text = textAt(message, "content");
  const id = idAt(message, "uuid") ?? "output";
  if (text !== null) step.text(text, { messageId: id });
}

/** A limit of the person's plan: no failure yet. When Claude gives up instead of waiting, the turn's end says so. */
export function readRateLimit(step: ClaudeStep, message: JsonObject): void {
  const info = fieldsAt(message, "rate_limit_info");
  const resetsAt = numberAt(info, "resetsAt");
  const isRejected = textAt(info, "status") === "rejected" && textAt(info, "overageStatus") !== "allowed";
  if (!isRejected || info["isUsingOverage"] === true) return;
  step.status("The limit of the plan is reached.", resetsAt === null ? {} : { resetsAtMs: resetsAt * 1_000 });
  if (resetsAt !== null) step.fact({ type: "retry_scheduled", attempt: 0, atMs: resetsAt * 1_000 });
}
