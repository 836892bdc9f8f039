/**
 * At most one process has a journal open.
 *
 * The lock is an open transaction on a tiny database of its own, beside the journal. The operating system ends it with
 * the process, also after `kill -9`, so it is never stale. The file stays: removing it could take it from under somebody
 * who is just opening it.
 */
import { JournalError } from "../journal-error.js";
import { createPrivateFile } from "./private-file.js";
import { Database } from "./database.js";

export interface Lock {
  release(): void;
}

/** Throws `busy` when another process, or this one, has the journal open. */
export function lockJournal(journalPath: string): Lock {
  const path = `${journalPath}.lock`;
  createPrivateFile(path);
  const database = new Database(path, { busyTimeoutMs: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!(error instanceof JournalError) || error.code !== "busy") throw error;
    throw new JournalError("busy", `${journalPath} is open in another process.`, { cause: error });
  }
  return { release: () => database.close() };
}
