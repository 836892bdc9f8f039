/** What only a journal on a disk can do, or go through. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Database } from "../../src/journal/sqlite/database.js";
import { rebuildJournal } from "../../src/journal/sqlite/rebuild.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import { buildJournal, COMMIT_LOOP } from "./build-journal.js";
import { commitOf, deltaOf, entryOf, eventEntry, messageOf, recordOf } from "./journal-rows.js";

let folder: string;
let path: string;

beforeAll(buildJournal, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-sqlite-"));
  path = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Looks into the file beside the journal. */
function query(sql: string): readonly unknown[] {
  const database = new Database(path, { busyTimeoutMs: 1_000 });
  try {
    return database.rows(sql);
  } finally {
    database.close();
  }
}

test("a journal of a newer version is left alone", async () => {
  await (await SqliteJournal.open(path)).close();
  query("UPDATE meta SET value = '999' WHERE name = 'schema_version' RETURNING value");
  const before = readFileSync(path);
  await expect(SqliteJournal.open(path)).rejects.toMatchObject({
    code: "too_new",
    message: "The journal has version 999, and this program knows none beyond 6.",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  query("UPDATE meta SET value = '6' WHERE name = 'schema_version' RETURNING value");
  await (await SqliteJournal.open(path)).close();
});

test("a journal whose index knows no returned messages is brought to this version", async () => {
  const first = await SqliteJournal.open(path);
  const [queued, returned, sent] = [messageOf("m1", "a"), messageOf("m2", "a"), messageOf("m3", "a")];
  const messages = [
    queued,
    { ...returned, status: "returned" as const },
    { ...sent, status: "sent" as const },
  ];
  await first.commit(commitOf({ sessions: [recordOf("a")], messages }));
  await first.close();
  query(`DROP INDEX messages_unsettled`);
  query(`CREATE INDEX messages_unsettled ON messages (message_id) WHERE status IN ('queued', 'sending')`);
  query("UPDATE meta SET value = '2' WHERE name = 'schema_version' RETURNING value");
  const journal = await SqliteJournal.open(path);
  expect((await journal.load()).unsettledMessages).toEqual(messages.slice(0, 2));
  await journal.close();
  expect(query("SELECT value FROM meta WHERE name = 'schema_version'")).toEqual([{ value: "6" }]);
});

test("a file that is no journal is refused and left alone", async () => {
  const garbage = Buffer.alloc(20_000, "garbage ");
  writeFileSync(path, garbage);
  await expect(SqliteJournal.open(path)).rejects.toMatchObject({ name: "JournalError", code: "corrupt" });
  expect(readFileSync(path).equals(garbage)).toBe(true);
});

test("somebody else's database is refused and left alone", async () => {
  query("CREATE TABLE theirs (x)");
  const before = readFileSync(path);
  await expect(SqliteJournal.open(path)).rejects.toMatchObject({
    code: "corrupt",
    message: "The file is a database, but no journal.",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a folder that is not there, and a folder instead of a file, are refused", async () => {
  await expect(SqliteJournal.open(join(folder, "none", "journal.db"))).rejects.toMatchObject({ code: "io" });
  mkdirSync(path);
  await expect(SqliteJournal.open(path)).rejects.toMatchObject({ code: "io" });
});

test("a second opener is refused, in this process and in another, until the first has closed", async () => {
  const journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ entries: [entryOf(1, "a", 1)] }));
  const busy = { code: "busy", message: `${path} is open in another process.` };
  await expect(SqliteJournal.open(path)).rejects.toMatchObject(busy);
  const { status, stderr } = spawnSync(process.execPath, [COMMIT_LOOP, path], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: `busy: ${busy.message}\n` });
  await journal.commit(commitOf({ entries: [entryOf(2, "a", 2)] }));
  await journal.close();
  const again = await SqliteJournal.open(path);
  expect((await again.load()).lastPosition).toBe(2);
  await again.close();
});

test("only the owner may read its files", async () => {
  writeFileSync(path, "", { mode: 0o644 });
  const journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ entries: [entryOf(1, "a", 1)], sessions: [recordOf("a")] }));
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  expect(Object.fromEntries(modes)).toEqual({
    "journal.db": 0o600,
    "journal.db-shm": 0o600,
    "journal.db-wal": 0o600,
    "journal.db.lock": 0o600,
    "secrets.json": 0o600,
  });
  await journal.close();
});

