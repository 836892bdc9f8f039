/** The mutants, each with a fault that the checker must find. */
import type { Commit, Driver, Journal, OutboxItem } from "../../src/runtime/ports.js";
import { NO_MUTANT, type Mutant } from "./mutant.js";

/** The driver says everything twice. */
const repeatingDriver: Mutant = {
  ...NO_MUTANT,
  name: "a driver that repeats an input",
  driver: (driver: Driver) => ({
    async perform(item, ...rest) {
      const performed = await driver.perform(item, ...rest);
      if (item.call.type !== "write") return performed;
      // Another id: the keeper cannot know that it is the same.
      const again: OutboxItem = { ...item, effectId: `${item.effectId}1` };
      await driver.perform(again, ...rest);
      return performed;
    },
  }),
};

const forgetfulKeeper: Mutant = {
  ...NO_MUTANT,
  name: "a keeper that does not know an effect again",
  prepare: (_disk, keeper) => {
    keeper.forgetsEffects = true;
  },
};

const forgetfulDisk: Mutant = {
  ...NO_MUTANT,
  name: "a journal that loses a synced commit",
  prepare: (disk) => {
    disk.forgetsSyncs = true;
  },
};

/** Whoever is told that a commit is done tells subscribers and drivers. */
const hastyJournal: Mutant = {
  ...NO_MUTANT,
  name: "a bus that publishes before the commit",
  journal: (journal) =>
    withCommit(journal, (commit) => {
      void journal.commit(commit);
      return Promise.resolve();
    }),
};

/** Whoever is told that a commit is on the disk answers requests and acts on the world. */
const hastySync: Mutant = {
  ...NO_MUTANT,
  name: "a journal that does not wait for the disk",
  journal: (journal) => withPart(journal, "sync", () => Promise.resolve()),
};

const carelessJournal: Mutant = {
  ...NO_MUTANT,
  name: "a journal that keeps half of a commit",
  journal: (journal) =>
    withCommit(journal, (commit) => journal.commit({ ...commit, outbox: commit.outbox.slice(1) })),
};

const forgetfulReceipts: Mutant = {
  ...NO_MUTANT,
  name: "a journal without receipts",
  journal: (journal) => withCommit(journal, (commit) => journal.commit({ ...commit, receipts: [] })),
};

const sleepyJournal: Mutant = {
  ...NO_MUTANT,
  name: "a journal without timers",
  journal: (journal) => withCommit(journal, (commit) => journal.commit({ ...commit, startedTimers: [] })),
};

const misplacedCursor: Mutant = {
  ...NO_MUTANT,
  name: "a cursor that is off by one",
  pump: { misplace: (offset) => (offset === 0 ? 0 : offset - 1) },
};

const skippingCursor: Mutant = {
  ...NO_MUTANT,
  name: "a cursor that skips a byte",
  pump: { misplace: (offset) => (offset === 0 ? 0 : offset + 1) },
};

export const MUTANTS: readonly Mutant[] = [
  repeatingDriver,
  forgetfulKeeper,
  forgetfulDisk,
  hastyJournal,
  hastySync,
  carelessJournal,
  forgetfulReceipts,
  sleepyJournal,
  misplacedCursor,
  skippingCursor,
];

/** The journal with another way to commit. */
function withCommit(journal: Journal, commit: (commit: Commit) => Promise<void>): Journal {
  return withPart(journal, "commit", commit);
}

function withPart<Name extends "commit" | "sync">(journal: Journal, part: Name, own: Journal[Name]): Journal {
  return new Proxy(journal, {
    get: (target, name, receiver): unknown => {
      if (name === part) return own;
      const value: unknown = Reflect.get(target, name, receiver);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
