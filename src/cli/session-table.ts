import { userInfo } from "node:os";
import { homeFolder } from "../protocol/folder-variables.js";
import type { SessionSummary } from "../protocol/session.js";
import { shortIds } from "./session-name.js";
import { listedWord, statusColour } from "./status-words.js";
import { textTable, type Cell, type TableLook } from "./text-table.js";
import { columnsOf } from "./text-width.js";
import { timeAgo } from "./time-span.js";

const HEADER = ["ID", "STATUS", "AGENT", "CHANGED", "FOLDER", "TITLE"];
/** What there may be no room for, the most dispensable first, and how wide the title must be with it. */
const DISPENSABLE = [
  ["FOLDER", 32],
  ["CHANGED", 12],
  ["AGENT", 12],
] as const;
const FOLDER_WIDTH_MAX = 32;
const GAP_WIDTH = 2;
/** Beside the agent that gets messages without an ID. */
export const CONNECTED_MARK = "*";

export interface SessionTableLook extends TableLook {
  /** The session that gets messages without an ID. */
  readonly connected?: string | null;
  readonly home?: string;
}

/** A line for each session, after one that names the columns. */
export function sessionTable(sessions: readonly SessionSummary[], look: SessionTableLook): readonly string[] {
  const short = shortIds(sessions.map((session) => session.id));
  const home = look.home ?? homeFolder(process.env, () => userInfo().homedir);
  const rows = sessions.map((session): readonly (string | Cell)[] => [
    short.get(session.id) ?? session.id,
    { text: listedWord(session), colour: statusColour(session) },
    session.id === look.connected
      ? { text: `${session.harness} ${CONNECTED_MARK}`, colour: "green" }
      : session.harness,
    timeAgo(session.statusSinceMs),
    shortFolder(session.cwd, home),
    session.title,
  ]);
  const shown = shownColumns(rows, look.widthMax);
  return textTable(
    shown.map((column) => HEADER[column] ?? ""),
    rows.map((row) => shown.map((column) => row[column] ?? "")),
    look,
  );
}

/** From the home folder, and no more of its end than there is room for. */
function shortFolder(cwd: string, home: string): string {
  const folder = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  return folder.length <= FOLDER_WIDTH_MAX ? folder : `…${folder.slice(1 - FOLDER_WIDTH_MAX)}`;
}

/** The columns that leave enough room for the title, by number. What is not for a terminal has no folders: it has --json. */
function shownColumns(
  rows: readonly (readonly (string | Cell)[])[],
  widthMax: number | undefined,
): readonly number[] {
  const widthOf = (cell: string | Cell) => columnsOf(typeof cell === "string" ? cell : cell.text);
  const widths = HEADER.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  let shown = HEADER.map((_name, column) => column);
  for (const [name, titleWidthMin] of DISPENSABLE) {
    const before = shown.slice(0, -1).reduce((sum, column) => sum + (widths[column] ?? 0) + GAP_WIDTH, 0);
    const isRoom = widthMax === undefined ? name !== "FOLDER" : before + titleWidthMin <= widthMax;
    if (isRoom) break;
    shown = shown.filter((column) => HEADER[column] !== name);
  }
  return shown;
}
