import { SignalboxError, UnreachableError } from "../../client/signalbox-error.js";

/** Why something could not be done, for a person. */
export function failureWords(error: unknown): string {
  if (error instanceof UnreachableError) return "The daemon does not answer. Nothing was changed.";
  if (error instanceof SignalboxError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}
