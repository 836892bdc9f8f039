/**
 * Writes a journal anew from another file, as far as that can be read: a backup, or a damaged journal.
 *
 * A new epoch begins: sequence numbers and positions jump, so that whatever names an effect or an event from now on is newer
 * than anything that was ever said, also by what the other file does not know of. No call is done again.
 */
import { copyFileSync, existsSync, openSync, closeSync, readFileSync, rmSync, writeSync } from "node:fs";
import type { Entry } from "../../runtime/ports.js";
import { damagedEntry } from "../damaged-entry.js";
import { JournalError } from "../journal-error.js";
import { AUDIT_COLUMNS, auditFrom, type AuditRow } from "./audit-rows.js";
import { Database } from "./database.js";
import { ENTRY_COLUMNS, isEntryIntact, MESSAGE_COLUMNS, messageFrom } from "./entry-reader.js";
import type { EntryRow, MessageRow } from "./entry-reader.js";
import { loadJournal } from "./load-journal.js";
import { planCommit } from "./plan-commit.js";
import { createPrivateFile } from "./private-file.js";
import { KEY_MAX, salvagedRows, sessionIdsOf } from "./salvage.js";
import { KINDS, PAGE_BYTES, prepareForReading } from "./schema.js";
import { SecretsFile } from "./secrets-file.js";
import { textOf } from "./stored-row.js";
import { Writer } from "./writer.js";
import { WrittenSessions } from "./written-sessions.js";

export interface Rebuilt {
  readonly sessions: number;
  readonly entries: number;
  readonly messages: number;
  /** Positions that could not be read; where their session is known, the new journal says so in their place. */
  /** As far as they can be counted. */
  readonly lostEntries: number;
  /** More may be lost: where the entries end cannot be read. */
  readonly isMoreLost: boolean;
  readonly problems: readonly string[];
}

const EPOCH_JUMP = 1_000_000;
const ENTRIES_PER_COMMIT = 1_000;
const BUSY_TIMEOUT_MS = 1_000;

/** `to` must not be there. `from` is not changed: what is done, is done to a copy beside `to`. */
export function rebuildJournal(from: string, to: string, lastPositionAtLeast: number): Rebuilt {
  const copy = `${to}.source`;
  copyJournal(from, copy);
  try {
    mendHeader(copy);
    bringUpToDate(copy);
    const source = new Database(copy, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      prepareForReading(source);
      return new Rebuilding(source, to).rebuild(lastPositionAtLeast, SecretsFile.beside(to));
    } finally {
      source.close();
    }
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${copy}${end}`, { force: true });
  }
}

function copyJournal(from: string, copy: string): void {
  copyFileSync(from, copy);
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${copy}-wal`);
}

