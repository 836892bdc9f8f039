/** Bytes that are not as they were written: found when they are read, said, and never a line that is silently missing. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { CUT_LOG_SENTENCE, READ_ONLY_SENTENCE } from "../../src/journal/damage-words.js";
import { damageSentence } from "../../src/journal/damaged-entry.js";
import { Database } from "../../src/journal/sqlite/database.js";
import type { Damage } from "../../src/journal/sqlite/entry-reader.js";
import { rebuildJournal } from "../../src/journal/sqlite/rebuild.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import type { Entry } from "../../src/runtime/ports.js";
import { buildJournal } from "./build-journal.js";
import { flipBytes, flipText, halve } from "./journal-damage.js";
import { commitOf, deltaOf, entryOf, eventEntry, messageOf, recordOf } from "./journal-rows.js";

let folder: string;
let path: string;
let journal: SqliteJournal | null;
let damages: Damage[];
let problems: string[];

beforeAll(buildJournal, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-damage-"));
  path = join(folder, "journal.db");
  journal = null;
  damages = [];
  problems = [];
});
afterEach(async () => {
  await journal?.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<SqliteJournal> {
  journal = await SqliteJournal.open(path, {
    onDamage: (damage) => damages.push(damage),
    onProblem: (problem) => problems.push(problem),
  });
  return journal;
}

async function close(): Promise<void> {
  await journal?.close();
  journal = null;
}

const ENTRIES = Array.from({ length: 9 }, (_, index) =>
  entryOf(index + 1, "a", index + 1, { body: JSON.stringify({ text: `line ${index + 1} of nine` }) }),
);

async function writeNine(): Promise<void> {
  await (await open()).commit(commitOf({ entries: ENTRIES, sessions: [recordOf("a")] }));
  await close();
}

test("a flipped byte in an entry is said in its place, and the rest is read", async () => {
  await writeNine();
  expect(flipText(path, "line 5 of nine")).toBe(1);
  const opened = await open();
  expect(await opened.load()).toMatchObject({ sessions: [recordOf("a")] });
  const message = damageSentence("a", 5);
  const body = JSON.stringify({
    eventId: "damaged-5",
    sessionId: "a",
    timestampMs: 1_005,
    schemaVersion: "1.0",
    harness: "signalbox",
    streamId: "damaged-5",
    seq: 5,
    type: "error",
    payload: { code: "journal_damaged", message, recoverable: false },
  });
  const expected: Entry[] = ENTRIES.map((entry) =>
    entry.position === 5 ? { ...entry, body, damaged: true } : entry,
  );
  expect(await opened.readEntries({ sessionId: "a", after: 0, limit: 100 })).toEqual(expected);
  expect(await opened.readEntries({ after: 0, limit: 100 })).toEqual(expected);
  expect(await opened.readNewest("a", ["stream"], 100)).toEqual(expected.toReversed());
  expect(await opened.readEntry("a", 5)).toEqual(expected[4]);
  expect(damages).toEqual(Array.from({ length: 4 }, () => ({ sessionId: "a", position: 5 })));
  expect(problems).toEqual([]);
  expect(await opened.examine()).toEqual({
    problems: [],
    damaged: [{ sessionId: "a", position: 5 }],
    damagedCount: 1,
  });
  // One line is no reason to stop.
  await opened.commit(commitOf({ entries: [entryOf(10, "a", 10)] }));
});

test.each(["state", "request", "fact"] as const)(
  "a damaged %s says so in an event of its kind",
  async (kind) => {
    const body = JSON.stringify({ text: "a body to be flipped" });
    await (
      await open()
    ).commit(commitOf({ entries: [entryOf(1, "a", 1, { kind, body })], sessions: [recordOf("a")] }));
    await close();
    flipText(path, "a body to be flipped");
    const [entry] = await (await open()).readEntries({ sessionId: "a", after: 0, limit: 1 });
    expect({ ...entry, body: "" }).toEqual({ ...entryOf(1, "a", 1, { kind }), body: "", damaged: true });
    expect(entry?.body).toContain("journal_damaged");
  },
);

test("compaction leaves a damaged stream as it is, and goes on with others", async () => {
  const events = [deltaOf("a", 1, "one "), deltaOf("a", 2, "piece to flip"), deltaOf("a", 3, "three")];
  const others = [4, 5].map((seq) => deltaOf("b", seq, "x"));
  const entries = [...events, ...others].map((event) => eventEntry(event.seq, event));
  await (await open()).commit(commitOf({ entries, sessions: [recordOf("a"), recordOf("b")] }));
  await close();
  flipText(path, "piece to flip");
  const opened = await open();
  await opened.compact({ sessionId: "a", streamId: "s1" });
  await opened.compact({ sessionId: "b", streamId: "s1" });
  const after = await opened.readEntries({ after: 0, limit: 10 });
  expect(after.map(({ position, damaged }) => [position, damaged ?? false])).toEqual([
    [1, false],
    [2, true],
    [3, false],
    [5, false],
  ]);
  expect(after[3]?.body).toContain('"text":"xx"');
});

test("a damaged message is never taken for another text", async () => {
  const messages = [
    messageOf("m1", "a", { text: "the words to flip", status: "sent" }),
    messageOf("m2", "a", { status: "sent" }),
  ];
  await (await open()).commit(commitOf({ messages, sessions: [recordOf("a")] }));
  await close();
  flipText(path, "the words to flip");
  const opened = await open();
  await expect(opened.readMessage("m1")).rejects.toMatchObject({
    code: "damaged",
    message: "The message m1 of session a is damaged in the journal.",
  });
  expect(await opened.readMessage("m2")).toEqual(messages[1]);
  expect((await opened.examine()).damaged).toEqual([{ sessionId: "a", position: null, messageId: "m1" }]);
});

test("what is loaded at a start is checked: a damaged record is left out, and nothing is written any more", async () => {
  const sessions = [recordOf("a"), recordOf("b", { grants: ["Shell(words to flip)"] })];
  await (await open()).commit(commitOf({ entries: ENTRIES, sessions }));
  await close();
  flipText(path, "words to flip");
  const opened = await open();
  expect((await opened.load()).sessions).toEqual([recordOf("a")]);
  expect(problems).toEqual(["the record of session b is damaged"]);
  await expect(opened.commit(commitOf({}))).rejects.toMatchObject({
    code: "damaged",
    message: READ_ONLY_SENTENCE,
  });
  expect(await opened.readEntries({ after: 0, limit: 100 })).toEqual(ENTRIES);
});

test("rows of the version before have no checksum, and are read as they are", async () => {
  await writeNine();
  const database = new Database(path, { busyTimeoutMs: 1_000 });
  for (const table of [
    "session_keys",
    "entries",
    "sessions",
    "session_details",
    "spool_cursors",
    "outbox",
    "messages",
  ])
    database.exec(`ALTER TABLE ${table} DROP COLUMN crc`);
  database.exec(
    "UPDATE session_details SET details = json_set(details, '$.settings.env', json('{\"A\":\"b\"}'))",
  );
  database.exec("UPDATE meta SET value = '1' WHERE name = 'schema_version'");
  database.close();
  const opened = await open();
  expect((await opened.load()).sessions).toEqual([recordOf("a")]);
  expect(await opened.readEntries({ after: 0, limit: 100 })).toEqual(ENTRIES);
  await opened.commit(commitOf({ entries: [entryOf(10, "a", 10)] }));
  expect(await opened.examine()).toEqual({ problems: [], damaged: [], damagedCount: 0 });
});

/** Large enough that every table has a tree of several levels. */
async function writeMuch(): Promise<readonly Entry[]> {
  const entries = Array.from({ length: 3_000 }, (_, index) =>
    entryOf(index + 1, `s${index % 20}`, Math.floor(index / 20) + 1),
  );
  const sessions = Array.from({ length: 20 }, (_, index) => recordOf(`s${index}`));
  const opened = await open();
  await opened.commit(commitOf({ sessions }));
  await opened.commit(commitOf({ entries }));
  await close();
  return entries;
}

