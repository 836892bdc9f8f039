/**
 * The journal on SQLite: commits on a thread of their own, reads here, on a connection that cannot write.
 *
 * What is committed is seen by the next read, because both connections work on the same file and its log.
 */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { AuditEntry } from "../../protocol/audit.js";
import type {
  AuditQuery,
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
import { CUT_LOG_SENTENCE, READ_ONLY_SENTENCE } from "../damage-words.js";
import { JournalError } from "../journal-error.js";
import { readAudit } from "./audit-rows.js";
import { isLogCut } from "./cut-log.js";
import { Database } from "./database.js";
import { EntryReader, type Damage } from "./entry-reader.js";
import { checkStructure, type Examination } from "./examine.js";
import type { SideResult, SideRequest } from "./side-thread.js";
import { loadJournal, type MissingSecrets } from "./load-journal.js";
import { lockJournal, type Lock } from "./lock.js";
import { planCommit } from "./plan-commit.js";
import { createPrivateFile } from "./private-file.js";
import { sessionIdsOf } from "./salvage.js";
import { isOfPresentVersion, prepareForReading } from "./schema.js";
import { SecretsFile } from "./secrets-file.js";
import { LogSync, syncLog } from "./sync-log.js";
import { ThreadLink } from "./thread-link.js";
import { WrittenSessions } from "./written-sessions.js";

/** A reader waits only while the file is being opened or closed. */
const BUSY_TIMEOUT_MS = 1_000;

/** A larger file is checked in the background: a start must not wait for it. */
const CHECK_BYTES_MAX = 8 * 1024 * 1024;

/** A thread needs compiled code. Tests run the sources, beside which there is none: they take what was built from them. */
function scriptOf(name: "commit-thread" | "side-thread"): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL(`../../../dist/src/journal/sqlite/${name}.js`, import.meta.url)
    : new URL(`./${name}.js`, import.meta.url);
}

export interface JournalReports {
  /** Something is wrong with the file as a whole: from now on it is only read. Each in a sentence. */
  readonly onProblem?: (problem: string) => void;
  /** A row was read that is not as it was written. Told each time. */
  readonly onDamage?: (damage: Damage) => void;
}

export class SqliteJournal implements Journal {
  private readonly written: WrittenSessions;
  private readonly reader: EntryReader;
  private readonly secrets: SecretsFile;
  private readonly examinations = new Set<Worker>();
  /** Known once it is loaded. */
  missingSecrets: readonly MissingSecrets[] = [];
  private closing: Promise<void> | null = null;
  private readonly log: LogSync;

  private constructor(
    private readonly path: string,
    private readonly lock: Lock,
    /** Null when the file is damaged: nobody writes to it then. */
    private readonly thread: ThreadLink | null,
    private readonly database: Database,
    private readonly reports: JournalReports,
    private readonly foundProblems: string[],
    /** What is worth saying of its last end, and keeps nobody from writing. */
    readonly notes: readonly string[],
  ) {
    this.secrets = SecretsFile.beside(path);
    this.log = new LogSync(path);
    this.written = readWrittenSessions(database);
    this.reader = new EntryReader(database, this.written, (damage) => reports.onDamage?.(damage));
    for (const problem of foundProblems) reports.onProblem?.(problem);
  }

