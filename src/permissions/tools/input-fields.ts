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
