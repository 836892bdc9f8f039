import type { Entry } from "../../core/index.js";
import type { Line } from "./conversation.js";

const CUT_OFF = "\n\n[The agent's process ended here.]";
const NO_RESULT = "The agent's process ended before this had a result. It may or may not have been done.";

/** What a conversation lacks that broke off: text that was shown, and a result for every call. */
export function repaired(lines: readonly Line[]): readonly Entry[] {
  let shown = "";
  const open = new Map<string, Entry>();
  for (const line of lines) {
    if (line.type === "chunk") shown += line.text;
    if (line.type !== "entry") continue;
    const { entry } = line;
    // Text before a call was committed with it, unless it was nothing but space.
    if (entry.type === "text" || entry.type === "tool_call" || entry.type === "user_message") shown = "";
    if (entry.type === "tool_call") open.set(entry.id, entry);
    if (entry.type === "tool_result") open.delete(entry.toolUseId);
  }
  const text: readonly Entry[] = shown.trim() === "" ? [] : [{ type: "text", content: `${shown}${CUT_OFF}` }];
  const results = [...open.keys()].map((toolUseId): Entry => ({
    type: "tool_result",
    toolUseId,
    content: NO_RESULT,
    isError: true,
    remote: false,
  }));
  return [...text, ...results];
}
