/** What is deleted is gone from the raw bytes of every file, not only from what is read. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
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
