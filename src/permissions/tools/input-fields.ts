/** What stands in the fields of a tool's input, of whatever shape. */
import type { Json } from "../../core/index.js";

const VALUES_MAX = 200;

/** What the named fields hold; null when one of them holds something else than texts. Empty: none of them is there. */
export function textsIn(input: Json, fields: readonly string[]): readonly string[] | null {
  const texts: string[] = [];
  for (const value of fieldsOf(input, fields)) {
    const found = textsOf(value);
    if (!found) return null;
    texts.push(...found);
  }
  return texts.length > VALUES_MAX ? null : [...new Set(texts)];
}

/** Whether one of them is there at all. */
export function hasAny(input: Json, fields: readonly string[]): boolean {
  return fieldsOf(input, fields).length > 0;
}

/** Words that stand behind a command, as a shell would need them; null when they are none. */
export function argumentsIn(input: Json, fields: readonly string[]): string | null {
  const texts = fieldsOf(input, fields).map((value) => {
    if (typeof value === "string") return value;
    const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
    return isWords ? (value as readonly string[]).map(quoted).join(" ") : null;
  });
  return texts.includes(null) ? null : texts.filter((text) => text !== "").join(" ");
}

/** Variables as assignments in front of a command: of an object, or of a list of names and values. */
export function assignmentsIn(input: Json, fields: readonly string[]): readonly string[] | null {
  const assignments: string[] = [];
  for (const value of fieldsOf(input, fields)) {
    if (typeof value !== "object" || value === null) return null;
    const pairs = Array.isArray(value) ? value.map(pairOf) : Object.entries(value);
    for (const [name, text] of pairs) {
      if (!/^[A-Za-z_]\w*$/.test(name) || typeof text === "object") return null;
      assignments.push(`${name}=${quoted(String(text))}`);
    }
  }
  return assignments;
}

/** `NAME=value`, or an object that has both. */
function pairOf(item: Json): readonly [name: string, value: Json] {
  if (typeof item === "string") {
    const [name = "", value = ""] = item.split(/=(.*)/s);
    return [name, value];
  }
  const [name] = fieldsOf(item, ["name"]);
  const [value = null] = fieldsOf(item, ["value"]);
  return [typeof name === "string" ? name : "", value];
}

/** A list of words is one command: it is quoted as a shell would need it. */
export function commandsIn(input: Json, fields: readonly string[]): readonly string[] | null {
  const commands: string[] = [];
  for (const field of fields) {
    for (const value of fieldsOf(input, [field])) {
      const texts = textsOf(value);
      if (!texts) return null;
      // `commands` is a list of lines, `command` may be a list of words.
      if (Array.isArray(value) && field !== "commands") commands.push(texts.map(quoted).join(" "));
      else commands.push(...texts);
    }
  }
  return commands.length > VALUES_MAX ? null : [...new Set(commands)];
}

function fieldsOf(input: Json, fields: readonly string[]): readonly Json[] {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return [];
  const record = input as Readonly<Record<string, Json>>;
  return fields
    .filter((field) => Object.hasOwn(record, field))
    .map((field) => record[field] ?? null)
    .filter((value) => value !== null);
}

/** A text, a list of texts, or a list of objects that name a file each. */
function textsOf(value: Json): readonly string[] | null {
  if (typeof value === "string") return value === "" ? null : [value];
  if (!Array.isArray(value)) return null;
  const texts = value.map((item: Json) => (typeof item === "string" ? item : pathOf(item)));
  return texts.every((text) => text !== null && text !== "") ? (texts as readonly string[]) : null;
}

function pathOf(item: Json): string | null {
  const [path] = fieldsOf(item, ["path", "file_path", "filePath", "file"]);
  return typeof path === "string" ? path : null;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
