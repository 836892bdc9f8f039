/** Reads what can be read of a table whose tree is damaged: what fails is split, until only the damaged rows are left out. */
import { JournalError } from "../journal-error.js";
import type { Database, Statement } from "./database.js";
import { textColumn, textOf, type StoredText } from "./stored-row.js";

export interface SalvageQuery {
  readonly table: string;
  /** An integer by which the table is sorted. */
  readonly key: string;
  readonly columns: readonly string[];
  readonly after?: number;
  /** Told of every key, or stretch of keys, that could not be read; up to `KEY_MAX` where nobody knows the last one. */
  readonly onLost?: (first: number, last: number) => void;
}

const ROWS_PER_READ = 500;
/** No key is larger: more than a journal can have in its life. */
export const KEY_MAX = 2 ** 40;
/** So many failed reads without a row between them: what follows is beyond the end, or gone for good. */
const FAILURES_MAX = 5_000;

/** In the order of their keys. */
export function* salvagedRows(database: Database, query: SalvageQuery): Generator {
  const { table, key, columns } = query;
  const statement = database.prepare(`
    SELECT ${columns.join(", ")}, ${key} AS salvage_key FROM ${table} NOT INDEXED
    WHERE ${key} BETWEEN ? AND ? ORDER BY ${key} LIMIT ${ROWS_PER_READ}`);
  yield* new Salvage(statement, query).read((query.after ?? 0) + 1, lastKey(database, query));
}

class Salvage {
  private failures = 0;

  constructor(
    private readonly statement: Statement,
    private readonly query: SalvageQuery,
  ) {}

  *read(from: number, to: number): Generator {
    let first = from;
    while (first <= to) {
      if (this.failures > FAILURES_MAX) {
        this.query.onLost?.(first, to);
        return;
      }
      const rows = this.rowsIn(first, to);
      if (rows === null) {
        yield* this.split(first, to);
        return;
      }
      yield* rows;
      if (rows.length > 0) this.failures = 0;
      if (rows.length < ROWS_PER_READ) return;
      first = (rows.at(-1)?.salvage_key ?? to) + 1;
    }
  }

  private *split(first: number, last: number): Generator {
    if (first === last) {
      this.query.onLost?.(first, last);
      return;
    }
    const middle = first + Math.floor((last - first) / 2);
    yield* this.read(first, middle);
    yield* this.read(middle + 1, last);
  }

  /** Null when some of them cannot be read. */
  private rowsIn(first: number, last: number): readonly { readonly salvage_key: number }[] | null {
    try {
      return this.statement.all([first, last]) as readonly { readonly salvage_key: number }[];
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
      this.failures += 1;
      return null;
    }
  }
}

function lastKey(database: Database, { table, key }: SalvageQuery): number {
  try {
    const [row] = database.rows(`SELECT max(${key}) AS last FROM ${table} NOT INDEXED`) as readonly {
      last: number | null;
    }[];
    return row?.last ?? 0;
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
    return KEY_MAX;
  }
}

/** By their keys. */
export function sessionIdsOf(database: Database): ReadonlyMap<number, string> {
  const rows = salvagedRows(database, {
    table: "session_keys",
    key: "session_key",
    columns: ["session_key", textColumn("session_id")],
  }) as Iterable<{ readonly session_key: number; readonly session_id: StoredText }>;
  return new Map([...rows].map(({ session_key, session_id }) => [session_key, textOf(session_id)]));
}
