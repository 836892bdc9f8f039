/** The one line that says what an agent did last, from what it streams. It never says whether it still does. */
import type { StreamEvent } from "../core/index.js";
import type { StateEvent } from "../protocol/state-event.js";

export interface Activity {
  readonly type: "text" | "thinking" | "tool" | "message" | "error";
  /** The last line of a text, a tool's name, what a person wrote. */
  readonly text: string;
  readonly atMs: number;
}

const LENGTH_MAX = 240;

export interface Doing {
  readonly activity: Activity | null;
  /** The message that is being written, and its end so far: its pieces become one line. */
  readonly writing: { readonly key: string; readonly tail: string } | null;
}

export const NOT_DOING: Doing = { activity: null, writing: null };

/** The same object when the event says nothing that fits into a line. */
export function doingAfter(doing: Doing, event: StreamEvent): Doing {
  const { type, payload, timestampMs: atMs } = event;
  switch (type) {
    case "text_delta":
    case "thinking_delta":
      return written(doing, event, type === "text_delta" ? "text" : "thinking");
    case "tool_call_delta":
    case "tool_call_completed": {
      const text = line(payload["name"]);
      return text === "" ? doing : { activity: { type: "tool", text, atMs }, writing: null };
    }
    case "user_message": {
      const text = line(payload["text"]);
      return text === "" ? doing : { activity: { type: "message", text, atMs }, writing: null };
    }
    case "error": {
      const text = line(payload["message"]);
      return text === "" ? doing : { activity: { type: "error", text, atMs }, writing: null };
    }
    case "artifact_delta":
    case "completed":
    case "status":
    case "metadata":
    case "ask":
      return doing;
  }
}

/** A tool is told on the channel of states as well, where nothing else says its name. */
export function doingAfterState(doing: Doing, { payload, timestampMs }: StateEvent): Doing {
  if (payload.type !== "tool_lifecycle" || payload.status !== "running") return doing;
  if (payload.toolName === "") return doing;
  return { activity: { type: "tool", text: payload.toolName, atMs: timestampMs }, writing: null };
}

function written(doing: Doing, event: StreamEvent, type: "text" | "thinking"): Doing {
  const { payload } = event;
  const added = payload["text"];
  if (typeof added !== "string" || added === "") return doing;
  const key = `${type}:${event.messageId ?? event.streamId}`;
  const goesOn = doing.writing?.key === key && payload["replace"] !== true;
  // Only the end of a long piece is looked at: one delta may be a megabyte.
  const tail = `${goesOn ? doing.writing.tail : ""}${added.slice(-2 * LENGTH_MAX)}`.slice(-2 * LENGTH_MAX);
  return { activity: { type, text: lastLine(tail), atMs: event.timestampMs }, writing: { key, tail } };
}

/** The last line that says something. */
function lastLine(text: string): string {
  const last = text.split("\n").findLast((each) => each.trim() !== "") ?? "";
  return last.trim().slice(-LENGTH_MAX);
}

function line(value: unknown): string {
  if (typeof value !== "string") return "";
  return (
    value
      .slice(0, 4 * LENGTH_MAX)
      .trim()
      .split("\n", 1)[0] ?? ""
  ).slice(0, LENGTH_MAX);
}