test("a halved file is opened for reading, with what is left of it", async () => {
  const entries = await writeMuch();
  halve(path);
  const before = readFileSync(path);
  const opened = await open();
  expect(problems.length).toBeGreaterThan(0);
  const { sessions } = await opened.load();
  expect(sessions.length).toBeGreaterThan(0);
  const read = await opened.readEntries({ after: 0, limit: 1_000 });
  const known = new Map(entries.map((entry) => [entry.position, entry]));
  expect(read.filter(({ damaged }) => !damaged)).toEqual(
    read.filter(({ damaged }) => !damaged).map(({ position }) => known.get(position)),
  );
  expect(read.length).toBeGreaterThan(100);
  await expect(opened.commit(commitOf({}))).rejects.toMatchObject({ code: "damaged" });
  await close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a flipped page costs its rows, each of which is told, and no other", async () => {
  const entries = await writeMuch();
  // A page in the middle of the file is one of entries or of their index.
  flipBytes(path, Math.floor(statSync(path).size / 2_048 / 2) * 2_048, 2_048);
  const opened = await open();
  expect(problems.length).toBeGreaterThan(0);
  expect((await opened.load()).sessions.length).toBe(20);
  const read: Entry[] = [];
  for (;;) {
    const page = await opened.readEntries({ after: read.at(-1)?.position ?? 0, limit: 1_000 });
    read.push(...page);
    if (page.length < 1_000) break;
  }
  const lost = new Set(damages.map(({ position }) => position));
  expect(read.filter(({ position }) => !lost.has(position))).toEqual(
    entries.filter(({ position }) => !lost.has(position)),
  );
  expect(lost.size).toBeLessThan(60);
});

