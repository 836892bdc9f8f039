/** Reads of the log, each short, so that the log before the tables can always be cut. */
import type { Entry, EntryKind, EntryQuery, MessageRecord, Receipt } from "../../runtime/ports.js";
import { messageStatusSchema } from "../../protocol/state-event.js";
import { COUNT_MAX, READ_LENGTH_MAX } from "../bounds.js";
import { damagedEntry } from "../damaged-entry.js";
import { JournalError } from "../journal-error.js";
import type { Database, SqlValue, Statement } from "./database.js";
import { salvagedRows } from "./salvage.js";
import { KINDS } from "./schema.js";
import {
  isIntactJson,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "./stored-row.js";
import type { WrittenSessions } from "./written-sessions.js";

export interface EntryRow {
  readonly position: number;
  readonly session_key: number;
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: number;
  readonly run: number;
  readonly body: StoredText;
  readonly crc: StoredChecksum;
}

export interface MessageRow {
  readonly session_key: number;
  readonly at_ms: number;
  readonly message_id: StoredText;
  readonly status: StoredText;
  readonly text: StoredText;
  readonly crc: StoredChecksum;
}

/** A row of the log that is not as it was written. */
export interface Damage {
  /** Null when that cannot be read either. */
  readonly sessionId: string | null;
  readonly position: number;
}

interface Place {
  readonly seq: number;
  readonly position: number;
}

export const ENTRY_COLUMNS = [
  "position",
  ...["session_key", "seq", "at_ms", "kind", "run"].map((column) => numberColumn(column)),
  textColumn("body"),
  numberColumn("crc"),
];
const COLUMNS = ENTRY_COLUMNS.join(", ");
export const MESSAGE_COLUMNS = [
  numberColumn("session_key"),
  numberColumn("at_ms"),
  ...["message_id", "status", "text"].map((column) => textColumn(column)),
  numberColumn("crc"),
];
const NOT_REMOVED = "session_key NOT IN (SELECT session_key FROM removed_sessions)";

export class EntryReader {
  /** By their text; there are few different ones. */
  private readonly statements = new Map<string, Statement>();

  constructor(
    private readonly database: Database,
    private readonly written: WrittenSessions,
    private readonly onDamage: (damage: Damage) => void,
  ) {}

  readEntries(query: EntryQuery): readonly Entry[] {
    try {
      return this.readInOrder(query);
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
      return this.readSalvaged(query);
    }
  }

  private readInOrder({ sessionId, kinds, after, limit }: EntryQuery): readonly Entry[] {
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
    try {
      return this.entries(sql, [key, bounded(limit)]);
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
      return this.newestSalvaged(sessionId, kinds, bounded(limit));
    }
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
    const sql = `SELECT ${MESSAGE_COLUMNS.join(", ")} FROM messages WHERE message_id = ?`;
    const [row] = this.rows(sql, [messageId]) as readonly MessageRow[];
    return row ? messageFrom(row, this.written.idOf(row.session_key)) : null;
  }

  /** One that was written before receipts had principals answers whoever repeats the request. */
  readReceipt(principal: string, clientId: string): Receipt | null {
    const columns = ["principal", "fingerprint", "result"].map((column) => textColumn(column));
    const [row] = this.rows(
      `SELECT ${columns.join(", ")}, ${numberColumn("at_ms")} FROM receipts
       WHERE principal IN (?, '') AND client_id = ? ORDER BY principal DESC LIMIT 1`,
      [principal, clientId],
    ) as readonly { principal: StoredText; fingerprint: StoredText; at_ms: number; result: StoredText }[];
    if (!row) return null;
    const { fingerprint, at_ms: atMs, result } = row;
    return {
      principal: textOf(row.principal),
      clientId,
      fingerprint: textOf(fingerprint),
      atMs,
      result: textOf(result),
    };
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

  /** Row by row, where a tree or an index is damaged. What is lost is told, and the rest is given. */
  private readSalvaged(query: EntryQuery): readonly Entry[] {
    const found: Entry[] = [];
    for (const entry of this.salvaged(query)) {
      if (found.length >= bounded(query.limit)) break;
      found.push(entry);
    }
    return found;
  }

  private newestSalvaged(sessionId: string, kinds: readonly EntryKind[], limit: number): readonly Entry[] {
    const found: Entry[] = [];
    for (const entry of this.salvaged({ sessionId, kinds, after: 0 })) {
      found.push(entry);
      if (found.length > 2 * limit) found.splice(0, limit);
    }
    return found.slice(-limit).toReversed();
  }

  private *salvaged({ sessionId, kinds, after }: Omit<EntryQuery, "limit">): Generator<Entry> {
    const key = sessionId === undefined ? undefined : this.written.keyOf(sessionId);
    const rows = salvagedRows(this.database, {
      table: "entries",
      key: "position",
      columns: ENTRY_COLUMNS,
      after,
      onLost: (position) => this.onDamage({ sessionId: null, position }),
    }) as Iterable<EntryRow>;
    for (const row of rows) {
      if (sessionId !== undefined && row.session_key !== key) continue;
      for (const entry of this.entriesFrom([row])) if (kinds?.includes(entry.kind) ?? true) yield entry;
    }
  }

  private entries(sql: string, values: readonly SqlValue[]): readonly Entry[] {
    return this.entriesFrom(this.rows(sql, values) as readonly EntryRow[]);
  }

  private entriesFrom(rows: readonly EntryRow[]): readonly Entry[] {
    return rows.flatMap((row): Entry[] => {
      const { position, session_key, seq, at_ms: atMs, run, body } = row;
      const sessionId = this.written.idOf(session_key);
      const kind = KINDS[row.kind];
      const entry = { position, sessionId: sessionId ?? "", seq, atMs, kind: kind ?? "stream", run };
      if (sessionId !== undefined && isEntryIntact(row)) return [{ ...entry, body: textOf(body) }];
      this.onDamage({ sessionId: sessionId ?? null, position });
      // Whose it is, nobody can say: it can be shown to nobody.
      return sessionId === undefined ? [] : [damagedEntry(entry)];
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

export function isEntryIntact({
  position,
  session_key,
  seq,
  at_ms,
  kind,
  run,
  body,
  crc,
}: EntryRow): boolean {
  return (
    KINDS[kind] !== undefined && isIntactJson(crc, [position, session_key, seq, at_ms, kind, run], [body])
  );
}

/** Throws when it is damaged: nobody may take another text for it. */
export function messageFrom(row: MessageRow, sessionId: string | undefined): MessageRecord {
  const { session_key, at_ms: atMs, message_id, text, crc } = row;
  const status = messageStatusSchema.safeParse(textOf(row.status));
  const messageId = textOf(message_id);
  if (
    sessionId === undefined ||
    !status.success ||
    !isIntactJson(crc, [session_key, atMs], [message_id, text])
  )
    throw new JournalError(
      "damaged",
      `The message ${messageId} of session ${sessionId ?? "?"} is damaged in the journal.`,
    );
  return { messageId, sessionId, atMs, status: status.data, text: JSON.parse(textOf(text)) as string };
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
