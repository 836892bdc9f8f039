/**
 * The journal on SQLite: commits on a thread of their own, reads here, on a connection that cannot write.
 *
 * What is committed is seen by the next read, because both connections work on the same file and its log.
 */
import { statSync } from "node:fs";
import type {
  Commit,
  Entry,
  EntryKind,
  EntryQuery,
  FinishedStream,
  Journal,
  Loaded,
  MessageRecord,
  Receipt,
} from "../../runtime/ports.js";
import { JournalError } from "../journal-error.js";
import { Database } from "./database.js";
import { EntryReader } from "./entry-reader.js";
import { loadJournal } from "./load-journal.js";
import { lockJournal, type Lock } from "./lock.js";
import { planCommit } from "./plan-commit.js";
import { createPrivateFile } from "./private-file.js";
import { prepareForReading } from "./schema.js";
import { syncLog } from "./sync-log.js";
import { ThreadLink } from "./thread-link.js";
import { WrittenSessions, type SessionKey } from "./written-sessions.js";

/** A reader waits only while the file is being opened or closed. */
const BUSY_TIMEOUT_MS = 1_000;

/** A thread needs compiled code. Tests run the sources, beside which there is none: they take what was built from them. */
const THREAD_SCRIPT = import.meta.url.endsWith(".ts")
  ? new URL("../../../dist/src/journal/sqlite/commit-thread.js", import.meta.url)
  : new URL("./commit-thread.js", import.meta.url);

export class SqliteJournal implements Journal {
  private readonly written: WrittenSessions;
  private readonly reader: EntryReader;
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly path: string,
    private readonly lock: Lock,
    private readonly thread: ThreadLink,
    private readonly database: Database,
  ) {
    this.written = readWrittenSessions(database);
    this.reader = new EntryReader(database, this.written);
  }

  /** Creates the file when there is none. Rejects with a `JournalError` when it is in use, newer, or something else. */
  static async open(path: string): Promise<SqliteJournal> {
    const lock = lockJournal(path);
    let thread: ThreadLink | null = null;
    let database: Database | null = null;
    try {
      createPrivateFile(path);
      syncLog(path);
      thread = await ThreadLink.start(THREAD_SCRIPT, path);
      database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
      prepareForReading(database);
      return new SqliteJournal(path, lock, thread, database);
    } catch (error) {
      database?.close();
      try {
        await thread?.call({ type: "close" });
      } finally {
        lock.release();
      }
      throw error;
    }
  }

  load(): Promise<Loaded> {
    return this.read(() => {
      const loaded = loadJournal(this.database);
      for (const record of loaded.sessions) this.written.setRecord(record);
      return loaded;
    });
  }

  async commit(commit: Commit): Promise<void> {
    this.refuseWhenClosed();
    const { writes, newSessionIds } = planCommit(commit, this.written);
    try {
      await this.thread.call({ type: "commit", sync: commit.sync, writes });
    } catch (error) {
      for (const sessionId of newSessionIds) this.written.forget(sessionId);
      throw error;
    }
    for (const record of commit.sessions) this.written.setRecord(record);
    for (const sessionId of commit.removedSessionIds) this.written.forget(sessionId);
  }

  readEntries(query: EntryQuery): Promise<readonly Entry[]> {
    return this.read(() => this.reader.readEntries(query));
  }

  readNewest(sessionId: string, kinds: readonly EntryKind[], limit: number): Promise<readonly Entry[]> {
    return this.read(() => this.reader.readNewest(sessionId, kinds, limit));
  }

  readEntry(sessionId: string, seq: number): Promise<Entry | null> {
    return this.read(() => this.reader.readEntry(sessionId, seq));
  }

  countAfter(position: number, sessionId?: string): Promise<number> {
    return this.read(() => this.reader.countAfter(position, sessionId));
  }

  readMessage(messageId: string): Promise<MessageRecord | null> {
    return this.read(() => this.reader.readMessage(messageId));
  }

  readReceipt(clientId: string): Promise<Receipt | null> {
    return this.read(() => this.reader.readReceipt(clientId));
  }

  async compact({ sessionId, streamId }: FinishedStream): Promise<void> {
    this.refuseWhenClosed();
    const sessionKey = this.written.keyOf(sessionId);
    if (sessionKey !== undefined) await this.thread.call({ type: "compact", sessionKey, streamId });
  }

  async prune(before: {
    readonly receiptsBeforeMs: number;
    readonly entriesBeforeMs: number | null;
  }): Promise<void> {
    this.refuseWhenClosed();
    await this.thread.call({ type: "prune", ...before });
  }

  sizeBytes(): Promise<number> {
    return this.read(() => sizeOf(this.path) + sizeOf(`${this.path}-wal`));
  }

  /** Waits for commits. A compaction or pruning under way is given up; nothing is left half done. */
  close(): Promise<void> {
    return (this.closing ??= this.closeOnce());
  }

  private async closeOnce(): Promise<void> {
    this.database.close();
    try {
      await this.thread.call({ type: "close" });
    } catch (error) {
      // It has died before: then there is nothing left to close.
      if (!(error instanceof JournalError) || error.code !== "closed") throw error;
    } finally {
      await this.thread.ended;
      this.lock.release();
    }
  }

  private read<T>(read: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.refuseWhenClosed();
      resolve(read());
    });
  }

  private refuseWhenClosed(): void {
    if (this.closing) throw new JournalError("closed", "The journal is closed.");
  }
}

function readWrittenSessions(database: Database): WrittenSessions {
  const known = database.rows("SELECT session_key, session_id FROM session_keys") as readonly SessionKey[];
  const [last] = database.rows(`
    SELECT max(ifnull((SELECT max(session_key) FROM session_keys), 0),
      ifnull((SELECT max(session_key) FROM removed_sessions), 0)) AS session_key`) as readonly {
    session_key: number;
  }[];
  return new WrittenSessions(known, last?.session_key ?? 0);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