test("a flipped header is refused, and the file is left alone", async () => {
  await writeMuch();
  flipBytes(path, 0, 64);
  const before = readFileSync(path);
  await expect(open()).rejects.toMatchObject({ code: "corrupt" });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a log that ends within a transaction is said; all before it is there", async () => {
  const opened = await open();
  await opened.commit(commitOf({ sync: "full", entries: ENTRIES, sessions: [recordOf("a")] }));
  const whole = statSync(`${path}-wal`).size;
  await opened.commit(
    commitOf({ sync: "full", entries: [entryOf(10, "a", 10)], sessions: [recordOf("a", { seq: 10 })] }),
  );
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(whole + 4_096);
  const copy = join(folder, "cut.db");
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  truncateSync(`${copy}-wal`, whole + 3_000);
  await close();
  path = copy;
  const cut = await open();
  expect(cut.notes).toEqual([CUT_LOG_SENTENCE]);
  expect(problems).toEqual([]);
  expect(await cut.readEntries({ after: 0, limit: 100 })).toEqual(ENTRIES);
  await cut.commit(commitOf({ entries: [entryOf(10, "a", 10)] }));
  await close();
  expect((await open()).notes).toEqual([]);
});

/** Everything is readable again, and what was lost is counted. */
test.each([
  ["nothing", (): void => undefined, 0, 0],
  ["the header", (): void => flipBytes(path, 0, 64), 0, 0],
  ["a body", (): number => flipText(path, '{"position":77,'), 1, 1],
  ["a page", (): void => flipBytes(path, Math.floor(statSync(path).size / 2_048 / 2) * 2_048, 2_048), 0, 60],
] as const)(
  "a journal with %s damaged is written anew, in a new epoch",
  async (_what, damage, lostMin, lostMax) => {
    const entries = await writeMuch();
    damage();
    const before = readFileSync(path);
    const fresh = join(folder, "fresh.db");
    const rebuilt = rebuildJournal(path, fresh, 5_000);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(rebuilt.lostEntries).toBeGreaterThanOrEqual(lostMin);
    expect(rebuilt.lostEntries).toBeLessThanOrEqual(lostMax);
    path = fresh;
    const opened = await open();
    expect(problems).toEqual([]);
    const loaded = await opened.load();
    expect(loaded.lastPosition).toBe(1_005_000);
    expect(loaded.isRestored).toBe(true);
    expect(loaded.outbox).toEqual([]);
    expect(loaded.sessions).toEqual(
      Array.from({ length: 20 }, (_, index) => recordOf(`s${index}`, { seq: 1_000_007, callCount: 0 })).sort(
        (a, b) => (a.id < b.id ? -1 : 1),
      ),
    );
    expect(await opened.examine()).toEqual({ problems: [], damaged: [], damagedCount: 0 });
    const known = new Map(entries.map((entry) => [entry.position, entry]));
    const read = await opened.readEntries({ sessionId: "s3", after: 0, limit: 1_000 });
    expect(read.filter(({ body }) => !body.includes("journal_damaged"))).toEqual(
      read.filter(({ body }) => !body.includes("journal_damaged")).map(({ position }) => known.get(position)),
    );
    await opened.takeUp();
    expect((await opened.load()).isRestored).toBeUndefined();
  },
);
