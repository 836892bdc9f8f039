/** What Claude says about itself. */
import { retract } from "./content.js";
import type { Reading } from "./reading.js";
import { readActivity, readBackground, readRequesting } from "./turn.js";
import { idAt, numberAt, objectAt, textAt, type WireObject } from "./wire-object.js";

/** Known, and of no use to us: progress in numbers, its own hooks and lists, what other messages say better. */
const QUIET: ReadonlySet<string> = new Set([
  "commands_changed",
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

export function readSystem(reading: Reading, message: WireObject, line: string): void {
  const subtype = textAt(message, "subtype") ?? "";
  switch (subtype) {
    case "init":
      return readInit(reading, message);
    case "session_state_changed":
      return readActivity(reading, message, line);
    case "status":
      return readStatus(reading, message);
    case "api_retry":
      return readRetry(reading, message);
    case "background_tasks_changed":
      return readBackground(reading, message);
    case "task_notification":
      return readSubagentEnd(reading, message);
    case "local_command_output":
      return writeOutput(reading, message);
    case "compact_boundary":
      return reading.status("The conversation was compacted.");
    case "informational":
    case "model_refusal_fallback":
      return tell(reading, textAt(message, "content"));
    case "notification":
      return tell(reading, textAt(message, "text"));
    case "permission_denied":
      return tell(reading, textAt(message, "message"));
    default:
      if (!QUIET.has(subtype)) reading.unknown(`system/${subtype}`, line);
  }
}

function tell(reading: Reading, text: string | null): void {
  if (text !== null) reading.status(text);
}

/** It comes with every turn; the conversation's id changes when it is cleared. */
function readInit(reading: Reading, message: WireObject): void {
  const sessionId = idAt(message, "session_id");
  if (sessionId === null || sessionId === reading.state.sessionId) return;
  reading.change({ sessionId });
  reading.fact({ type: "session_created", sessionId });
}

function readStatus(reading: Reading, message: WireObject): void {
  const status = textAt(message, "status");
  if (status === "requesting") return readRequesting(reading);
  if (status !== null) return reading.status(status === "compacting" ? "Compacts the conversation." : status);
  tell(reading, textAt(message, "compact_error"));
}

function readRetry(reading: Reading, message: WireObject): void {
  const attempt = Math.max(0, Math.trunc(numberAt(message, "attempt") ?? 0));
  const delayMs = Math.max(0, numberAt(message, "retry_delay_ms") ?? 0);
  const status = numberAt(message, "error_status");
  const error = textAt(message, "error") ?? "an error";
  retract(reading);
  reading.change({ requesting: false });
  const reason = status === null ? error : `${error}, ${status}`;
  const text = `The model could not be asked (${reason}); attempt ${attempt + 1} in ${Math.ceil(delayMs / 1_000)} s.`;
  reading.status(text, { attempt, delayMs });
  if (reading.nowMs !== null)
    reading.fact({ type: "retry_scheduled", attempt, atMs: reading.nowMs + delayMs });
}

const HOW_ENDED: Readonly<Record<string, string>> = { failed: "failed", stopped: "interrupted" };

function readSubagentEnd(reading: Reading, message: WireObject): void {
  const parent = idAt(message, "tool_use_id");
  if (parent !== null) reading.endSpeaker(parent, HOW_ENDED[textAt(message, "status") ?? ""] ?? "done");
  tell(reading, textAt(message, "summary"));
}

function writeOutput(reading: Reading, message: WireObject): void {
  const text = textAt(message, "content");
  const id = idAt(message, "uuid") ?? "output";
  if (text !== null) reading.stream(null, "text_delta", { text }, id);
}

/** A limit of the person's plan: no failure yet. When Claude gives up instead of waiting, the turn's end says so. */
export function readRateLimit(reading: Reading, message: WireObject): void {
  const info = objectAt(message, "rate_limit_info") ?? {};
  const resetsAt = numberAt(info, "resetsAt");
  const isRejected = textAt(info, "status") === "rejected" && textAt(info, "overageStatus") !== "allowed";
  if (!isRejected || info["isUsingOverage"] === true) return;
  reading.status(
    "The limit of the plan is reached.",
    resetsAt === null ? {} : { resetsAtMs: resetsAt * 1_000 },
  );
  if (resetsAt !== null) reading.fact({ type: "retry_scheduled", attempt: 0, atMs: resetsAt * 1_000 });
}
