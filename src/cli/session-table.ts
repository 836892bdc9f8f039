import type { SessionSummary } from "../protocol/session.js";
import type { Status } from "../core/session/state.js";
import type { Colour } from "./paint.js";
import { shortIds } from "./session-name.js";
import { textTable, type Cell, type TableLook } from "./text-table.js";
import { timeAgo } from "./time-span.js";

export const STATUS_COLOURS: Readonly<Record<Status, Colour>> = {
  idle: "dim",
  creating: "green",
  streaming: "green",
  waiting_approval: "yellow",
  waiting_input: "yellow",
  completed: "bold",
  paused: "dim",
  error: "red",
  stopped: "dim",
};

const HEADER = ["ID", "STATUS", "HARNESS", "CHANGED", "TITLE"];

/** A line for each session, after one that names the columns. */
export function sessionTable(sessions: readonly SessionSummary[], look: TableLook): readonly string[] {
  const short = shortIds(sessions.map((session) => session.id));
  const rows = sessions.map((session): readonly (string | Cell)[] => [
    short.get(session.id) ?? session.id,
    { text: session.status, colour: STATUS_COLOURS[session.status] },
    session.harness,
    timeAgo(session.updatedAtMs),
    session.title,
  ]);
  return textTable(HEADER, rows, look);
}
