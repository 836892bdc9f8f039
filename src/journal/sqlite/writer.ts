/** The one connection that writes. It lives on the commit thread. */
import { JournalError } from "../journal-error.js";
import { Database } from "./database.js";
import { OldRows } from "./old-rows.js";
import { prepareForWriting } from "./schema.js";
import { StreamCompactor } from "./stream-compactor.js";
import { PreparedWrite, type StatementName, type Write } from "./writes.js";

/** Readers do not keep a writer waiting; only another program at the file does. */
const BUSY_TIMEOUT_MS = 5_000;
/** Reads are short, and commits wait meanwhile. */
const TRUNCATE_TIMEOUT_MS = 50;

export class Writer {
  private readonly database: Database;
  private readonly prepared = new Map<StatementName, PreparedWrite>();
  private readonly compactor: StreamCompactor;
  private readonly oldRows: OldRows;
  private sync: "full" | "normal" | null = null;
  /** A reader was in the way of the log's end: what was deleted can still be read there. */
  isEraseOwed = false;

  constructor(path: string) {
    this.database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      prepareForWriting(this.database, path);
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

  setMeta(values: Readonly<Record<string, string>>): void {
    const put = this.database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
    this.database.transaction(() => {
      for (const [name, value] of Object.entries(values)) put.run([name, value]);
    });
  }

  /** A power cut may undo it: then the stream is still listed as finished, and it is done again. */
  compact(sessionKey: number, streamId: string): Generator<void> {
    return this.unsynced(this.compactor.compact(sessionKey, streamId));
  }

  /** What removed sessions left, in the tables and in the log before them. */
  *deleteRemoved(): Generator<void> {
    this.isEraseOwed = (yield* this.unsynced(this.oldRows.deleteRemoved())) || this.isEraseOwed;
    if (this.isEraseOwed) this.isEraseOwed = !this.truncateLog();
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

  /** Rejects when the disk does not take it, or somebody reads in the log for long. */
  emptyLog(): void {
    this.setSync("full");
    const [row] = this.database.rows("PRAGMA wal_checkpoint(FULL)") as readonly { busy: number }[];
    if (row?.busy !== 0) throw new JournalError("busy", "The journal's log could not be emptied.");
  }

  /** The log goes into the tables and loses its length. False when somebody reads in it just now. */
  private truncateLog(): boolean {
    this.database.exec(`PRAGMA busy_timeout = ${TRUNCATE_TIMEOUT_MS}`);
    try {
      const [row] = this.database.rows("PRAGMA wal_checkpoint(TRUNCATE)") as readonly { busy: number }[];
      return row?.busy === 0;
    } finally {
      this.database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Commits that go in between may be synced; these steps need not be. */
  private *unsynced<T>(steps: Generator<void, T>): Generator<void, T> {
    for (;;) {
      this.setSync("normal");
      const step = steps.next();
      if (step.done) return step.value;
      yield;
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
