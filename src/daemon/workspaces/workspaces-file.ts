/**
 * `workspaces.db` as a file: what can be read of it, a copy of it in a backup, and one that is put together anew.
 *
 * It tells what is on the disk now, which no backup brings back: so a restore adds what is missing, and never goes back to
 * what was true of a workspace earlier.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JournalError } from "../../journal/journal-error.js";
import { Database } from "../../journal/sqlite/database.js";
import { createPrivateFile } from "../../journal/sqlite/private-file.js";
import {
  isIntact,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "../../journal/sqlite/stored-row.js";

export const WORKSPACES_FILE = "workspaces.db";
const BUSY_TIMEOUT_MS = 5_000;
/** Of each workspace. */
export const EVENTS_MAX = 1_000;

/** `place`: the name of an attached file, with a dot. */
export function schemaIn(place: "" | "copy."): string {
  return `
CREATE TABLE IF NOT EXISTS ${place}projects (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ${place}workspaces (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ${place}workspace_events (
  n INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  body TEXT NOT NULL,
  crc INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS ${place}workspace_events_of ON workspace_events (workspace_id, n);
`;
}

/** Into a file that is there already, beside what it holds. */
export function copyInto(database: Database, file: string): void {
  database.exec(`ATTACH '${file.replaceAll("'", "''")}' AS copy`);
  try {
    database.transaction(() => {
      database.exec(schemaIn("copy."));
      for (const table of ["projects", "workspaces", "workspace_events"])
        database.exec(`INSERT INTO copy.${table} SELECT * FROM main.${table}`);
    });
  } finally {
    database.exec("DETACH copy");
  }
}

interface Row {
  readonly id: string;
  readonly body: string;
  readonly crc: number;
}

interface EventRow extends Row {
  readonly atMs: number;
}

interface Contents {
  readonly projects: ReadonlyMap<string, Row>;
  readonly workspaces: ReadonlyMap<string, Row>;
  readonly events: readonly EventRow[];
  readonly problems: readonly string[];
}

const NOTHING: Contents = { projects: new Map(), workspaces: new Map(), events: [], problems: [] };

/** What is there as it was written; null: the file has nothing of workspaces in it. */
export function readWorkspacesFile(path: string): Contents | null {
  const problems: string[] = [];
  let database: Database | null = null;
  try {
    database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    const has = database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'workspaces'");
    if (has.length === 0) return null;
    return {
      projects: rowsOf(database, "projects", problems),
      workspaces: rowsOf(database, "workspaces", problems),
      events: eventsOf(database, problems),
      problems,
    };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { ...NOTHING, problems: [`${path} cannot be read: ${error.message}`] };
  } finally {
    database?.close();
  }
}

type Stored = { readonly id: StoredText; readonly body: StoredText; readonly crc: StoredChecksum };

function rowsOf(
  database: Database,
  table: "projects" | "workspaces",
  problems: string[],
): ReadonlyMap<string, Row> {
  const columns = [textColumn("id"), textColumn("body"), numberColumn("crc")].join(", ");
  const rows = database.rows(`SELECT ${columns} FROM ${table}`) as readonly Stored[];
  return new Map(
    rows.flatMap(({ id, body, crc }) => {
      if (crc !== null && isIntact(crc, [], [id, body]))
        return [[textOf(id), { id: textOf(id), body: textOf(body), crc }] as const];
      problems.push(`a row of ${table} is not as it was written`);
      return [];
    }),
  );
}

function eventsOf(database: Database, problems: string[]): readonly EventRow[] {
  const columns = [
    ...[textColumn("workspace_id", "id"), numberColumn("at_ms", "at")],
    ...[textColumn("body"), numberColumn("crc")],
  ].join(", ");
  const rows = database.rows(`SELECT ${columns} FROM workspace_events ORDER BY n`) as readonly (Stored & {
    readonly at: number;
  })[];
  return rows.flatMap(({ id, at, body, crc }) => {
    if (crc !== null && isIntact(crc, [at], [id, body]))
      return [{ id: textOf(id), atMs: at, body: textOf(body), crc }];
    problems.push("an event of a workspace is not as it was written");
    return [];
  });
}

export interface RebuiltWorkspaces {
  readonly workspaces: number;
  /** Of those, how many the backup brought. */
  readonly added: number;
  readonly problems: readonly string[];
  /** Where the file that was there is; null: it is as it was. */
  readonly kept: string | null;
}

/** `backup`: adds what is missing; null: leaves out what cannot be read. No daemon has the file. */
export function rebuildWorkspaces(dataDir: string, backup: string | null, stamp: string): RebuiltWorkspaces {
  const path = join(dataDir, WORKSPACES_FILE);
  const now = existsSync(path) ? (readWorkspacesFile(path) ?? NOTHING) : NOTHING;
  const other = backup === null ? NOTHING : (readWorkspacesFile(backup) ?? NOTHING);
  const projects = new Map([...other.projects, ...now.projects]);
  const workspaces = new Map([...other.workspaces, ...now.workspaces]);
  const added = workspaces.size - now.workspaces.size;
  const problems = [...now.problems, ...other.problems];
  if (added === 0 && projects.size === now.projects.size && now.problems.length === 0)
    return { workspaces: workspaces.size, added, problems, kept: null };
  const events = [...other.events.filter(({ id }) => !now.workspaces.has(id)), ...now.events];
  const fresh = `${path}.new`;
  for (const end of ["", "-wal", "-shm"]) rmSync(`${fresh}${end}`, { force: true });
  write(fresh, { projects, workspaces, events, problems: [] });
  const kept = join(dataDir, `${WORKSPACES_FILE}.before-${stamp}`);
  for (const end of ["", "-wal", "-shm"])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${kept}${end}`);
  renameSync(fresh, path);
  return { workspaces: workspaces.size, added, problems, kept: existsSync(kept) ? kept : null };
}

/** Texts and checksums as they were. */
function write(path: string, { projects, workspaces, events }: Contents): void {
  createPrivateFile(path);
  const database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    database.exec(`${schemaIn("")} PRAGMA user_version = 1;`);
    database.transaction(() => {
      for (const [table, rows] of [["projects", projects] as const, ["workspaces", workspaces] as const])
        for (const { id, body, crc } of rows.values())
          database.prepare(`INSERT INTO ${table} (id, body, crc) VALUES (?, ?, ?)`).run([id, body, crc]);
      const insert = database.prepare(
        "INSERT INTO workspace_events (workspace_id, at_ms, body, crc) VALUES (?, ?, ?, ?)",
      );
      for (const { id, atMs, body, crc } of events) insert.run([id, atMs, body, crc]);
    });
  } finally {
    database.close();
  }
}
