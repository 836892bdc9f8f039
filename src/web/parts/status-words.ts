import type { Phase, Status } from "../../core/index.js";

/** What each status is called, as briefly as can be. */
export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  idle: "Idle",
  creating: "Creating",
  streaming: "Working",
  waiting_approval: "Needs approval",
  waiting_input: "Needs input",
  completed: "Completed",
  paused: "Paused",
  error: "Error",
  stopped: "Stopped",
};

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  calling_llm: "waiting for the model",
  processing_response: "writing",
  executing_tools: "running tools",
  post_tool_hooks: "running hooks",
};

/** What it does in particular; empty when the status says it all. */
export function phaseWords(phase: Phase | null): string {
  return phase === null ? "" : PHASE_WORDS[phase];
}
