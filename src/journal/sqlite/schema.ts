/**
 * The tables, as numbered steps that only go forward.
 *
 * Sessions are named by a small number here. A long id in every entry and in its index would cost a third of the writing
 * speed. A session's record is JSON in three tables, by how often its parts change: what stays is not written again.
 */
import { JournalError } from "../journal-error.js";
import type { Database } from "./database.js";
import { SecretsFile, type Variables } from "./secrets-file.js";
import {
  checksumOf,
  isIntactJson,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "./stored-row.js";

/** An entry's kind is stored as its place in this list: append only. */
export const KINDS = ["stream", "state", "request", "fact"] as const;

/** Small pages: one commit touches a page for each session, and writes each of them whole. */
export const PAGE_BYTES = 2_048;
/** After so many pages the log that precedes the tables is copied into them and begins anew. */
const CHECKPOINT_PAGES = 8_192;
/** A transaction larger than that leaves no larger log behind. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;
const CACHE_KIBIBYTES = 16_384;

const FIRST = `
CREATE TABLE session_keys (session_key INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE);
-- Removed, but some of their entries are still to be deleted. Nobody sees those.
CREATE TABLE removed_sessions (session_key INTEGER PRIMARY KEY);

CREATE TABLE entries (
  position INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  run INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX entries_by_session ON entries (session_key, seq);
-- Most entries are content: finds the few others among them.
CREATE INDEX entries_besides_content ON entries (session_key, seq) WHERE kind <> 0;

CREATE TABLE sessions (
  session_key INTEGER PRIMARY KEY,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  harness TEXT NOT NULL,
  status TEXT NOT NULL,
  record TEXT NOT NULL
);
CREATE TABLE session_details (session_key INTEGER PRIMARY KEY, details TEXT NOT NULL);
CREATE TABLE spool_cursors (
  session_key INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  out_offset INTEGER NOT NULL,
  hooks_offset INTEGER NOT NULL,
  progress TEXT NOT NULL
);

CREATE TABLE outbox (
  session_key INTEGER NOT NULL,
  effect_id TEXT NOT NULL,
  call TEXT NOT NULL,
  PRIMARY KEY (session_key, effect_id)
) WITHOUT ROWID;
CREATE TABLE timers (
  session_key INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  timer_id TEXT NOT NULL,
  PRIMARY KEY (session_key, timer_id)
) WITHOUT ROWID;
-- A message's text is JSON, because the driver ends a text at its first NUL.
CREATE TABLE messages (
  message_id TEXT NOT NULL PRIMARY KEY,
  session_key INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  status TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX messages_by_session ON messages (session_key);
CREATE INDEX messages_unsettled ON messages (message_id) WHERE status IN ('queued', 'sending');
CREATE TABLE receipts (
  client_id TEXT NOT NULL PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE finished_streams (
  session_key INTEGER NOT NULL,
  stream_id TEXT NOT NULL,
  PRIMARY KEY (session_key, stream_id)
) WITHOUT ROWID;

-- So that compaction reads a stream from its start, and not a session from its start: the streams with deltas before
-- until_seq are all in stream_starts.
CREATE TABLE stream_starts (
  session_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  stream_id TEXT NOT NULL,
  PRIMARY KEY (session_key, stream_id)
) WITHOUT ROWID;
CREATE TABLE stream_scans (session_key INTEGER PRIMARY KEY, until_seq INTEGER NOT NULL);

-- All that is small goes at once; entries are deleted piece by piece.
CREATE TRIGGER remove_session AFTER INSERT ON removed_sessions BEGIN
  DELETE FROM session_keys WHERE session_key = NEW.session_key;
  DELETE FROM sessions WHERE session_key = NEW.session_key;
  DELETE FROM session_details WHERE session_key = NEW.session_key;
  DELETE FROM spool_cursors WHERE session_key = NEW.session_key;
  DELETE FROM outbox WHERE session_key = NEW.session_key;
  DELETE FROM timers WHERE session_key = NEW.session_key;
  DELETE FROM messages WHERE session_key = NEW.session_key;
  DELETE FROM finished_streams WHERE session_key = NEW.session_key;
  DELETE FROM stream_starts WHERE session_key = NEW.session_key;
  DELETE FROM stream_scans WHERE session_key = NEW.session_key;
END;
`;

/** Rows that were there before have none, and are not checked. */
const CHECKSUMS = `
ALTER TABLE session_keys ADD COLUMN crc INTEGER;
ALTER TABLE entries ADD COLUMN crc INTEGER;
ALTER TABLE sessions ADD COLUMN crc INTEGER;
ALTER TABLE session_details ADD COLUMN crc INTEGER;
ALTER TABLE spool_cursors ADD COLUMN crc INTEGER;
ALTER TABLE outbox ADD COLUMN crc INTEGER;
ALTER TABLE messages ADD COLUMN crc INTEGER;
`;

/** Messages that came back keep their texts at hand. */
const RETURNED = `
DROP INDEX messages_unsettled;
CREATE INDEX messages_unsettled ON messages (message_id) WHERE status IN ('queued', 'sending', 'returned');
`;

/** A receipt is its principal's. Those of before are nobody's, and answer whoever repeats the request. */
const RECEIPTS_BY_PRINCIPAL = `
CREATE TABLE receipts_by_principal (
  principal TEXT NOT NULL,
  client_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (principal, client_id)
) WITHOUT ROWID;
INSERT INTO receipts_by_principal SELECT '', client_id, at_ms, fingerprint, result FROM receipts;
DROP TABLE receipts;
ALTER TABLE receipts_by_principal RENAME TO receipts;
`;

/** Who asked for what. It names sessions by their ids, because it outlives them. */
const AUDIT = `
CREATE TABLE IF NOT EXISTS audit (
  n INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  principal TEXT NOT NULL,
  operation TEXT NOT NULL,
  session_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  previous TEXT NOT NULL
);
`;

/** Values of variables leave the journal for a file of their own; `rewrite_owed`: until they are erased, too. */
function moveSecrets(database: Database, path: string): void {
  const rows = database.rows(
    `SELECT session_key, ${textColumn("session_id")}, ${textColumn("details")},
       ${numberColumn("session_details.crc", "crc")} FROM session_details JOIN session_keys USING (session_key)`,
  ) as readonly {
    session_key: number;
    session_id: StoredText;
    details: StoredText;
    crc: StoredChecksum;
  }[];
  const update = database.prepare("UPDATE session_details SET details = ?, crc = ? WHERE session_key = ?");
  const secrets: [string, Variables][] = [];
  for (const { session_key, session_id, details, crc } of rows) {
    // Written anew, a damaged one would look whole.
    if (!isIntactJson(crc, [session_key], [details])) continue;
    const { settings, ...rest } = JSON.parse(textOf(details)) as {
      readonly settings: { readonly env?: Variables };
    };
    const { env, ...others } = settings;
    if (env === undefined) continue;
    secrets.push([textOf(session_id), env]);
    const text = JSON.stringify({ settings: { ...others, envNames: Object.keys(env) }, ...rest });
    update.run([text, checksumOf([session_key], [text]), session_key]);
  }
  SecretsFile.beside(path).put(secrets);
  if (rows.length > 0)
    database.exec("INSERT OR REPLACE INTO meta (name, value) VALUES ('rewrite_owed', '1')");
}

type Migration = string | ((database: Database, path: string) => void);

/** Step n brings a file from version n to n + 1. Append only. */
const MIGRATIONS: readonly Migration[] = [
  FIRST,
  CHECKSUMS,
  RETURNED,
  moveSecrets,
  RECEIPTS_BY_PRINCIPAL,
  AUDIT,
];

const SCHEMA_VERSION = MIGRATIONS.length;

/** For the one connection that writes. Brings a new or older file to the present version. */
export function prepareForWriting(database: Database, path: string): void {
  // They matter only before the first table is there; then they are part of the file.
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`);
  const version = versionOf(database);
  if (version > SCHEMA_VERSION)
    throw new JournalError(
      "too_new",
      `The journal has version ${version}, and this program knows none beyond ${SCHEMA_VERSION}.`,
    );
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
  // What is deleted is overwritten with zeros.
  database.exec("PRAGMA secure_delete = ON");
  // On macOS an ordinary sync leaves data in the drive's cache.
  database.exec("PRAGMA fullfsync = ON");
  for (const [index, migration] of MIGRATIONS.slice(version).entries()) {
    database.transaction(() => {
      database.exec("CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
      if (typeof migration === "string") database.exec(migration);
      else migration(database, path);
      database.exec(
        `INSERT OR REPLACE INTO meta (name, value) VALUES ('schema_version', '${version + index + 1}')`,
      );
    });
  }
  rewriteWhenOwed(database);
}

/** Of what was there before, nothing stays in the file. It takes as much room again: without that, at the next start. */
function rewriteWhenOwed(database: Database): void {
  if (database.rows("SELECT 1 FROM meta WHERE name = 'rewrite_owed'").length === 0) return;
  try {
    database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM meta WHERE name = 'rewrite_owed'");
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "full") throw error;
  }
}

/** With `writable_schema` a file that is shorter than it says is read as far as it goes. */
export function prepareForReading(database: Database): void {
  database.exec("PRAGMA writable_schema = ON; PRAGMA query_only = ON");
}

export function isOfPresentVersion(database: Database): boolean {
  return versionOf(database) === SCHEMA_VERSION;
}

/** 0 for a new file. Throws for one that holds something else. */
function versionOf(database: Database): number {
  const names = database.rows(`SELECT ${textColumn("name")} FROM sqlite_schema`) as readonly {
    name: StoredText;
  }[];
  if (names.length === 0) return 0;
  const hasMeta = names.some(({ name }) => textOf(name) === "meta");
  const rows = hasMeta
    ? database.rows(`SELECT ${textColumn("value")} FROM meta WHERE name = 'schema_version'`)
    : [];
  const [row] = rows as readonly { value: StoredText }[];
  const version = row ? Number(textOf(row.value)) : NaN;
  if (!Number.isSafeInteger(version))
    throw new JournalError("corrupt", "The file is a database, but no journal.");
  return version;
}
