/**
 * The SQLite driver, and the only file that knows it: another could take its place here.
 *
 * It is libsql, because its binary comes inside the npm package. No compiler and no download are needed at installation,
 * and it runs on Node 20, which has no `node:sqlite`.
 */
import Libsql from "libsql";
import { JournalError, type JournalErrorCode } from "../journal-error.js";

export type SqlValue = string | number;

export interface Statement {
  /** How many rows it changed. */
  run(values: readonly SqlValue[]): number;
  all(values: readonly SqlValue[]): readonly unknown[];
}

export class Database {
  private readonly driver: Libsql.Database;

  /** Creates the file when there is none. */
  constructor(path: string, options: { readonly busyTimeoutMs: number }) {
    try {
      this.driver = new Libsql(path, { timeout: options.busyTimeoutMs });
    } catch (error) {
      throw new JournalError("io", `${path} cannot be opened: ${messageOf(error)}`, { cause: error });
    }
  }

  exec(sql: string): void {
    attempt(() => this.driver.exec(sql));
  }

  prepare(sql: string): Statement {
    const statement = attempt(() => this.driver.prepare(sql));
    return {
      run: (values) => attempt(() => statement.run(values).changes),
      all: (values) => attempt(() => statement.all(values)),
    };
  }

  /** The rows of a query that is asked once. */
  rows(sql: string): readonly unknown[] {
    return this.prepare(sql).all([]);
  }

  /** All of `act`, or nothing. */
  transaction<T>(act: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = act();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors, a full disk among them.
      if (this.driver.inTransaction) this.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.driver.close();
  }
}

function attempt<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Libsql.SqliteError)) throw error;
    // A statement of ours that names what is not there: the part of the file that lists it is damaged.
    const isSchemaGone = /^no such (index|table|column)/.test(error.message);
    throw new JournalError(
      isSchemaGone ? "corrupt" : codeOf(error.code),
      `${error.message} (${error.code})`,
      { cause: error },
    );
  }
}

const CODES: readonly (readonly [RegExp, JournalErrorCode])[] = [
  [/^SQLITE_FULL/, "full"],
  // The memory that readers and the writer share is a file, too, and could not grow.
  [/^SQLITE_IOERR_SHMSIZE/, "full"],
  [/^SQLITE_(BUSY|LOCKED)/, "busy"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "corrupt"],
  [/^SQLITE_CONSTRAINT/, "conflict"],
];

/** Everything else, from `SQLITE_IOERR` and `SQLITE_READONLY` on, is a failure of the disk or of the way to it. */
function codeOf(sqliteCode: string): JournalErrorCode {
  return CODES.find(([pattern]) => pattern.test(sqliteCode))?.[1] ?? "io";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
