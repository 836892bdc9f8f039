/** Reads of the log, each short, so that the log before the tables can always be cut. */
import type { Entry, EntryKind, EntryQuery, MessageRecord, Receipt } from "../../runtime/ports.js";
import { COUNT_MAX, READ_LENGTH_MAX } from "../bounds.js";
import type { Database, SqlValue, Statement } from "./database.js";
import { KINDS } from "./schema.js";
import type { WrittenSessions } from "./written-sessions.js";

interface EntryRow {
  readonly position: number;
  readonly session_key: number;
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: number;
  readonly run: number;
  readonly body: string;
}

interface Place {
  readonly seq: number;
  readonly position: number;
}

const COLUMNS = "position, session_key, seq, at_ms, kind, run, body";
const NOT_REMOVED = "session_key NOT IN (SELECT session_key FROM removed_sessions)";

export class EntryReader {
  /** By their text; there are few different ones. */
  private readonly statements = new Map<string, Statement>();

  constructor(
    private readonly database: Database,
    private readonly written: WrittenSessions,
  ) {}

  readEntries({ sessionId, kinds, after, limit }: EntryQuery): readonly Entry[] {
    if (kinds?.length === 0) return [];
    if (sessionId === undefined) {
      const where = `position > ? AND ${NOT_REMOVED} AND ${kindFilter(kinds)}`;
      const sql = `SELECT ${COLUMNS} FROM entries WHERE ${where} ORDER BY position LIMIT ?`;
      return this.entries(sql, [after, bounded(limit)]);
    }
    const key = this.written.keyOf(sessionId);
    const seq = key === undefined ? null : this.firstSeqAfter(key, after);
    if (key === undefined || seq === null) return [];
    const where = `session_key = ? AND seq >= ? AND ${kindFilter(kinds)}`;
    const sql = `SELECT ${COLUMNS} FROM ${bySession(kinds)} WHERE ${where} ORDER BY seq LIMIT ?`;
    return this.entries(sql, [key, seq, bounded(limit)]);
  }

  readNewest(sessionId: string, kinds: readonly EntryKind[], limit: number): readonly Entry[] {
    const key = this.written.keyOf(sessionId);
    if (key === undefined || kinds.length === 0) return [];
    const where = `session_key = ? AND ${kindFilter(kinds)}`;
    const sql = `SELECT ${COLUMNS} FROM ${bySession(kinds)} WHERE ${where} ORDER BY seq DESC LIMIT ?`;
    return this.entries(sql, [key, bounded(limit)]);
  }

  readEntry(sessionId: string, seq: number): Entry | null {
    const key = this.written.keyOf(sessionId);
    if (key === undefined) return null;
    const sql = `SELECT ${COLUMNS} FROM entries WHERE session_key = ? AND seq = ?`;
    return this.entries(sql, [key, seq])[0] ?? null;
  }

  countAfter(position: number, sessionId?: string): number {
    if (sessionId === undefined)
      return this.count(`SELECT 1 FROM entries WHERE position > ? AND ${NOT_REMOVED}`, [position]);
    const key = this.written.keyOf(sessionId);
    const seq = key === undefined ? null : this.firstSeqAfter(key, position);
    if (key === undefined || seq === null) return 0;
    return this.count("SELECT 1 FROM entries WHERE session_key = ? AND seq >= ?", [key, seq]);
  }

  readMessage(messageId: string): MessageRecord | null {
    const sql = `SELECT session_id AS sessionId, at_ms AS atMs, status, text FROM messages
      JOIN session_keys USING (session_key) WHERE message_id = ?`;
    const [row] = this.rows(sql, [messageId]) as readonly Omit<MessageRecord, "messageId">[];
    return row ? { ...row, messageId, text: JSON.parse(row.text) as string } : null;
  }

  readReceipt(clientId: string): Receipt | null {
    const sql = "SELECT fingerprint, at_ms AS atMs, result FROM receipts WHERE client_id = ?";
    const [row] = this.rows(sql, [clientId]) as readonly Omit<Receipt, "clientId">[];
    return row ? { ...row, clientId } : null;
  }

  /**
   * Where a session goes on after a position: null when it does not. Positions rise with `seq` within a session, but only
   * `seq` is indexed, so it is searched for by halves.
   */
  private firstSeqAfter(key: number, position: number): number | null {
    const oldest = this.place("session_key = ? ORDER BY seq", [key]);
    const newest = this.place("session_key = ? ORDER BY seq DESC", [key]);
    if (!oldest || !newest || newest.position <= position) return null;
    if (oldest.position > position) return oldest.seq;
    // Every entry up to `low` is at or before the position; the first one from `high` on is after it.
    let low = oldest.seq;
    let high = newest.seq;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const found = this.place("session_key = ? AND seq >= ? ORDER BY seq", [key, middle]);
      if (!found || found.position > position) high = middle;
      else low = found.seq;
    }
    return high;
  }

  private place(where: string, values: readonly SqlValue[]): Place | null {
    const rows = this.rows(`SELECT seq, position FROM entries WHERE ${where} LIMIT 1`, values);
    return (rows as readonly Place[])[0] ?? null;
  }

  private count(select: string, values: readonly SqlValue[]): number {
    const sql = `SELECT count(*) AS length FROM (${select} LIMIT ${COUNT_MAX})`;
    const [row] = this.rows(sql, values) as readonly { length: number }[];
    return row?.length ?? 0;
  }

  private entries(sql: string, values: readonly SqlValue[]): readonly Entry[] {
    const rows = this.rows(sql, values) as readonly EntryRow[];
    return rows.flatMap((row): Entry[] => {
      const sessionId = this.written.idOf(row.session_key);
      const kind = KINDS[row.kind];
      if (sessionId === undefined || kind === undefined) return [];
      const { position, seq, at_ms: atMs, run, body } = row;
      return [{ position, sessionId, seq, atMs, kind, run, body }];
    });
  }

  private rows(sql: string, values: readonly SqlValue[]): readonly unknown[] {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement.all(values);
  }
}

/** Without content the small index finds the rest at once, however much content there is. */
function bySession(kinds: readonly EntryKind[] | undefined): string {
  const hasContent = kinds?.includes("stream") ?? true;
  return `entries INDEXED BY ${hasContent ? "entries_by_session" : "entries_besides_content"}`;
}

function kindFilter(kinds: readonly EntryKind[] | undefined): string {
  if (!kinds) return "true";
  const numbers = KINDS.flatMap((kind, number) => (kinds.includes(kind) ? [number] : []));
  // The first part lets the small index be used.
  return `${numbers.includes(0) ? "true" : "kind <> 0"} AND kind IN (${numbers.join(", ")})`;
}

function bounded(limit: number): number {
  return Math.max(0, Math.min(limit, READ_LENGTH_MAX));
}
