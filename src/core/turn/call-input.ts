/** What the machine itself reads from the input of a call; everything else in it is the tool's business. */
import type { Json } from "../schema.js";
import type { Suggestion } from "./state.js";

/** No call may ask for more. */
export const ASKED_TIMEOUT_MAX_S = 600;

/** The timeout that a call asks for with its `timeout` in seconds, or null. */
export function askedTimeoutMs(input: Json): number | null {
  const timeout = fieldOf(input, "timeout");
  if (typeof timeout !== "number" || timeout <= 0) return null;
  return Math.ceil(Math.min(timeout, ASKED_TIMEOUT_MAX_S) * 1000);
}

/** The command that a `suggest_command` carries; null when it carries none. */
export function suggestionIn(input: Json): Suggestion | null {
  const command = fieldOf(input, "command");
  return typeof command === "string" ? { command, danger: dangerIn(input) } : null;
}

function dangerIn(input: Json): Suggestion["danger"] {
  const danger = fieldOf(input, "danger");
  if (danger === "high") return "high";
  return danger === "medium" || danger === "med" ? "medium" : "low";
}

function fieldOf(input: Json, name: string): Json | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  return Object.entries(input).find(([key]) => key === name)?.[1];
}
