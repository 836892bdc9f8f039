import { closeSync, fsyncSync, openSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
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

/**
 * Syncs the log that is being written, beside whoever writes it. SQLite has no locks on this file, so that it may be closed
 * at any time.
 */
export class LogSync {
  private file: FileHandle | null = null;

  constructor(private readonly path: string) {}

  /** Resolves when all that was in the log is on the disk. Called one after the other. */
  async sync(): Promise<void> {
    this.file ??= await open(`${this.path}-wal`, "r");
    await this.file.datasync();
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}
