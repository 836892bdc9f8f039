import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { JournalError } from "../../src/journal/journal-error.js";
import { MemoryJournal } from "../../src/journal/memory-journal.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import { buildJournal } from "./build-journal.js";
import { FaultyJournal } from "./faulty-journal.js";
import { describeJournal } from "./journal-contract.js";
import { commitOf, entryOf } from "./journal-rows.js";

beforeAll(buildJournal, 300_000);

describeJournal("MemoryJournal", () => {
  let journal = new MemoryJournal();
  return Promise.resolve({
    journal,
    reopen: async () => {
      await journal.close();
      return (journal = new MemoryJournal(journal));
    },
    end: () => journal.close(),
  });
});

describeJournal("SqliteJournal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-journal-"));
  const path = join(folder, "journal.db");
  let journal = await SqliteJournal.open(path);
  return {
    journal,
    reopen: async () => {
      await journal.close();
      return (journal = await SqliteJournal.open(path));
    },
    end: async () => {
      await journal.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("a faulty journal fails the commits that it is told to, and no other", async () => {
  const journal = new FaultyJournal(new MemoryJournal());
  const full = new JournalError("full", "No room.");
  journal.failNext(full);
  await expect(journal.commit(commitOf({ entries: [entryOf(1, "a", 1)] }))).rejects.toBe(full);
  expect((await journal.load()).lastPosition).toBe(0);
  await journal.commit(commitOf({ entries: [entryOf(1, "a", 1)] }));
  expect((await journal.load()).lastPosition).toBe(1);
});
