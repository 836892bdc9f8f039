/** The least that keeps rows safe: inserts into a new file, a hundred in a transaction, each on the disk before the next. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Database, type SqlValue } from "../../src/journal/sqlite/database.js";

const BATCH_LENGTH = 100;
const COLUMNS = "position, session_key, seq, at_ms, kind, run, body";

const TABLE = `CREATE TABLE entries (position INTEGER PRIMARY KEY, session_key INTEGER NOT NULL, seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL, kind INTEGER NOT NULL, run INTEGER NOT NULL, body TEXT NOT NULL)`;
const INDEXES = `CREATE UNIQUE INDEX entries_by_session ON entries (session_key, seq);
  CREATE INDEX entries_besides_content ON entries (session_key, seq) WHERE kind <> 0`;

export type EntryRow = readonly SqlValue[];

/** The text deltas in the journal between two positions, as they lie there. */
export function readRows(journalPath: string, first: number, last: number): readonly EntryRow[] {
  const journal = new Database(journalPath, { busyTimeoutMs: 1_000 });
  try {
    const select = journal.prepare(`SELECT ${COLUMNS} FROM entries WHERE position BETWEEN ? AND ? AND kind = 0
      AND body LIKE '%"type":"text_delta"%' ORDER BY position`);
    const rows = select.all([first, last]) as readonly Readonly<Record<string, SqlValue>>[];
    return rows.map((row) => Object.values(row));
  } finally {
    journal.close();
  }
}

export class BareInserts {
  constructor(
    private readonly parent: string,
    private readonly rows: readonly EntryRow[],
  ) {}

  /** How long it takes, with the table alone or with the journal's indexes too. */
  seconds(how: "bare" | "with indexes"): number {
    const folder = mkdtempSync(join(this.parent, "inserts-"));
    const database = new Database(join(folder, "bare.db"), { busyTimeoutMs: 1_000 });
    try {
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      database.exec(how === "bare" ? TABLE : `${TABLE}; ${INDEXES}`);
      const startedAtMs = performance.now();
      this.insert(database);
      return (performance.now() - startedAtMs) / 1000;
    } finally {
      database.close();
      rmSync(folder, { recursive: true });
    }
  }

  private insert(database: Database): void {
    const insert = database.prepare(`INSERT INTO entries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    for (let start = 0; start < this.rows.length; start += BATCH_LENGTH) {
      const batch = this.rows.slice(start, start + BATCH_LENGTH);
      database.transaction(() => {
        for (const row of batch) insert.run(row);
      });
    }
  }
}
