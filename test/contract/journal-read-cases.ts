import { expect } from "vitest";
import type { Entry, EntryKind } from "../../src/runtime/ports.js";
import { initialSession } from "../../src/core/index.js";
import type { JournalCases } from "./journal-contract.js";
import { commitOf, entryOf, recordOf } from "./journal-rows.js";

const KINDS: readonly EntryKind[] = ["stream", "state", "request", "fact"];

/** Of three sessions, with gaps between the positions of each. */
const ENTRIES: readonly Entry[] = Array.from({ length: 60 }, (_, index) => {
  const sessionId = ["a", "b", "a", "c", "a"][index % 5] ?? "";
  const seq = 1 + index * 2;
  return entryOf(index + 10, sessionId, seq, { kind: KINDS[(index * 7) % 4] ?? "stream", run: index % 3 });
});

const STOPPED = { ...initialSession, status: "stopped" } as const;

export const READ_CASES: JournalCases = {
  "entries are read from any position, in pages, by session and kind": async ({ journal }) => {
    await journal.commit(commitOf({ entries: ENTRIES }));
    const kindSets = [
      undefined,
      ["stream"],
      ["state", "fact"],
      ["request"],
      ["stream", "state"],
      [],
    ] as const;
    for (const sessionId of [undefined, "a", "b", "unknown"])
      for (const kinds of kindSets)
        for (const after of [0, 9, 10, 11, 30, 43, 68, 69, 70, 1_000])
          for (const limit of [1, 7, 1_000]) {
            const query = { after, limit, ...(sessionId && { sessionId }), ...(kinds && { kinds }) };
            const expected = ENTRIES.filter(
              (entry) =>
                entry.position > after &&
                (sessionId === undefined || entry.sessionId === sessionId) &&
                (!kinds || kinds.some((kind) => kind === entry.kind)),
            );
            expect(await journal.readEntries(query), JSON.stringify(query)).toEqual(expected.slice(0, limit));
          }
  },

  "the newest entries of a session come newest first": async ({ journal }) => {
    await journal.commit(commitOf({ entries: ENTRIES }));
    for (const kinds of [["stream"], ["state", "fact"], KINDS, []] as const)
      for (const limit of [1, 3, 100]) {
        const expected = ENTRIES.filter(
          ({ sessionId, kind }) => sessionId === "a" && kinds.some((wanted) => wanted === kind),
        );
        const newest = expected.toReversed().slice(0, limit);
        expect(await journal.readNewest("a", kinds, limit)).toEqual(newest);
      }
    expect(await journal.readNewest("unknown", KINDS, 10)).toEqual([]);
  },

  "an entry is found by its session and seq": async ({ journal }) => {
    await journal.commit(commitOf({ entries: ENTRIES }));
    for (const entry of ENTRIES) expect(await journal.readEntry(entry.sessionId, entry.seq)).toEqual(entry);
    expect(await journal.readEntry("a", 10_000)).toBeNull();
    expect(await journal.readEntry("unknown", 1)).toBeNull();
  },

  "entries after a position are counted, of all sessions and of one": async ({ journal }) => {
    await journal.commit(commitOf({ entries: ENTRIES }));
    for (const after of [0, 9, 10, 33, 69, 70])
      for (const sessionId of [undefined, "a", "c", "unknown"]) {
        const { length } = ENTRIES.filter(
          (entry) => entry.position > after && (sessionId === undefined || entry.sessionId === sessionId),
        );
        expect(await journal.countAfter(after, sessionId)).toBe(length);
      }
  },

  "one read gives 1,000 entries at most, and counting stops at 20,000": async ({ journal }) => {
    const entries = Array.from({ length: 20_050 }, (_, index) =>
      entryOf(index + 1, "a", index, { body: "1" }),
    );
    await journal.commit(commitOf({ entries }));
    expect(await journal.readEntries({ after: 5, limit: 5_000 })).toEqual(entries.slice(5, 1_005));
    expect(await journal.readNewest("a", ["stream"], 5_000)).toEqual(entries.toReversed().slice(0, 1_000));
    expect(await journal.countAfter(0)).toBe(20_000);
    expect(await journal.countAfter(0, "a")).toBe(20_000);
    expect(await journal.countAfter(51, "a")).toBe(19_999);
  },

  "what is not there is null": async ({ journal }) => {
    expect(await journal.readMessage("m1")).toBeNull();
    expect(await journal.readReceipt("p", "c1")).toBeNull();
    expect(await journal.readEntry("a", 1)).toBeNull();
  },

  "pruning deletes old receipts, and old entries of stopped sessions": async ({ journal, reopen }) => {
    const receipt = (clientId: string, atMs: number) => ({
      principal: "p",
      clientId,
      atMs,
      fingerprint: "f",
      result: "{}",
    });
    const entries = [
      entryOf(1, "stopped", 1, { atMs: 10 }),
      entryOf(2, "running", 1, { atMs: 10 }),
      entryOf(3, "stopped", 5_000, { atMs: 19 }),
      entryOf(4, "stopped", 9_000, { atMs: 20 }),
      entryOf(5, "nobody", 1, { atMs: 10 }),
      entryOf(6, "ended", 1, { atMs: 10 }),
      // Whoever sends it a message goes on with it.
      entryOf(7, "completed", 1, { atMs: 10 }),
    ];
    const sessions = [
      recordOf("stopped", { state: STOPPED }),
      recordOf("running"),
      recordOf("ended", { state: STOPPED }),
      recordOf("completed", { state: { ...initialSession, status: "completed" } }),
    ];
    await journal.commit(commitOf({ entries, sessions, receipts: [receipt("old", 29), receipt("new", 30)] }));
    await journal.prune({ receiptsBeforeMs: 30, entriesBeforeMs: null });
    expect(await journal.readEntries({ after: 0, limit: 10 })).toEqual(entries);
    await journal.prune({ receiptsBeforeMs: 0, entriesBeforeMs: 20 });
    const reopened = await reopen();
    expect(await reopened.readEntries({ after: 0, limit: 10 })).toEqual([
      entries[1],
      entries[3],
      entries[4],
      entries[6],
    ]);
    expect(await reopened.readReceipt("p", "old")).toBeNull();
    expect(await reopened.readReceipt("p", "new")).toEqual(receipt("new", 30));
    const loaded = await reopened.load();
    expect(loaded.lastPosition).toBe(7);
    expect(loaded.sessions.map(({ id }) => id)).toEqual(["completed", "ended", "running", "stopped"]);
  },

  "its size grows with what is in it": async ({ journal }) => {
    const before = await journal.sizeBytes();
    const body = JSON.stringify("x".repeat(100_000));
    await journal.commit(commitOf({ entries: [entryOf(1, "a", 1, { body })] }));
    expect((await journal.sizeBytes()) - before).toBeGreaterThanOrEqual(100_000);
  },
};
