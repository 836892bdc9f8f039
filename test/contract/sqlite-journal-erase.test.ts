/** What is deleted is gone from the raw bytes of every file, not only from what is read. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Database } from "../../src/journal/sqlite/database.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import { buildJournal } from "./build-journal.js";
import { commitOf, deltaOf, eventEntry, messageOf, recordOf } from "./journal-rows.js";

let folder: string;

beforeAll(buildJournal, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-erase-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** How often each file holds the text. */
function found(text: string): Readonly<Record<string, number>> {
  const counts = readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name)).toString("latin1").split(text).length - 1,
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0)) as Readonly<Record<string, number>>;
}

test("a deleted session leaves no word of it in any file", async () => {
  const journal = await SqliteJournal.open(join(folder, "journal.db"));
  let position = 0;
  const words = "forgetme".repeat(40);
  for (let round = 0; round < 30; round += 1) {
    for (const sessionId of ["a", "b"]) {
      const text = sessionId === "a" ? words : "keepme";
      const events = Array.from({ length: 20 }, () => deltaOf(sessionId, (position += 1), text));
      const grants = Array.from({ length: round }, () => `Shell(${text})`);
      await journal.commit(
        commitOf({
          entries: events.map((event) => eventEntry(event.seq, event)),
          sessions: [
            recordOf(sessionId, {
              seq: position,
              grants,
              progress: { ...recordOf("a").progress, codec: text },
            }),
          ],
          messages: [messageOf(`${sessionId}${round}`, sessionId, { text })],
          outbox: [
            { sessionId, effectId: "1.0", call: { type: "spawn", run: 1, resume: null, prompt: text } },
          ],
        }),
      );
    }
    if (round === 15) await journal.compact({ sessionId: "a", streamId: "s1" });
  }
  expect(Object.keys(found("forgetme")).length).toBeGreaterThan(0);
  await journal.commit(commitOf({ sync: "full", removedSessionIds: ["a"] }));
  for (let tried = 0; tried < 200 && Object.keys(found("forgetme")).length > 0; tried += 1) await delay(25);
  expect(found("forgetme")).toEqual({});
  expect((await journal.load()).sessions.map(({ id }) => id)).toEqual(["b"]);
  await journal.close();
  expect(found("forgetme")).toEqual({});
  expect(found("keepme")["journal.db"]).toBeGreaterThan(0);
});

const SECRET = "s3cret-value-of-a-variable";
const secretive = recordOf("a", {
  settings: { ...recordOf("a").settings, env: { API_KEY: SECRET, MODE: "x" } },
});

test("values of variables are in a private file beside the journal, never in it, and go with their session", async () => {
  const path = join(folder, "journal.db");
  let journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ sync: "full", sessions: [secretive, recordOf("b")] }));
  expect(found(SECRET)).toEqual({ "secrets.json": 1 });
  expect(statSync(join(folder, "secrets.json")).mode & 0o777).toBe(0o600);
  await journal.close();
  journal = await SqliteJournal.open(path);
  expect((await journal.load()).sessions).toEqual([secretive, recordOf("b")]);
  expect(journal.missingSecrets).toEqual([]);
  await journal.commit(commitOf({ sync: "full", removedSessionIds: ["a"] }));
  expect(found(SECRET)).toEqual({});
  await journal.close();
});

test("values that are not there are named", async () => {
  const path = join(folder, "journal.db");
  let journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ sessions: [secretive] }));
  await journal.close();
  rmSync(join(folder, "secrets.json"));
  journal = await SqliteJournal.open(path);
  const { sessions } = await journal.load();
  expect(sessions).toEqual([{ ...secretive, settings: { ...secretive.settings, env: {} } }]);
  expect(journal.missingSecrets).toEqual([{ sessionId: "a", names: ["API_KEY", "MODE"] }]);
  await journal.close();
});

test("a journal of the version before gives its values away, and keeps no trace of them", async () => {
  const path = join(folder, "journal.db");
  let journal = await SqliteJournal.open(path);
  await journal.commit(commitOf({ sessions: [recordOf("a")] }));
  await journal.close();
  const database = new Database(path, { busyTimeoutMs: 1_000 });
  database.exec(`UPDATE session_details SET crc = NULL, details = json_set(json_remove(details,
    '$.settings.envNames'), '$.settings.env', json('${JSON.stringify(secretive.settings.env)}'))`);
  database.exec("UPDATE meta SET value = '2' WHERE name = 'schema_version'");
  database.close();
  rmSync(join(folder, "secrets.json"));
  expect(Object.keys(found(SECRET))).not.toEqual([]);
  journal = await SqliteJournal.open(path);
  expect(found(SECRET)).toEqual({ "secrets.json": 1 });
  expect((await journal.load()).sessions).toEqual([secretive]);
  await journal.close();
  expect(found(SECRET)).toEqual({ "secrets.json": 1 });
});
