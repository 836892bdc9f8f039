import type { Told } from "../agents/event-tap.js";

type Payload = Readonly<Record<string, unknown>>;
type Piece = "text_delta" | "thinking_delta";

/** Ids that differ from run to run, each with the name that stands for it. */
const IDS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/(?<="messageId":")[^"]+/g, "message"],
  [/question-\d+-\d+/g, "question"],
  [/\b(?:toolu|call)_sb\d+/g, "call"],
];

/** What was told of a session, a line for each: the same session gives the same text. */
export function recordingOf(told: readonly Told[], names: Readonly<Record<string, string>>): string {
  const lines = joined(told).map(({ channel, type, payload }) => {
    const fields = Object.entries(payload).filter(([key]) => key !== "type" && !key.endsWith("AtMs"));
    return `${channel} ${type} ${JSON.stringify(Object.fromEntries(fields))}`;
  });
  let text = `${lines.join("\n")}\n`;
  for (const [name, value] of Object.entries(names)) text = text.replaceAll(value, name);
  for (const [pattern, name] of IDS) text = numbered(text, pattern, name);
  return text;
}

interface Line {
  readonly channel: "stream" | "state";
  readonly type: string;
  readonly payload: Payload;
}

/** A text is one line, however many pieces it came in. */
function joined(told: readonly Told[]): readonly Line[] {
  const lines: Line[] = [];
  let message: string | undefined;
  for (const { channel, event } of told) {
    const type = "type" in event ? event.type : event.payload.type;
    const payload = event.payload as Payload;
    const last = lines.at(-1);
    const isPiece = channel === "stream" && isText(type);
    if (isPiece && last?.type === type && message === event.messageId) {
      lines.pop();
      const before = payload["replace"] === true ? "" : String(last.payload["text"]);
      lines.push({ channel, type, payload: { text: before + String(payload["text"]) } });
    } else lines.push({ channel, type, payload });
    message = isPiece ? event.messageId : undefined;
  }
  return lines;
}

function isText(type: string): type is Piece {
  return type === "text_delta" || type === "thinking_delta";
}

/** The first is 1, wherever it is named again. */
function numbered(text: string, pattern: RegExp, name: string): string {
  const seen = new Map<string, string>();
  return text.replace(pattern, (id) => {
    const known = seen.get(id) ?? `<${name} ${seen.size + 1}>`;
    seen.set(id, known);
    return known;
  });
}
