import { clipped } from "./plain-text.js";

const INPUT_LENGTH_MAX = 120;

/** The fields that say most about a tool's input, best first. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "path",
  "pattern",
  "query",
  "url",
  "question",
  "description",
  "prompt",
];

/** What a tool was asked to do, on one line. */
export function describeInput(input: unknown): string {
  return clipped(tellingPart(typeof input === "string" ? parsed(input) : input), INPUT_LENGTH_MAX);
}

function tellingPart(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map<string, unknown>(Object.entries(input));
  const telling = TELLING.map((name) => fields.get(name)).find((value) => typeof value === "string");
  if (telling !== undefined) return telling;
  return fields.size === 0 ? "" : JSON.stringify(input);
}

/** Arguments come as the text of a JSON value, perhaps cut off. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
