/** Races on the disk: each as it is now. A file of its own; rows carry a CRC-32, and a damaged one is told and left out. */
import { Database } from "../../journal/sqlite/database.js";
import { createPrivateFile } from "../../journal/sqlite/private-file.js";
import {
  checksumOf,
  isIntact,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "../../journal/sqlite/stored-row.js";
import type { RaceRecord } from "./race-record.js";

const BUSY_TIMEOUT_MS = 5_000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS races (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
`;

export class SqliteRaceStore {
  private readonly database: Database;

  constructor(
    path: string,
    private readonly onDamage: (what: string) => void,
  ) {
    createPrivateFile(path);
    this.database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    this.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
    this.database.exec(SCHEMA);
  }

  load(): readonly RaceRecord[] {
    const rows = this.database.rows(
      `SELECT ${textColumn("id")}, ${textColumn("body")}, ${numberColumn("crc")} FROM races`,
    ) as readonly { id: StoredText; body: StoredText; crc: StoredChecksum }[];
    return rows.flatMap(({ id, body, crc }) => {
      if (isIntact(crc, [], [id, body])) return [JSON.parse(textOf(body)) as RaceRecord];
      this.onDamage("a row of races is not as it was written");
      return [];
    });
  }

  /** On the disk when it returns, or it throws and nothing has changed. */
  save(race: RaceRecord): void {
    const body = JSON.stringify(race);
    this.database
      .prepare("INSERT OR REPLACE INTO races (id, body, crc) VALUES (?, ?, ?)")
      .run([race.id, body, checksumOf([], [race.id, body])]);
  }

  remove(id: string): void {
    this.database.prepare("DELETE FROM races WHERE id = ?").run([id]);
  }

  close(): void {
    this.database.close();
  }
}
