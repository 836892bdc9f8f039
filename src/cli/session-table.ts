import type { SessionSummary } from "../protocol/session.js";
import { shortIds } from "./session-name.js";
import { statusColour, statusWord } from "./status-words.js";
import { textTable, type Cell, type TableLook } from "./text-table.js";
import { timeAgo } from "./time-span.js";

const HEADER = ["ID", "STATUS", "HARNESS", "CHANGED", "TITLE"];
/** What a narrow terminal has no room for, and a title is then told more by: first the one, then both. */
const DISPENSABLE = ["CHANGED", "HARNESS"];
const TITLE_WIDTH_MIN = 12;
const GAP_WIDTH = 2;

/** A line for each session, after one that names the columns. */
export function sessionTable(sessions: readonly SessionSummary[], look: TableLook): readonly string[] {
  const short = shortIds(sessions.map((session) => session.id));
  const rows = sessions.map((session): readonly (string | Cell)[] => [
    short.get(session.id) ?? session.id,
    { text: statusWord(session), colour: statusColour(session) },
    session.harness,
    timeAgo(session.statusSinceMs),
    session.title,
  ]);
  const shown = shownColumns(rows, look.widthMax ?? Infinity);
  return textTable(
    shown.map((column) => HEADER[column] ?? ""),
    rows.map((row) => shown.map((column) => row[column] ?? "")),
    look,
  );
}

/** The columns that leave enough room for the title, by number. */
function shownColumns(rows: readonly (readonly (string | Cell)[])[], widthMax: number): readonly number[] {
  const widthOf = (cell: string | Cell) => (typeof cell === "string" ? cell : cell.text).length;
  const widths = HEADER.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  let shown = HEADER.map((_name, column) => column);
  for (const name of DISPENSABLE) {
    const before = shown.slice(0, -1).reduce((sum, column) => sum + (widths[column] ?? 0) + GAP_WIDTH, 0);
    if (before + TITLE_WIDTH_MIN <= widthMax) break;
    shown = shown.filter((column) => HEADER[column] !== name);
  }
  return shown;
}