test("closing leaves everything in the one file", async () => {
  const journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ entries: [entryOf(1, "a", 1)] }));
  await journal.close();
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  expect(log?.size ?? 0).toBe(0);
  expect(query("SELECT count(*) AS length FROM entries")).toEqual([{ length: 1 }]);
});

test("a fault in the commit thread rejects what is open, and everything after it", async () => {
  const journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ entries: [entryOf(1, "a", 1)] }));
  const faulty = commitOf({ entries: [entryOf(2, "a", 2, { body: [] as unknown as string })] });
  const calls = [journal.commit(faulty), journal.compact({ sessionId: "a", streamId: "s1" })];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: "closed" });
  await expect(journal.commit(commitOf({}))).rejects.toThrow(/commit thread died/);
  await journal.close();
  const again = await SqliteJournal.open(path);
  expect((await again.load()).lastPosition).toBe(1);
  await again.close();
});

test("the log before the tables does not grow without end, also while others read", async () => {
  const journal = await SqliteJournal.open(path);
  const body = JSON.stringify("x".repeat(10_000));
  let position = 0;
  for (let round = 0; round < 100; round += 1) {
    const entries = Array.from({ length: 100 }, () => entryOf((position += 1), "a", position, { body }));
    const reads = [0, position - 150].map((after) => journal.readEntries({ after, limit: 1_000 }));
    await journal.commit(commitOf({ entries }));
    await Promise.all(reads);
  }
  expect(statSync(path).size).toBeGreaterThan(60_000_000);
  expect(statSync(`${path}-wal`).size).toBeLessThan(32 * 1024 * 1024);
  await journal.close();
}, 240_000);

test("no row of a removed session stays, although it is closed at once, and the file shrinks", async () => {
  let journal = await SqliteJournal.open(path);
  const entries = Array.from({ length: 9_000 }, (_, index) => entryOf(index + 1, "a", index + 1));
  const writing = [
    deltaOf("a", 9_001, "x"),
    deltaOf("a", 9_002, "y"),
    deltaOf("a", 9_003, "z", { streamId: "s2" }),
  ];
  await journal.commit(
    commitOf({
      entries: [...entries, ...writing.map((event) => eventEntry(event.seq, event))],
      sessions: [recordOf("a")],
      outbox: [{ sessionId: "a", effectId: "1.0", call: { type: "stop", run: 1 } }],
      startedTimers: [{ sessionId: "a", timerId: "t", dueAtMs: 1 }],
      messages: [messageOf("m1", "a")],
      finishedStreams: [{ sessionId: "a", streamId: "s2" }],
    }),
  );
  await journal.compact({ sessionId: "a", streamId: "s1" });
  const removal = journal.commit(commitOf({ removedSessionIds: ["a"] }));
  const late = journal.compact({ sessionId: "a", streamId: "s2" });
  await Promise.all([removal, late, journal.close()]);
  const sizeBefore = statSync(path).size;

  journal = await SqliteJournal.open(path);
  while (query("SELECT 1 FROM removed_sessions").length > 0) await delay(5);
  await journal.close();
  const tables = query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta'") as readonly {
    name: string;
  }[];
  expect(tables.length).toBe(14);
  for (const { name } of tables)
    expect({ name, rows: query(`SELECT * FROM ${name}`) }).toEqual({ name, rows: [] });
  expect(statSync(path).size).toBeLessThan(sizeBefore / 2);
  journal = await SqliteJournal.open(path);
  expect((await journal.load()).lastPosition).toBe(9_003);
  await journal.close();
});

test("on a full disk commits fail, reads go on, and with room again so do commits", async ({ skip }) => {
  const disk = join(folder, "disk");
  const mounted = mountSmallDisk(disk);
  if (mounted !== null) skip(`Needs the right to mount a small disk: ${mounted}`);
  try {
    await fillDisk(disk);
  } finally {
    // Lazily: the driver closes its files only with the next garbage collection.
    spawnSync("umount", ["-l", disk]);
  }
});

test("what the log cannot keep for good, the tables do", async () => {
  const journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ entries: [entryOf(1, "a", 1)], sessions: [recordOf("a")] }));
  // Whoever has it open goes on writing to it; nobody finds it any more.
  rmSync(`${path}-wal`);
  await journal.sync();
  const copy = join(folder, "copy.db");
  writeFileSync(copy, readFileSync(path));
  const tables = new Database(copy, { busyTimeoutMs: 1_000 });
  expect(tables.rows("SELECT position FROM entries")).toEqual([{ position: 1 }]);
  tables.close();
  await journal.close();
});

