import type { Json } from "../../core/index.js";

/** The field of an input that says most, in this order. */
const SUBJECTS = [
  "command",
  "cmd",
  "file_path",
  "path",
  "filePath",
  "url",
  "query",
  "pattern",
  "question",
  "description",
];
const LENGTH_MAX = 300;

export interface ToolInput {
  /** What it is about, in one line. */
  readonly subject: string;
  /** All of it, as text. */
  readonly whole: string;
}

/** Of a call's input, or of the text of it that came so far. */
export function toolInput(input: Json | null, args: string): ToolInput {
  const value = input ?? parse(args);
  if (value === null) return { subject: "", whole: args };
  if (typeof value === "string") return { subject: line(value), whole: value };
  const whole = JSON.stringify(value, null, 2);
  if (typeof value !== "object" || Array.isArray(value)) return { subject: line(whole), whole };
  const fields = new Map(Object.entries(value));
  const found = SUBJECTS.map((name) => fields.get(name)).find(
    (field) => typeof field === "string" && field !== "",
  );
  const [first] = [...fields.values()].filter((field) => typeof field === "string");
  const subject = found ?? first;
  return { subject: typeof subject === "string" ? line(subject) : "", whole: fields.size === 0 ? "" : whole };
}

function parse(args: string): Json | null {
  if (args === "") return null;
  try {
    return JSON.parse(args) as Json;
  } catch {
    // Still being written.
    return null;
  }
}

function line(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").slice(0, LENGTH_MAX);
}
