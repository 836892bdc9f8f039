/**
 * Adds one text to a list of a TOML file, and changes nothing else: comments, order, blanks and line ends stay as they
 * are, byte for byte.
 */
import { parse, type TomlTable, type TomlValue } from "smol-toml";
import { scanToml, type TomlEntry, type TomlOutline } from "./scan-toml.js";

export type Added =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** `text` must be valid TOML. What comes out was parsed again and found to differ by the item alone. */
export function addToList(text: string, table: string, key: string, item: string): Added {
  const outline = scanToml(text);
  const changed = insert(text, outline, table, key, JSON.stringify(item).replaceAll("\u007f", "\\u007f"));
  if (changed === null)
    return { ok: false, message: `[${table}] is written in a way that cannot be added to; add it by hand` };
  if (!isOnlyListChanged(text, changed, table, key, (items) => [...items, item]))
    return { ok: false, message: `${JSON.stringify(item)} cannot be written there; add it by hand` };
  return { ok: true, text: changed };
}

function insert(
  text: string,
  outline: TomlOutline,
  table: string,
  key: string,
  literal: string,
): string | null {
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  const list = outline.entries.find(({ path }) => path.length === 2 && path[0] === table && path[1] === key);
  if (list) return intoList(text, list, literal, newLine);
  const ofTable = outline.entries.filter(({ path }) => path.length === 2 && path[0] === table);
  const last = ofTable.at(-1);
  // A table within braces has its entries on one line: nothing is put between them.
  if (
    outline.entries.some(
      ({ path, value }) => path.length === 1 && path[0] === table && value.type === "other",
    )
  )
    return null;
  const header = outline.headers.find(({ path }) => path.length === 1 && path[0] === table);
  if (last) {
    const name = last.tableDepth === 0 ? `${table}.${key}` : key;
    return lineAfter(text, last.end, `${indentAt(text, last.keyStart)}${name} = [${literal}]`, newLine);
  }
  if (header) return lineAfter(text, header.end, `${key} = [${literal}]`, newLine);
  const gap = text === "" ? "" : text.endsWith("\n") ? newLine : `${newLine}${newLine}`;
  return `${text}${gap}[${table}]${newLine}${key} = [${literal}]${newLine}`;
}

function intoList(text: string, list: TomlEntry, literal: string, newLine: string): string | null {
  if (list.value.type !== "list" || !list.value.isClosed) return null;
  const last = list.value.items.at(-1);
  const closing = list.end - 1;
  const isBrokenAfter = (offset: number): boolean => text.slice(offset, closing).includes("\n");
  if (!last) {
    const line = `${indentAt(text, list.keyStart)}  ${literal},`;
    const inside = list.start + 1;
    return isBrokenAfter(inside) ? lineAfter(text, inside, line, newLine) : put(text, inside, literal);
  }
  const comma = commaAfter(text, last.end, closing);
  // Right after the last item this is right with a comma behind it, and without.
  if (!isBrokenAfter(comma ?? last.end)) return put(text, last.end, `, ${literal}`);
  const withComma = comma === null ? put(text, last.end, ",") : text;
  return lineAfter(withComma, comma ?? last.end, `${indentAt(text, last.start)}${literal},`, newLine);
}

/** Behind the comma that follows `from`, which may stand on a later line; null when there is none. */
function commaAfter(text: string, from: number, until: number): number | null {
  const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex < until && text[blank.lastIndex] === "," ? blank.lastIndex + 1 : null;
}

/** A line of its own behind the one that `offset` is in. */
function lineAfter(text: string, offset: number, line: string, newLine: string): string {
  const end = text.indexOf("\n", offset);
  if (end < 0) return `${text}${newLine}${line}${newLine}`;
  return put(text, end + 1, `${line}${newLine}`);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function put(text: string, offset: number, piece: string): string {
  return text.slice(0, offset) + piece + text.slice(offset);
}

/** Whether `after` differs by this list alone. As it will be read again, from bytes. */
export function isOnlyListChanged(
  before: string,
  after: string,
  table: string,
  key: string,
  change: (items: readonly TomlValue[]) => TomlValue[],
): boolean {
  const expected = parse(before);
  const tableBefore = expected[table];
  const held = isTable(tableBefore) ? tableBefore : {};
  const list = held[key];
  const items: TomlValue[] = Array.isArray(list) ? list : [];
  const wanted = { ...expected, [table]: { ...held, [key]: change(items) } };
  try {
    return canonical(parse(Buffer.from(after).toString())) === canonical(wanted);
  } catch {
    // Not TOML any more: it is refused, whatever the reason.
    return false;
  }
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
}

/** The same for tables that differ by the order of their keys alone. */
function canonical(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isTable(value)) return JSON.stringify([typeof value, String(value)]);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? "")}`);
  return `{${fields.join(",")}}`;
}