/** Null, or why not. */
function mountSmallDisk(disk: string): string | null {
  mkdirSync(disk);
  const { status, stderr, error } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], {
    encoding: "utf8",
  });
  if (status === 0) return null;
  return error ? error.message : stderr.trim();
}

async function fillDisk(disk: string): Promise<void> {
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024));
  const diskPath = join(disk, "journal.db");
  let journal = await SqliteJournal.open(diskPath);
  const body = JSON.stringify("x".repeat(20_000));
  const entryAt = (position: number) => entryOf(position, "a", position, { body });
  const commitAt = (position: number) =>
    commitOf({ sync: "full", entries: [entryAt(position)], sessions: [recordOf("a", { seq: position })] });

  let last = 0;
  const filling = async () => {
    for (; last < 1_000; last += 1) await journal.commit(commitAt(last + 1));
  };
  await expect(filling()).rejects.toMatchObject({ name: "JournalError", code: "full" });
  expect(last).toBeGreaterThan(10);
  await expect(journal.commit(commitAt(last + 1))).rejects.toMatchObject({ code: "full" });
  const check = async () => {
    const expected = Array.from({ length: last }, (_, index) => entryAt(index + 1));
    expect(await journal.readEntries({ after: 0, limit: 1_000 })).toEqual(expected);
    expect((await journal.load()).sessions).toEqual([recordOf("a", { seq: last })]);
  };
  await check();

  rmSync(filler);
  await journal.commit(commitAt(last + 1));
  last += 1;
  await check();
  await journal.close();
  journal = await SqliteJournal.open(diskPath);
  await check();
  await journal.close();
}

test("a receipt from before principals answers whoever repeats the request, and no other", async () => {
  await (await SqliteJournal.open(path)).close();
  query("DROP TABLE receipts");
  query(`CREATE TABLE receipts (client_id TEXT NOT NULL PRIMARY KEY, at_ms INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, result TEXT NOT NULL) WITHOUT ROWID`);
  query("INSERT INTO receipts VALUES ('c', 5, 'f', '{}') RETURNING client_id");
  query("UPDATE meta SET value = '4' WHERE name = 'schema_version' RETURNING value");
  const journal = await SqliteJournal.open(path);
  const old = { principal: "", clientId: "c", fingerprint: "f", atMs: 5, result: "{}" };
  expect(await journal.readReceipt("token:token", "c")).toEqual(old);
  expect(await journal.readReceipt("device:d", "c")).toEqual(old);
  expect(await journal.readReceipt("device:d", "d")).toBeNull();
  const own = { ...old, principal: "device:d", fingerprint: "g" };
  await journal.commit(commitOf({ receipts: [own] }));
  expect(await journal.readReceipt("device:d", "c")).toEqual(own);
  expect(await journal.readReceipt("token:token", "c")).toEqual(old);
  await journal.close();
});

test("the audit outlives a session, and goes into a backup and a repaired journal as it is", async () => {
  const journal = await SqliteJournal.open(path);
  const principal = { kind: "token", id: "token", name: "the token" } as const;
  const entry = (n: number, operation: string) => ({
    ...{ n, atMs: n, principal, operation, sessionId: "a" },
    ...{ digest: `d${n}`, previous: n === 1 ? "" : `d${n - 1}` },
  });
  const audit = [entry(1, "create"), entry(2, "remove")];
  await journal.commit(commitOf({ sessions: [recordOf("a")], audit: audit.slice(0, 1) }));
  await journal.commit(commitOf({ removedSessionIds: ["a"], audit: audit.slice(1) }));
  const backup = join(folder, "backup.db");
  await journal.backup(backup);
  await journal.close();
  const repaired = join(folder, "repaired.db");
  rebuildJournal(path, repaired, 0);
  for (const file of [path, backup, repaired]) {
    const again = await SqliteJournal.open(file);
    expect(await again.readAudit({ sinceMs: 0, after: 0, limit: 10 })).toEqual(audit);
    expect((await again.load()).auditHead).toEqual({ n: 2, digest: "d2" });
    await again.close();
  }
});
