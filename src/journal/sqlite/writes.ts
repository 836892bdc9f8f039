/**
 * The statements of a commit, and their rows in a form that crosses to the commit thread cheaply: numbers in one typed
 * array, texts in one list. Every statement takes its numbers first.
 */
import type { Database, SqlValue, Statement } from "./database.js";
import { checksumOfText } from "./stored-row.js";

interface StatementShape {
  readonly numbers: number;
  readonly texts: number;
  /** Its last column is the checksum of the others, which is made here; of all but the text with this index. */
  readonly checksum?: { readonly except: number | null };
  /** `VALUES ?` stands for one or several rows. */
  readonly sql: string;
}

/** A commit applies them in this order: what adds comes before what takes away. */
export const STATEMENTS = {
  addSessionKey: {
    numbers: 1,
    texts: 1,
    checksum: { except: null },
    sql: "INSERT INTO session_keys (session_key, session_id, crc) VALUES ?",
  },
  addEntry: {
    numbers: 6,
    texts: 1,
    checksum: { except: null },
    sql: "INSERT INTO entries (position, session_key, seq, at_ms, kind, run, body, crc) VALUES ?",
  },
  putSession: {
    numbers: 4,
    texts: 3,
    checksum: { except: null },
    sql: `INSERT INTO sessions (session_key, created_at_ms, updated_at_ms, seq, harness, status, record, crc) VALUES ?
      ON CONFLICT (session_key) DO UPDATE SET created_at_ms = excluded.created_at_ms,
      updated_at_ms = excluded.updated_at_ms, seq = excluded.seq, harness = excluded.harness,
      status = excluded.status, record = excluded.record, crc = excluded.crc`,
  },
  putDetails: {
    numbers: 1,
    texts: 1,
    checksum: { except: null },
    sql: `INSERT INTO session_details (session_key, details, crc) VALUES ?
      ON CONFLICT (session_key) DO UPDATE SET details = excluded.details, crc = excluded.crc`,
  },
  putCursor: {
    numbers: 4,
    texts: 1,
    checksum: { except: null },
    sql: `INSERT INTO spool_cursors (session_key, run, out_offset, hooks_offset, progress, crc) VALUES ?
      ON CONFLICT (session_key) DO UPDATE SET run = excluded.run, out_offset = excluded.out_offset,
      hooks_offset = excluded.hooks_offset, progress = excluded.progress, crc = excluded.crc`,
  },
  putEffect: {
    numbers: 1,
    texts: 2,
    checksum: { except: null },
    sql: `INSERT INTO outbox (session_key, effect_id, call, crc) VALUES ?
      ON CONFLICT (session_key, effect_id) DO UPDATE SET call = excluded.call, crc = excluded.crc`,
  },
  removeEffect: {
    numbers: 1,
    texts: 1,
    sql: "DELETE FROM outbox WHERE session_key = ? AND effect_id = ?",
  },
  putTimer: {
    numbers: 2,
    texts: 1,
    sql: `INSERT INTO timers (session_key, due_at_ms, timer_id) VALUES ?
      ON CONFLICT (session_key, timer_id) DO UPDATE SET due_at_ms = excluded.due_at_ms`,
  },
  removeTimer: {
    numbers: 1,
    texts: 1,
    sql: "DELETE FROM timers WHERE session_key = ? AND timer_id = ?",
  },
  putMessage: {
    numbers: 2,
    texts: 3,
    // The status changes by itself: it is one of a few words, and a damaged one is none of them.
    checksum: { except: 1 },
    sql: `INSERT INTO messages (session_key, at_ms, message_id, status, text, crc) VALUES ?
      ON CONFLICT (message_id) DO UPDATE SET session_key = excluded.session_key, at_ms = excluded.at_ms,
      status = excluded.status, text = excluded.text, crc = excluded.crc`,
  },
  setMessageStatus: {
    numbers: 0,
    texts: 2,
    sql: "UPDATE messages SET status = ? WHERE message_id = ?",
  },
  putReceipt: {
    numbers: 1,
    texts: 4,
    sql: `INSERT INTO receipts (at_ms, principal, client_id, fingerprint, result) VALUES ?
      ON CONFLICT (principal, client_id) DO UPDATE SET at_ms = excluded.at_ms, fingerprint = excluded.fingerprint,
      result = excluded.result`,
  },
  addAudit: {
    numbers: 2,
    texts: 5,
    sql: "INSERT INTO audit (n, at_ms, principal, operation, session_id, digest, previous) VALUES ?",
  },
  putRoster: {
    numbers: 0,
    texts: 1,
    sql: "INSERT OR REPLACE INTO meta (name, value) VALUES ('roster', ?)",
  },
  /** The runs of the backup are known to be over. */
  takeUpRestored: {
    numbers: 0,
    texts: 1,
    sql: "DELETE FROM meta WHERE name = ?",
  },
  addFinishedStream: {
    numbers: 1,
    texts: 1,
    sql: "INSERT OR IGNORE INTO finished_streams (session_key, stream_id) VALUES ?",
  },
  removeSession: {
    numbers: 1,
    texts: 0,
    sql: "INSERT OR IGNORE INTO removed_sessions (session_key) VALUES ?",
  },
} as const satisfies Readonly<Record<string, StatementShape>>;

