/**
 * Which status a session must have, from three coarse observations. It knows nothing of the machine's own state, which
 * is why tests use it as an oracle after a restart.
 */
import type { APPROVAL_ASKS, FAILURE_ASKS, Status } from "./state.js";

export type LastAsk =
  | (typeof APPROVAL_ASKS)[number]
  | (typeof FAILURE_ASKS)[number]
  | "followup"
  | "completion_result"
  | "resume_task"
  | "resume_completed_task";

export interface Observed {
  readonly sessionStatus: "creating" | "running" | "done" | "error" | "stopped";
  /** The last complete ask's name; null once it was answered, closed or followed by a new request. */
  readonly lastAsk: LastAsk | null;
  /** `rested`: we ended it because it was idle, and it exited however it did. */
  readonly process: "alive" | "shell" | "exited-ok" | "exited-error" | "rested" | "none";
}

/** Where a live agent stands that last asked this. */
const BY_LAST_ASK: Readonly<Record<LastAsk, Status>> = {
  tool: "waiting_approval",
  command: "waiting_approval",
  browser_action_launch: "waiting_approval",
  use_mcp_server: "waiting_approval",
  followup: "waiting_input",
  completion_result: "completed",
  api_req_failed: "error",
  mistake_limit_reached: "error",
  invalid_model: "error",
  payment_required_prompt: "error",
  resume_task: "paused",
  resume_completed_task: "paused",
};

export function reconstruct(observed: Observed): Status {
  const { sessionStatus, lastAsk, process } = observed;
  switch (sessionStatus) {
    case "stopped":
      return "stopped";
    case "error":
      return "error";
    case "done":
      return "completed";
    case "creating":
      if (process === "shell") return "idle";
      return process === "alive" ? "creating" : "error";
    case "running":
      if (process === "shell") return "idle";
      if (process === "alive") return lastAsk === null ? "streaming" : BY_LAST_ASK[lastAsk];
      if (process === "rested") return "completed";
      return withoutProcess(lastAsk, process);
  }
}

function withoutProcess(lastAsk: LastAsk | null, process: "exited-ok" | "exited-error" | "none"): Status {
  if (process === "exited-error") return "error";
  const status = lastAsk === null ? null : BY_LAST_ASK[lastAsk];
  if (status === "completed" || status === "error") return status;
  return process === "exited-ok" && lastAsk === null ? "completed" : "paused";
}