  /**
   * Creates the file when there is none. Rejects with a `JournalError` when it is in use, newer, or something else. A
   * damaged one is opened for reading only, with what can be read of it: see `problems`.
   */
  static async open(path: string, reports: JournalReports = {}): Promise<SqliteJournal> {
    const lock = lockJournal(path);
    let thread: ThreadLink | null = null;
    let database: Database | null = null;
    try {
      createPrivateFile(path);
      const notes = isLogCut(path) ? [CUT_LOG_SENTENCE] : [];
      syncLog(path);
      const isLarge = sizeOf(path) > CHECK_BYTES_MAX;
      const problems = sizeOf(path) === 0 || isLarge ? [] : firstLook(path);
      if (problems.length === 0) thread = await startThread(path, problems);
      database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
      prepareForReading(database);
      if (!thread && !isOfPresentVersion(database))
        throw new JournalError("corrupt", problems[0] ?? "It is damaged, and of an older version.");
      const journal = new SqliteJournal(path, lock, thread, database, reports, problems, notes);
      if (isLarge && thread) journal.checkInBackground();
      return journal;
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

  /** Why it is only read; empty when nothing is known to be wrong. */
  get problems(): readonly string[] {
    return this.foundProblems;
  }

  load(): Promise<Loaded> {
    return this.read(() => {
      const { loaded, problems, missingSecrets } = loadJournal(this.database, (id) => this.secrets.envOf(id));
      for (const problem of problems) this.addProblem(problem);
      this.missingSecrets = missingSecrets;
      this.written.setMissingNames(missingSecrets);
      if (this.foundProblems.length === 0)
        this.secrets.keepOnly(new Set(loaded.sessions.map(({ id }) => id)));
      for (const record of loaded.sessions) this.written.setRecord(record);
      return loaded;
    });
  }

  /** Reads all of it, on a thread of its own. */
  async examine(): Promise<Examination> {
    this.refuseWhenClosed();
    return (await this.askSideThread({ path: this.path, type: "examine" })).examination;
  }

  /** What was restored is a journal like any other now. */
  async takeUp(): Promise<void> {
    const writes = [
      { statement: "takeUpRestored", numbers: new Float64Array(), texts: ["restored"] },
    ] as const;
    await this.writable().call({ type: "commit", sync: "full", writes });
  }

  /** A copy of it as it is now, in a file that must not be there yet. Without the values of variables. */
  async backup(file: string): Promise<void> {
    this.refuseWhenClosed();
    await this.askSideThread({ path: this.path, type: "backup", file });
  }

  async commit(commit: Commit): Promise<void> {
    const thread = this.writable();
    // Before what needs them; those of a session that comes to nothing go at the next start.
    this.secrets.put(
      commit.sessions
        .filter(({ id, settings }) => this.written.recordOf(id)?.settings !== settings)
        .map(({ id, settings }) => [id, settings.env]),
    );
    const { writes, newSessionIds } = planCommit(commit, this.written);
    try {
      await thread.call({ type: "commit", sync: commit.sync, writes });
    } catch (error) {
      for (const sessionId of newSessionIds) this.written.forget(sessionId);
      throw error;
    }
    for (const record of commit.sessions) this.written.setRecord(record);
    for (const sessionId of commit.removedSessionIds) this.written.forget(sessionId);
    this.forgetSecrets(commit.removedSessionIds);
  }

  /**
   * From here, so that the commit thread goes on. What a disk has failed to keep once it may later claim to have kept: then
   * the tables take what is in the log, and are synced themselves. When that fails too, nothing more is written.
   */
  async sync(): Promise<void> {
    const thread = this.writable();
    try {
      await this.log.sync();
    } catch (failure) {
      const reason = failure instanceof Error ? failure.message : String(failure);
      try {
        await thread.call({ type: "empty_log" });
      } catch (error) {
        this.addProblem(`The disk does not keep what is written to it: ${reason}`);
        throw error;
      }
    }
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

  readReceipt(principal: string, clientId: string): Promise<Receipt | null> {
    return this.read(() => this.reader.readReceipt(principal, clientId));
  }

  readAudit(query: AuditQuery): Promise<readonly AuditEntry[]> {
    return this.read(() => readAudit(this.database, query));
  }

  async compact({ sessionId, streamId }: FinishedStream): Promise<void> {
    const thread = this.writable();
    const sessionKey = this.written.keyOf(sessionId);
    if (sessionKey !== undefined) await thread.call({ type: "compact", sessionKey, streamId });
  }

  async prune(before: {
    readonly receiptsBeforeMs: number;
    readonly entriesBeforeMs: number | null;
  }): Promise<void> {
    await this.writable().call({ type: "prune", ...before });
  }

  sizeBytes(): Promise<number> {
    return this.read(() => sizeOf(this.path) + sizeOf(`${this.path}-wal`));
  }

  /** Waits for commits. A compaction or pruning under way is given up; nothing is left half done. */
  close(): Promise<void> {
    return (this.closing ??= this.closeOnce());
  }

  private async closeOnce(): Promise<void> {
    await Promise.all([...this.examinations].map((examination) => examination.terminate()));
    this.database.close();
    try {
      await this.thread?.call({ type: "close" });
    } catch (error) {
      // It has died before: then there is nothing left to close.
      if (!(error instanceof JournalError) || error.code !== "closed") throw error;
    } finally {
      await this.thread?.ended;
      await this.log.close();
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

  private writable(): ThreadLink {
    this.refuseWhenClosed();
    if (!this.thread || this.foundProblems.length > 0) throw new JournalError("damaged", READ_ONLY_SENTENCE);
    return this.thread;
  }

  /** The sessions are deleted: what cannot be done now is done at the next start. */
  private forgetSecrets(sessionIds: readonly string[]): void {
    try {
      this.secrets.put(sessionIds.map((sessionId) => [sessionId, {}]));
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
    }
  }

  private addProblem(problem: string): void {
    if (this.foundProblems.includes(problem)) return;
    this.foundProblems.push(problem);
    this.reports.onProblem?.(problem);
  }

  private checkInBackground(): void {
    this.askSideThread({ path: this.path, type: "quick" }).then(
      ({ examination }) => {
        for (const problem of examination.problems) this.addProblem(problem);
      },
      (error: unknown) => {
        // That it was not checked is no damage; `signalbox doctor` says what hinders it.
        if (!(error instanceof JournalError)) throw error;
      },
    );
  }

  private askSideThread(request: SideRequest): Promise<{ readonly examination: Examination }> {
    const thread = new Worker(scriptOf("side-thread"), { workerData: request, execArgv: [] });
    this.examinations.add(thread);
    return new Promise((resolve, reject) => {
      thread.once("message", (result: SideResult) => {
        if (result.failure) reject(new JournalError(result.failure.code, result.failure.message));
        else resolve(result);
      });
      thread.once("error", (error) => reject(new JournalError("io", String(error))));
      thread.once("exit", () => {
        this.examinations.delete(thread);
        reject(new JournalError("closed", "The journal was closed before that was done."));
      });
    });
  }
}

/** What SQLite finds wrong with the file. Nothing is changed. */
function firstLook(path: string): string[] {
  const database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    prepareForReading(database);
    return [...checkStructure(database, "quick_check")];
  } finally {
    database.close();
  }
}

/** Null when the file is damaged: then `problems` has the reason. */
async function startThread(path: string, problems: string[]): Promise<ThreadLink | null> {
  try {
    return await ThreadLink.start(scriptOf("commit-thread"), path);
  } catch (error) {
    if (!(error instanceof JournalError) || !error.message.includes("SQLITE_CORRUPT")) throw error;
    problems.push(error.message);
    return null;
  }
}

function readWrittenSessions(database: Database): WrittenSessions {
  const known = [...sessionIdsOf(database)].map(([session_key, session_id]) => ({ session_key, session_id }));
  return new WrittenSessions(known, lastKeyOf(database));
}

function lastKeyOf(database: Database): number {
  try {
    const [last] = database.rows(`
      SELECT max(ifnull((SELECT max(session_key) FROM session_keys), 0),
        ifnull((SELECT max(session_key) FROM removed_sessions), 0)) AS session_key`) as readonly {
      session_key: number;
    }[];
    return last?.session_key ?? 0;
  } catch (error) {
    // Nobody writes to such a file.
    if (error instanceof JournalError && error.code === "corrupt") return 0;
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