export type StatementName = keyof typeof STATEMENTS;

export interface Write {
  readonly statement: StatementName;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
}

/** Rows of one statement in the making. */
export interface WriteRows {
  readonly numbers: number[];
  readonly texts: string[];
}

/** So many rows go into one statement: half the cost of one by one. */
const ROWS_PER_STATEMENT = 25;

/** One statement of a commit, prepared for the rows that come in. */
export class PreparedWrite {
  private readonly shape: StatementShape;
  private readonly one: Statement;
  private readonly many: Statement | null;

  constructor(database: Database, name: StatementName) {
    this.shape = STATEMENTS[name];
    const { sql, numbers, texts, checksum } = this.shape;
    const length = numbers + texts + (checksum ? 1 : 0);
    const row = `(${Array.from({ length }, () => "?").join(", ")})`;
    const rows = Array.from({ length: ROWS_PER_STATEMENT }, () => row).join(", ");
    this.one = database.prepare(sql.replace("VALUES ?", `VALUES ${row}`));
    this.many = sql.includes("VALUES ?") ? database.prepare(sql.replace("VALUES ?", `VALUES ${rows}`)) : null;
  }

  run(write: Write): void {
    const { numbers, texts } = this.shape;
    const rowCount = numbers > 0 ? write.numbers.length / numbers : write.texts.length / texts;
    let row = 0;
    if (this.many)
      for (; row + ROWS_PER_STATEMENT <= rowCount; row += ROWS_PER_STATEMENT)
        this.many.run(this.valuesOf(write, row, ROWS_PER_STATEMENT));
    for (; row < rowCount; row += 1) this.one.run(this.valuesOf(write, row, 1));
  }

  private valuesOf(write: Write, firstRow: number, rowCount: number): readonly SqlValue[] {
    const { numbers, texts, checksum } = this.shape;
    const values: SqlValue[] = [];
    for (let row = firstRow; row < firstRow + rowCount; row += 1) {
      // As `checksumOf` has it, in one call and without arrays: this is done for every line that an agent says.
      let checked = "";
      for (let at = row * numbers; at < (row + 1) * numbers; at += 1) {
        const value = write.numbers[at] ?? 0;
        values.push(value);
        if (checksum) checked += at === row * numbers ? String(value) : `,${value}`;
      }
      for (let index = 0; index < texts; index += 1) {
        const value = write.texts[row * texts + index] ?? "";
        values.push(value);
        if (checksum && index !== checksum.except) checked += value;
      }
      if (checksum) values.push(checksumOfText(checked));
    }
    return values;
  }
}
