import type { Json } from "../core/index.js";
import type { AskDetail } from "./session-record.js";

/** What was read of a screen, without any choice that was understood: what its keys mean nobody knows. */
export function isAtTerminal({ tool }: Pick<AskDetail, "tool">): boolean {
  if (!isObject(tool) || tool["name"] !== "screen") return false;
  const input = tool["input"] ?? null;
  if (!isObject(input)) return false;
  const choices = input["choices"];
  return Array.isArray(choices) && choices.length === 0;
}

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
