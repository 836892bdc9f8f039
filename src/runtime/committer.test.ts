import { expect, test } from "vitest";
import { HeldJournal } from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";
import type { Batch } from "./batch.js";
import { Committer } from "./committer.js";
import type { Entry } from "./ports.js";

function entry(position: number): Entry {
  return { position, sessionId: "s", seq: position, atMs: 0, kind: "fact", run: 0, body: `"${position}"` };
}

function bench() {
  const journal = new HeldJournal();
  const log: string[] = [];
  const name = (batch: Batch): string => `[${batch.entries.map(({ position }) => position).join(" ")}]`;
  const committer = new Committer(journal, {
    close: (batch) => void log.push(`close ${name(batch)}`),
    committed: (batch) => void log.push(`committed ${name(batch)} ${batch.sync}`),
    synced: (batch) => {
      if (batch.sync === "full") log.push(`synced ${name(batch)}`);
    },
    notSynced: (batches, error) =>
      void log.push(`not synced ${batches.map(name).join(" ")}: ${error.message}`),
    failed: (batches, error) => void log.push(`failed ${batches.map(name).join(" ")}: ${error.message}`),
    pass: (point) => void log.push(point),
  });
  return { journal, log, committer };
}

test("what is added in one turn of the loop is one commit", async () => {
  const { journal, log, committer } = bench();
  committer.batch.entries.push(entry(1));
  committer.batch.entries.push(entry(2));
  await committer.idle();
  expect(log).toEqual(["close [1 2]", "before_commit", "after_commit", "committed [1 2] normal"]);
  expect(journal.commits.map(({ entries }) => entries.length)).toEqual([2]);
});

test("what comes while a commit runs is the next one, all of it, and nothing else runs meanwhile", async () => {
  const { journal, log, committer } = bench();
  journal.hold();
  committer.batch.entries.push(entry(1));
  await settleMicrotasks();
  for (const position of [2, 3, 4]) {
    committer.batch.entries.push(entry(position));
    await settleMicrotasks();
  }
  expect(log).toEqual(["close [1]", "before_commit"]);
  journal.release();
  await committer.idle();
  expect(log.filter((line) => line.startsWith("committed"))).toEqual([
    "committed [1] normal",
    "committed [2 3 4] normal",
  ]);
  expect((await journal.entries()).map(({ position }) => position)).toEqual([1, 2, 3, 4]);
});

test("a batch that stays empty is not committed", async () => {
  const { journal, log, committer } = bench();
  expect(committer.batch.isEmpty).toBe(true);
  await committer.idle();
  expect([log, journal.commits]).toEqual([[], []]);
});

test("a commit that fails takes what gathered on top of it along, and the next one succeeds", async () => {
  const { journal, log, committer } = bench();
  journal.hold();
  journal.failNext();
  committer.batch.entries.push(entry(1));
  await settleMicrotasks();
  committer.batch.entries.push(entry(2));
  journal.release();
  await committer.idle();
  expect(log).toEqual(["close [1]", "before_commit", "failed [1] [2]: disk full"]);
  committer.batch.entries.push(entry(1));
  await committer.idle();
  expect(log.slice(3)).toEqual(["close [1]", "before_commit", "after_commit", "committed [1] normal"]);
});

test("what is added in answer to a failure is committed", async () => {
  const { journal, committer } = bench();
  journal.failNext();
  committer.batch.waiters.push({
    done: () => undefined,
    undone: () => undefined,
  });
  committer.batch.entries.push(entry(1));
  await settleMicrotasks();
  committer.batch.entries.push(entry(1));
  await committer.idle();
  expect((await journal.entries()).map(({ position }) => position)).toEqual([1]);
});

test("content that is not synced for long is synced all the same", async () => {
  const { log, committer } = bench();
  const syncs = (): string[] =>
    log.filter((line) => line.startsWith("committed")).map((line) => line.split(" ").at(-1) ?? "");
  for (let position = 1; position <= 2_500; position += 500) {
    for (let more = 0; more < 500; more += 1) committer.batch.entries.push(entry(position + more));
    await committer.idle();
  }
  expect(syncs()).toEqual(["normal", "normal", "normal", "normal", "full"]);
  committer.batch.entries.push(entry(2_501));
  await committer.idle();
  expect(syncs().at(-1)).toBe("normal");
  for (let fedMiB = 0; fedMiB < 20; fedMiB += 4) {
    committer.batch.outputBytes += 4 * 1024 * 1024;
    committer.batch.touchedSessionIds.add("s");
    await committer.idle();
  }
  expect(syncs().slice(-5)).toEqual(["normal", "normal", "normal", "normal", "full"]);
});

function addFull(committer: Committer, position: number): void {
  committer.batch.entries.push(entry(position));
  committer.batch.sync = "full";
}

test("commits go on while one is being synced, and one sync serves all who wait for the next", async () => {
  const { journal, log, committer } = bench();
  journal.holdSyncs();
  addFull(committer, 1);
  await settleMicrotasks();
  for (const position of [2, 3]) {
    addFull(committer, position);
    await settleMicrotasks();
  }
  committer.batch.entries.push(entry(4));
  await settleMicrotasks();
  expect(log.filter((line) => line.includes("ed ["))).toEqual([
    "committed [1] full",
    "committed [2] full",
    "committed [3] full",
    "committed [4] normal",
  ]);
  journal.releaseSyncs();
  await committer.idle();
  expect(log.filter((line) => line.startsWith("synced"))).toEqual(["synced [1]", "synced [2]", "synced [3]"]);
  expect(journal.syncCount).toBe(2);
});

test("what the disk does not keep is told, and what comes after it is synced for itself", async () => {
  const { journal, log, committer } = bench();
  journal.failNextSync();
  addFull(committer, 1);
  await committer.idle();
  addFull(committer, 2);
  await committer.idle();
  expect(log.filter((line) => line.includes("synced"))).toEqual([
    "not synced [1]: disk broken",
    "synced [2]",
  ]);
});
