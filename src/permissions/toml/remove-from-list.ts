/**
 * Takes texts out of a list of a TOML file, and changes nothing else, byte for byte. A comment behind a text on its own
 * line is about it, and goes with it; all others stay.
 */
import type { TomlValue } from "smol-toml";
import { isOnlyListChanged } from "./add-to-list.js";
import { scanToml, type TomlItem } from "./scan-toml.js";

export type Removed =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** `text` must be valid TOML, and the list hold at least one that is meant. */
export function removeFromList(
  text: string,
  table: string,
  key: string,
  isMeant: (item: string) => boolean,
): Removed {
  const list = scanToml(text).entries.find(
    ({ path }) => path.length === 2 && path[0] === table && path[1] === key,
  );
  const items = list?.value.type === "list" && list.value.isClosed ? list.value.items : [];
  let changed = text;
  // From the end: what stands before keeps its place.
  for (const [index, item] of [...items.entries()].reverse())
    if (item.text !== null && isMeant(item.text)) changed = without(changed, item, items[index - 1]);
  const keep = (held: readonly TomlValue[]): TomlValue[] =>
    held.filter((each) => typeof each !== "string" || !isMeant(each));
  if (changed === text || !isOnlyListChanged(text, changed, table, key, keep))
    return {
      ok: false,
      message: `[${table}] is written in a way that cannot be taken from; delete it by hand`,
    };
  return { ok: true, text: changed };
}

const REST_OF_LINE = /[ \t]*,?[ \t]*(?:#[^\n]*)?\r?\n/y;
const COMMA = /[ \t]*,[ \t]*/y;

function without(text: string, { start, end }: TomlItem, previous: TomlItem | undefined): string {
  const cut = (from: number, to: number): string => text.slice(0, from) + text.slice(to);
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = endOf(REST_OF_LINE, text, end);
  if (lineEnd !== null && text.slice(lineStart, start).trim() === "") return cut(lineStart, lineEnd);
  const commaEnd = endOf(COMMA, text, end);
  if (commaEnd !== null) return cut(start, commaEnd);
  // The last of its list, on one line with the one before: the comma between them goes too.
  const isAfter = previous !== undefined && /^[ \t]*,[ \t]*$/.test(text.slice(previous.end, start));
  return cut(isAfter ? previous.end : start, end);
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}
