/** Why a step did not happen, as the machine knows it. Expected: it is told, and nothing was changed by halves. */
import type { WorkspaceRows } from "../core/workspace/events.js";
import { GitError } from "./git.js";

export type StepCode = WorkspaceRows["step_failed"]["code"];

export class StepError extends Error {
  override readonly name = "StepError";
  constructor(
    readonly code: StepCode,
    message: string,
  ) {
    super(message);
  }
}

/** Any failure in those words. */
export function stepErrorOf(error: unknown): StepError {
  if (error instanceof StepError) return error;
  if (error instanceof GitError) {
    const code = error.code === "disk_full" ? "disk_full" : "git_failed";
    return new StepError(code, error.code === "locked" ? lockedWords(error.message) : error.message);
  }
  const { code } = error as NodeJS.ErrnoException;
  const message = error instanceof Error ? error.message : String(error);
  return new StepError(code === "ENOSPC" || code === "EDQUOT" ? "disk_full" : "git_failed", message);
}

function lockedWords(words: string): string {
  const file = /'([^']*\.lock)'/.exec(words)?.[1];
  return `Another git is at work there${file === undefined ? "" : `: ${file} is there`}. Wait for it and retry; if none runs, remove that file.`;
}
