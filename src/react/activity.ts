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

interface Writing {
  readonly activity: Activity | null;
  /** The message that is being written, so that its pieces become one line. */
  readonly messageKey: string | null;
}

export type Doing = Writing;

export const NOT_DOING: Doing = { activity: null, messageKey: null };

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
      return text === "" ? doing : { activity: { type: "tool", text, atMs }, messageKey: null };
    }
    case "user_message": {
      const text = line(payload["text"]);
      return text === "" ? doing : { activity: { type: "message", text, atMs }, messageKey: null };
    }
    case "error": {
      const text = line(payload["message"]);
      return text === "" ? doing : { activity: { type: "error", text, atMs }, messageKey: null };
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
  return { activity: { type: "tool", text: payload.toolName, atMs: timestampMs }, messageKey: null };
}

function written(doing: Doing, event: StreamEvent, type: "text" | "thinking"): Doing {
  const { payload } = event;
  const added = payload["text"];
  if (typeof added !== "string" || added === "") return doing;
  const messageKey = `${type}:${event.messageId ?? event.streamId}`;
  const goesOn = doing.messageKey === messageKey && payload["replace"] !== true;
  const before = goesOn ? (doing.activity?.text ?? "") : "";
  const text = lastLine(before, added);
  return { activity: { type, text, atMs: event.timestampMs }, messageKey };
}

/** Only the end of a long piece is looked at: one delta may be a megabyte. */
function lastLine(before: string, added: string): string {
  const tail = `${before}${added.slice(-4 * LENGTH_MAX)}`;
  const lines = tail.split("\n");
  const last = lines.findLast((each) => each.trim() !== "") ?? "";
  return last.trimStart().slice(-LENGTH_MAX);
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
