import { expect, test } from "vitest";
import { reconstruct, type LastAsk, type Observed } from "./reconstruct.js";
import type { Status } from "./state.js";

const LAST_ASKS = [
  "tool",
  "command",
  "browser_action_launch",
  "use_mcp_server",
  "followup",
  "completion_result",
  "api_req_failed",
  "mistake_limit_reached",
  "invalid_model",
  "payment_required_prompt",
  "resume_task",
  "resume_completed_task",
  null,
] as const satisfies readonly (LastAsk | null)[];

const PROCESSES = ["alive", "exited-ok", "exited-error", "none"] as const;

type Row = readonly [alive: Status, exitedOk: Status, exitedError: Status, none: Status];

function always(status: Status): Row {
  return [status, status, status, status];
}

const APPROVAL: Row = ["waiting_approval", "paused", "error", "paused"];
const PAUSE: Row = ["paused", "paused", "error", "paused"];

/** While running: by the last ask, then by the process in the order of `PROCESSES`. */
const RUNNING: Readonly<Record<LastAsk | "null", Row>> = {
  tool: APPROVAL,
  command: APPROVAL,
  browser_action_launch: APPROVAL,
  use_mcp_server: APPROVAL,
  followup: ["waiting_input", "paused", "error", "paused"],
  completion_result: ["completed", "completed", "error", "completed"],
  api_req_failed: always("error"),
  mistake_limit_reached: always("error"),
  invalid_model: always("error"),
  payment_required_prompt: always("error"),
  resume_task: PAUSE,
  resume_completed_task: PAUSE,
  null: ["streaming", "completed", "error", "paused"],
};

const REST: Readonly<Record<Exclude<Observed["sessionStatus"], "running">, Row>> = {
  creating: ["creating", "error", "error", "error"],
  done: always("completed"),
  error: always("error"),
  stopped: always("stopped"),
};

const SESSION_STATUSES = ["creating", "running", "done", "error", "stopped"] as const;

const CASES = SESSION_STATUSES.flatMap((sessionStatus) =>
  LAST_ASKS.flatMap((lastAsk) =>
    PROCESSES.map((process, index) => {
      const row = sessionStatus === "running" ? RUNNING[lastAsk ?? "null"] : REST[sessionStatus];
      return { sessionStatus, lastAsk, process, expected: row[index] };
    }),
  ),
);

test("every combination is listed", () => {
  expect(CASES).toHaveLength(5 * 13 * 4);
});

test.each(CASES)("$sessionStatus, last ask $lastAsk, process $process: $expected", (observed) => {
  const { expected, ...rest } = observed;
  expect(reconstruct(rest)).toBe(expected);
});

test.each([
  ["creating", "idle"],
  ["running", "idle"],
  ["done", "completed"],
  ["error", "error"],
  ["stopped", "stopped"],
] as const)("%s, and a shell without an agent: %s", (sessionStatus, expected) => {
  for (const lastAsk of LAST_ASKS)
    expect(reconstruct({ sessionStatus, lastAsk, process: "shell" })).toBe(expected);
});
