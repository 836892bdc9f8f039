/** The one connection that writes. It lives on the commit thread. */
import { JournalError } from "../journal-error.js";
import { Database } from "./database.js";
import { OldRows } from "./old-rows.js";
import { prepareForWriting } from "./schema.js";
import { StreamCompactor } from "./stream-compactor.js";
import { PreparedWrite, type StatementName, type Write } from "./writes.js";

/** Readers do not keep a writer waiting; only another program at the file does. */
const BUSY_TIMEOUT_MS = 5_000;

export class Writer {
  private readonly database: Database;
  private readonly prepared = new Map<StatementName, PreparedWrite>();
  private readonly compactor: StreamCompactor;
  private readonly oldRows: OldRows;
  private sync: "full" | "normal" | null = null;

  constructor(path: string) {
    this.database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      prepareForWriting(this.database);
      this.compactor = new StreamCompactor(this.database);
      this.oldRows = new OldRows(this.database);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  commit(sync: "full" | "normal", writes: readonly Write[]): void {
    this.setSync(sync);
    this.database.transaction(() => {
      for (const write of writes) this.preparedFor(write.statement).run(write);
    });
  }

  /** A power cut may undo it: then the stream is still listed as finished, and it is done again. */
  compact(sessionKey: number, streamId: string): Generator<void> {
    return this.unsynced(this.compactor.compact(sessionKey, streamId));
  }

  deleteRemoved(): Generator<void> {
    return this.unsynced(this.oldRows.deleteRemoved());
  }

  deleteBefore(receiptsBeforeMs: number, entriesBeforeMs: number | null): Generator<void> {
    return this.unsynced(this.oldRows.deleteBefore(receiptsBeforeMs, entriesBeforeMs));
  }

  close(): void {
    try {
      this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // Nothing is lost: the next one to open the journal reads the log that is still there.
      if (!(error instanceof JournalError)) throw error;
    } finally {
      this.database.close();
    }
  }

  /** Commits that go in between may be synced; these steps need not be. */
  private *unsynced(steps: Generator<void>): Generator<void> {
    this.setSync("normal");
    for (const _step of steps) {
      yield;
      this.setSync("normal");
    }
  }

  private preparedFor(name: StatementName): PreparedWrite {
    const known = this.prepared.get(name);
    if (known) return known;
    const prepared = new PreparedWrite(this.database, name);
    this.prepared.set(name, prepared);
    return prepared;
  }

  private setSync(sync: "full" | "normal"): void {
    if (this.sync === sync) return;
    this.database.exec(`PRAGMA synchronous = ${sync}`);
    this.sync = sync;
  }
}