/** The first bytes are the same in every journal; the rest of the header is of no use to a reader. */
function mendHeader(path: string): void {
  const bytes = readFileSync(path);
  if (bytes.subarray(0, 16).toString("latin1") === "SQLite format 3\0") return;
  const header = Buffer.alloc(100);
  header.write("SQLite format 3\0", "latin1");
  header.writeUInt16BE(PAGE_BYTES, 16);
  header.set([2, 2, 0, 64, 32, 32], 18);
  header.writeUInt32BE(1, 24);
  header.writeUInt32BE(Math.floor(bytes.length / PAGE_BYTES), 28);
  header.writeUInt32BE(1, 40);
  header.writeUInt32BE(4, 44);
  header.writeUInt32BE(1, 52);
  header.writeUInt32BE(1, 56);
  header.writeUInt32BE(1, 64);
  header.writeUInt32BE(1, 92);
  const file = openSync(path, "r+");
  try {
    writeSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
}

/** A damaged one stays as it is: the present version is the only one that is read then. */
function bringUpToDate(path: string): void {
  try {
    new Writer(path).close();
  } catch (error) {
    if (!(error instanceof JournalError) || !error.message.includes("SQLITE_CORRUPT")) throw error;
  }
}

class Rebuilding {
  private readonly written = new WrittenSessions([], 0);
  private readonly counts = { entries: 0, messages: 0, lostEntries: 0, isMoreLost: false };
  private readonly writer: Writer;

  constructor(
    private readonly source: Database,
    to: string,
  ) {
    createPrivateFile(to);
    this.writer = new Writer(to);
  }

  rebuild(lastPositionAtLeast: number, secrets: SecretsFile): Rebuilt {
    try {
      const { loaded, problems, missingSecrets } = loadJournal(this.source, (id) => secrets.envOf(id));
      this.written.setMissingNames(missingSecrets);
      const sessions = loaded.sessions.map((record) => ({
        ...record,
        seq: record.seq + EPOCH_JUMP,
        callCount: 0,
      }));
      this.commit({ sessions });
      const known = new Set(sessions.map(({ id }) => id));
      const lastPosition = this.copyEntries(known);
      const messageProblems = this.copyMessages(known);
      this.copyAudit();
      const { finishedStreams, roster } = loaded;
      this.commit({
        roster,
        finishedStreams: finishedStreams.filter(({ sessionId }) => known.has(sessionId)),
      });
      const last = Math.max(lastPosition, loaded.lastPosition, lastPositionAtLeast) + EPOCH_JUMP;
      this.writer.setMeta({ last_position: String(last), restored: "1" });
      return { sessions: sessions.length, ...this.counts, problems: [...problems, ...messageProblems] };
    } finally {
      this.writer.close();
    }
  }

  private copyEntries(known: ReadonlySet<string>): number {
    const sessionIds = sessionIdsOf(this.source);
    let page: Entry[] = [];
    let last = 0;
    const rows = salvagedRows(this.source, {
      table: "entries",
      key: "position",
      columns: ENTRY_COLUMNS,
      onLost: (first, to) => {
        if (to === KEY_MAX) this.counts.isMoreLost = true;
        else this.counts.lostEntries += to - first + 1;
      },
    }) as Iterable<EntryRow>;
    for (const row of rows) {
      const sessionId = sessionIds.get(row.session_key);
      last = row.position;
      if (sessionId === undefined || !known.has(sessionId)) continue;
      const { position, seq, at_ms: atMs, run } = row;
      const entry = { position, sessionId, seq, atMs, kind: KINDS[row.kind] ?? "stream", run };
      const isIntact = isEntryIntact(row);
      if (!isIntact) this.counts.lostEntries += 1;
      page.push(isIntact ? { ...entry, body: textOf(row.body) } : damagedEntry(entry));
      if (page.length < ENTRIES_PER_COMMIT) continue;
      this.commit({ entries: page });
      page = [];
    }
    this.commit({ entries: page });
    return last;
  }

  /** As it is, broken or whole: that it is broken is for a person to see. One of a damaged file may have no such table. */
  private copyAudit(): void {
    try {
      const rows = salvagedRows(this.source, { table: "audit", key: "n", columns: AUDIT_COLUMNS });
      for (const row of rows as Iterable<AuditRow>) this.commit({ audit: [auditFrom(row)] });
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
    }
  }

  /** What became of their table when it is gone as a whole. */
  private copyMessages(known: ReadonlySet<string>): readonly string[] {
    try {
      this.copyReadableMessages(known);
      return [];
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
      return [`messages cannot be read (${error.message})`];
    }
  }

  private copyReadableMessages(known: ReadonlySet<string>): void {
    const sessionIds = sessionIdsOf(this.source);
    const rows = salvagedRows(this.source, { table: "messages", key: "rowid", columns: MESSAGE_COLUMNS });
    for (const row of rows as Iterable<MessageRow>) {
      const sessionId = sessionIds.get(row.session_key);
      if (sessionId === undefined || !known.has(sessionId)) continue;
      try {
        this.commit({ messages: [messageFrom(row, sessionId)] });
        this.counts.messages += 1;
      } catch (error) {
        if (!(error instanceof JournalError) || error.code !== "damaged") throw error;
      }
    }
  }

  private commit(parts: Partial<Parameters<typeof planCommit>[0]>): void {
    this.counts.entries += parts.entries?.length ?? 0;
    const { writes } = planCommit({ ...NOTHING, ...parts }, this.written);
    this.writer.commit("normal", writes);
  }
}

const NOTHING: Parameters<typeof planCommit>[0] = {
  sync: "normal",
  entries: [],
  sessions: [],
  removedSessionIds: [],
  outbox: [],
  acked: [],
  startedTimers: [],
  endedTimers: [],
  messages: [],
  messageStatuses: [],
  receipts: [],
  audit: [],
  roster: null,
  finishedStreams: [],
};
