import { SignalboxError, UnreachableError } from "../../client/signalbox-error.js";

/** Why something could not be done, for a person. */
export function failureWords(error: unknown): string {
  if (error instanceof UnreachableError)
    return "The daemon did not answer, so it is not known whether this was done. It is safe to try again.";
  return readFailureWords(error);
}

/** The same, after the words for what was not done; an answer that was lost says nothing of that. */
export function undoneWords(notDone: string, error: unknown): string {
  const words = failureWords(error);
  return error instanceof UnreachableError ? words : `${notDone}: ${words}`;
}

/** Why something could not be read. */
export function readFailureWords(error: unknown): string {
  if (error instanceof UnreachableError) return "The daemon does not answer.";
  if (error instanceof SignalboxError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}
