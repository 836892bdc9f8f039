/** Whether a journal's file is as it was written: by SQLite's own checks, and by the checksums of its rows. */
import { JournalError } from "../journal-error.js";
import type { Database } from "./database.js";
import { ENTRY_COLUMNS, isEntryIntact, MESSAGE_COLUMNS, messageFrom } from "./entry-reader.js";
import type { EntryRow, MessageRow } from "./entry-reader.js";
import { loadJournal } from "./load-journal.js";
import { salvagedRows, sessionIdsOf } from "./salvage.js";
import { textColumn, textOf, type StoredText } from "./stored-row.js";

export interface Examination {
  /** What is wrong with the file as a whole: nobody may write to it. */
  readonly problems: readonly string[];
  /** Rows that are not as they were written; the newest are left out when there are very many. */
  readonly damaged: readonly DamagedRow[];
  readonly damagedCount: number;
}

export interface DamagedRow {
  readonly sessionId: string | null;
  /** Of an entry; null for a message. */
  readonly position: number | null;
  readonly messageId?: string;
}

const PROBLEMS_MAX = 10;
const DAMAGED_MAX = 100;

/** Fast: the structure, not what is in it. */
export function checkStructure(
  database: Database,
  pragma: "quick_check" | "integrity_check",
): readonly string[] {
  try {
    const rows = database.rows(
      `SELECT ${textColumn(pragma, "said")} FROM pragma_${pragma}(${PROBLEMS_MAX})`,
    ) as readonly { said: StoredText }[];
    return rows.map(({ said }) => textOf(said)).filter((said) => said !== "ok");
  } catch (error) {
    // A file that is no database at all has no structure.
    if (!(error instanceof JournalError) || !error.message.includes("SQLITE_CORRUPT")) throw error;
    return [error.message];
  }
}

/** Reads all of it. */
export function examine(database: Database): Examination {
  const problems = [...checkStructure(database, "integrity_check"), ...loadJournal(database).problems];
  const damaged: DamagedRow[] = [];
  let damagedCount = 0;
  const add = (row: DamagedRow): void => {
    damagedCount += 1;
    if (damaged.length < DAMAGED_MAX) damaged.push(row);
  };
  const sessionIds = sessionIdsOf(database);
  const isGone = removedKeys(database);
  for (const row of salvagedRows(database, {
    table: "entries",
    key: "position",
    columns: ENTRY_COLUMNS,
    onLost: (position) => add({ sessionId: null, position }),
  }) as Iterable<EntryRow>) {
    const sessionId = sessionIds.get(row.session_key) ?? null;
    if (isGone.has(row.session_key)) continue;
    if (sessionId === null || !isEntryIntact(row)) add({ sessionId, position: row.position });
  }
  for (const row of salvagedRows(database, {
    table: "messages",
    key: "rowid",
    columns: MESSAGE_COLUMNS,
    onLost: () => add({ sessionId: null, position: null }),
  }) as Iterable<MessageRow>) {
    const sessionId = sessionIds.get(row.session_key) ?? null;
    if (sessionId === null || !isMessageIntact(row, sessionId))
      add({ sessionId, position: null, messageId: textOf(row.message_id) });
  }
  return { problems: problems.slice(0, PROBLEMS_MAX), damaged, damagedCount };
}

function isMessageIntact(row: MessageRow, sessionId: string): boolean {
  try {
    messageFrom(row, sessionId);
    return true;
  } catch (error) {
    if (error instanceof JournalError || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Their entries are being deleted. */
function removedKeys(database: Database): ReadonlySet<number> {
  const rows = salvagedRows(database, {
    table: "removed_sessions",
    key: "session_key",
    columns: ["session_key"],
  }) as Iterable<{ readonly session_key: number }>;
  return new Set([...rows].map(({ session_key }) => session_key));
}
