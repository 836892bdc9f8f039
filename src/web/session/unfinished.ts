import type { Item, Status } from "../../core/index.js";

/** What becomes of something that was begun and has not ended. `left`: nothing more, as far as anybody knows. */
export type Unfinished = "running" | "asked" | "pending" | "left";

export function isUnfinished(item: Item): boolean {
  if (item.type === "tool_call") return item.state === "running";
  return item.type === "thinking" && item.state === "streaming";
}

/** The stream says only that it began; whether it goes on is the session's to say. */
export function unfinishedIn(status: Status, isAsked: boolean): Unfinished {
  switch (status) {
    case "creating":
    case "streaming":
      return isAsked ? "asked" : "running";
    case "waiting_approval":
    case "waiting_input":
      return isAsked ? "asked" : "pending";
    case "idle":
    case "completed":
    case "paused":
    case "error":
    case "stopped":
      return "left";
  }
}
