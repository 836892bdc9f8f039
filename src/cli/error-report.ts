import { SignalboxError, UnreachableError } from "../client/signalbox-error.js";
import { tooFewFiles } from "../protocol/daemon-program.js";
import { CommandFailure, UsageError } from "./command.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { plainText } from "./plain-text.js";

export interface ErrorReport {
  readonly message: string;
  readonly hint: string;
  readonly exitCode: ExitCode;
}

/** What to do about a refusal, by its code. */
const HINTS: Readonly<Record<string, string>> = {
  session_not_found: "See signalbox ls.",
  state_transition_invalid: "See signalbox explain ID for what it is doing.",
  ask_stale: "It was answered or withdrawn meanwhile. See signalbox asks.",
  ask_ambiguous: "Name one with --ask. See signalbox asks.",
  queue_full: "Wait until the agent has taken some messages.",
  no_agent: "No agent runs there. Keys for its terminal: signalbox type ID TEXT, or signalbox attach ID.",
  no_active_agent: "No agent runs. Start one with signalbox new.",
  unauthorized: "The token is not this daemon's. Try signalbox down, then signalbox up.",
  conflict: "Nothing was changed.",
  journal_damaged: "See signalbox doctor.",
  event_invalid: "See the command's --help.",
  harness_failed: "See signalbox harnesses for what is installed.",
};

function hintOf({ code, errors }: SignalboxError): string {
  if (code === "event_invalid" && errors.some(({ path }) => path === "harness"))
    return "See signalbox harnesses for what can be started.";
  return HINTS[code] ?? "See signalbox status.";
}

/** Small print, for whoever looks it up. After a command it would be taken for a part of it. */
function codeOf({ code }: SignalboxError): string {
  return code === "harness_failed" ? "" : ` (${code})`;
}

/** What a person reads of an error, and the exit status that it means. */
export function errorReport(error: unknown): ErrorReport {
  if (error instanceof UsageError) return { message: error.message, hint: error.hint, exitCode: EXIT.usage };
  if (error instanceof CommandFailure) {
    return { message: error.message, hint: error.hint, exitCode: error.exitCode };
  }
  if (error instanceof SignalboxError) {
    const flaws = error.errors.map(({ path, message }) => `${path}: ${message}`);
    // The detail of a single flaw is that flaw.
    const further = flaws.filter((flaw) => flaw !== error.detail).map((flaw) => `\n  ${flaw}`);
    // The field of an agent has a name that means nothing to who typed it.
    const detail = error.detail.replace(/^harness: /, "");
    return {
      message: plainText(`${detail}${codeOf(error)}${further.join("")}`),
      hint: hintOf(error),
      exitCode: EXIT.refused,
    };
  }
  if (error instanceof UnreachableError) {
    return {
      message: error.message,
      hint: "See signalbox status; signalbox up starts it again.",
      exitCode: EXIT.unavailable,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const fewFiles = tooFewFiles(message);
  if (fewFiles) return { ...fewFiles, exitCode: EXIT.unavailable };
  return { message, hint: "Add --debug to see where.", exitCode: EXIT.failure };
}
