import { closeSync, fsyncSync, openSync } from "node:fs";
import { JournalError } from "../journal-error.js";

/** What was committed last, by a daemon that did not wait for the disk, may be in memory only. Nobody has it open yet. */
export function syncLog(path: string): void {
  try {
    const log = openSync(`${path}-wal`, "r");
    try {
      fsyncSync(log);
    } finally {
      closeSync(log);
    }
  } catch (error) {
    // The last one to close it has left no log.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new JournalError("io", `${path}-wal cannot be synced: ${reason}`, { cause: error });
  }
}
