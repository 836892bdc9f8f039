import { expect } from "vitest";
import type { Commit, Journal, Loaded } from "../../src/runtime/ports.js";
import { EMPTY_ROSTER, initialSession } from "../../src/core/index.js";
import type { JournalCases } from "./journal-contract.js";
import { commitOf, entryOf, messageOf, recordOf } from "./journal-rows.js";

const NOTHING: Loaded = {
  lastPosition: 0,
  sessions: [],
  outbox: [],
  timers: [],
  unsettledMessages: [],
  roster: null,
  finishedStreams: [],
};

const FULL_COMMIT: Commit = {
  sync: "full",
  entries: [entryOf(1, "a", 1), entryOf(2, "b", 1, { kind: "request", run: 0 }), entryOf(3, "a", 2)],
  sessions: [recordOf("a"), recordOf("b", { createdAtMs: 50 })],
  removedSessionIds: [],
  outbox: [{ sessionId: "a", effectId: "2.0", call: { type: "stop", run: 2 } }],
  acked: [],
  startedTimers: [{ sessionId: "a", timerId: "ready-1", dueAtMs: 31_000 }],
  endedTimers: [],
  messages: [messageOf("m1", "a")],
  messageStatuses: [],
  receipts: [
    { principal: "token:token", clientId: "c1", fingerprint: "f1", atMs: 400, result: '{"ok":true}' },
  ],
  audit: [
    {
      n: 1,
      atMs: 400,
      principal: { kind: "device", id: "d", name: "Chrome \0 on Linux" },
      operation: "create",
      sessionId: "a",
      previous: "",
      digest: "d1",
    },
  ],
  roster: { ...EMPTY_ROSTER, counter: 4 },
  finishedStreams: [{ sessionId: "a", streamId: "s1" }],
};

const FULL_LOADED: Loaded = {
  lastPosition: 3,
  sessions: [recordOf("b", { createdAtMs: 50 }), recordOf("a")],
  outbox: FULL_COMMIT.outbox,
  timers: FULL_COMMIT.startedTimers,
  unsettledMessages: [messageOf("m1", "a")],
  auditHead: { n: 1, digest: "d1" },
  roster: FULL_COMMIT.roster,
  finishedStreams: FULL_COMMIT.finishedStreams,
};

/** All that can be read of the sessions `a` and `b`. */
async function everything(journal: Journal) {
  return {
    loaded: await journal.load(),
    entries: await journal.readEntries({ after: 0, limit: 1_000 }),
    message: await journal.readMessage("m1"),
    audit: await journal.readAudit({ sinceMs: 0, after: 0, limit: 1_000 }),
    receipt: await journal.readReceipt("token:token", "c1"),
  };
}

export const COMMIT_CASES: JournalCases = {
  "an empty one loads as nothing, also when it is opened again": async ({ journal, reopen }) => {
    expect(await journal.load()).toEqual(NOTHING);
    expect(await (await reopen()).load()).toEqual(NOTHING);
  },

  "a commit is there afterwards, whole, also when it is opened again": async ({ journal, reopen }) => {
    await journal.commit(FULL_COMMIT);
    const expected = {
      loaded: FULL_LOADED,
      entries: FULL_COMMIT.entries,
      message: messageOf("m1", "a"),
      audit: FULL_COMMIT.audit,
      receipt: FULL_COMMIT.receipts[0],
    };
    expect(await everything(journal)).toEqual(expected);
    expect(await everything(await reopen())).toEqual(expected);
  },

  "a commit of nothing changes nothing": async ({ journal }) => {
    await journal.commit(FULL_COMMIT);
    await journal.commit(commitOf({}));
    expect(await journal.load()).toEqual(FULL_LOADED);
  },

  "an entry whose position is taken is refused, with all of its commit": async ({ journal }) => {
    await journal.commit(FULL_COMMIT);
    const refused = journal.commit(
      commitOf({
        entries: [entryOf(4, "new", 1), entryOf(3, "new", 2)],
        sessions: [recordOf("a", { seq: 8 }), recordOf("new")],
        roster: EMPTY_ROSTER,
      }),
    );
    await expect(refused).rejects.toMatchObject({ name: "JournalError", code: "conflict" });
    expect(await journal.load()).toEqual(FULL_LOADED);
    expect(await journal.readEntries({ after: 0, limit: 10 })).toEqual(FULL_COMMIT.entries);
    await journal.commit(commitOf({ entries: [entryOf(4, "new", 1)], sessions: [recordOf("new")] }));
    expect((await journal.load()).sessions.map(({ id }) => id)).toEqual(["b", "a", "new"]);
  },

  "an entry whose seq is taken in its session is refused": async ({ journal }) => {
    await journal.commit(FULL_COMMIT);
    const refused = journal.commit(commitOf({ entries: [entryOf(4, "a", 2)] }));
    await expect(refused).rejects.toMatchObject({ code: "conflict" });
    const twice = journal.commit(commitOf({ entries: [entryOf(4, "a", 3), entryOf(5, "a", 3)] }));
    await expect(twice).rejects.toMatchObject({ code: "conflict" });
    await journal.commit(commitOf({ entries: [entryOf(4, "b", 2)] }));
    expect((await journal.load()).lastPosition).toBe(4);
  },

  "of two writes of a row the later one counts, in one commit and in two": async ({ journal, reopen }) => {
    await journal.commit(FULL_COMMIT);
    const changes = commitOf({
      sessions: [recordOf("a", { seq: 8 }), recordOf("a", { seq: 9, state: initialSession, usage: ZERO })],
      outbox: [
        { sessionId: "a", effectId: "2.0", call: { type: "stop", run: 3 } },
        { sessionId: "a", effectId: "2.0", call: { type: "stop", run: 4 } },
      ],
      startedTimers: [
        { sessionId: "a", timerId: "ready-1", dueAtMs: 32_000 },
        { sessionId: "a", timerId: "ready-1", dueAtMs: 33_000 },
      ],
      messages: [messageOf("m1", "a", { text: "1" }), messageOf("m1", "a", { text: "2" })],
      messageStatuses: [
        { messageId: "m1", status: "failed" },
        { messageId: "m1", status: "sending" },
      ],
      receipts: [
        { principal: "token:token", clientId: "c1", fingerprint: "f2", atMs: 401, result: "1" },
        { principal: "token:token", clientId: "c1", fingerprint: "f3", atMs: 402, result: "2" },
      ],
      roster: EMPTY_ROSTER,
      finishedStreams: FULL_COMMIT.finishedStreams,
    });
    await journal.commit(changes);
    const message = messageOf("m1", "a", { text: "2", status: "sending" });
    const expected = {
      loaded: {
        ...FULL_LOADED,
        sessions: [
          recordOf("b", { createdAtMs: 50 }),
          recordOf("a", { seq: 9, state: initialSession, usage: ZERO }),
        ],
        outbox: [{ sessionId: "a", effectId: "2.0", call: { type: "stop", run: 4 } }],
        timers: [{ sessionId: "a", timerId: "ready-1", dueAtMs: 33_000 }],
        unsettledMessages: [message],
        roster: EMPTY_ROSTER,
      },
      entries: FULL_COMMIT.entries,
      message,
      audit: FULL_COMMIT.audit,
      receipt: { principal: "token:token", clientId: "c1", fingerprint: "f3", atMs: 402, result: "2" },
    };
    expect(await everything(journal)).toEqual(expected);
    expect(await everything(await reopen())).toEqual(expected);
  },

  "every part of a record can change alone": async ({ journal, reopen }) => {
    const { progress, settings } = recordOf("");
    const changes = [
      { updatedAtMs: 201 },
      { state: initialSession },
      { progress: { ...progress, outOffset: 1 } },
      { progress: { ...progress, codec: null, skipping: false } },
      { askDetails: {} },
      { openTools: {} },
      { usage: ZERO },
      { grants: [] },
      { settings: { ...settings, title: "New" } },
      { seq: 8, callCount: 0 },
      { seatedRun: 0 },
      { removing: true },
    ];
    const before = changes.map((_, index) => recordOf(`s${index}`, { createdAtMs: index }));
    await journal.commit(commitOf({ sessions: before }));
    const after = before.map((record, index) => ({ ...record, ...changes[index] }));
    for (const record of after) await journal.commit(commitOf({ sessions: [record] }));
    expect((await journal.load()).sessions).toEqual(after);

    const reopened = await reopen();
    const { sessions } = await reopened.load();
    expect(sessions).toEqual(after);
    const back = sessions.map((record) => ({ ...record, usage: recordOf("").usage, seq: 20 }));
    for (const record of back) await reopened.commit(commitOf({ sessions: [record] }));
    expect((await reopened.load()).sessions).toEqual(back);
  },

  "effects come in the order of their numbers, until they are acknowledged": async ({ journal, reopen }) => {
    const effect = (sessionId: string, effectId: string) =>
      ({ sessionId, effectId, call: { type: "signal", run: 1, signal: "SIGINT" } }) as const;
    const ids = ["10.0", "9.10", "9.2", "100.1", "9.0"];
    await journal.commit(commitOf({ outbox: [effect("b", "1.0"), ...ids.map((id) => effect("a", id))] }));
    await journal.commit(
      commitOf({
        outbox: [effect("a", "101.0")],
        acked: [
          { sessionId: "a", effectId: "9.2" },
          { sessionId: "a", effectId: "101.0" },
          { sessionId: "a", effectId: "77.0" },
          { sessionId: "unknown", effectId: "1.0" },
        ],
      }),
    );
    const expected = [...["9.0", "9.10", "10.0", "100.1"].map((id) => effect("a", id)), effect("b", "1.0")];
    expect((await journal.load()).outbox).toEqual(expected);
    expect((await (await reopen()).load()).outbox).toEqual(expected);
  },

  "timers come in the order in which they are due, until they end": async ({ journal, reopen }) => {
    const timer = (sessionId: string, timerId: string, dueAtMs: number) => ({ sessionId, timerId, dueAtMs });
    await journal.commit(
      commitOf({ startedTimers: [timer("a", "3", 900), timer("b", "1", 100), timer("a", "2", 100)] }),
    );
    await journal.commit(
      commitOf({
        startedTimers: [timer("b", "2", 500)],
        endedTimers: [
          { sessionId: "a", timerId: "3" },
          { sessionId: "b", timerId: "2" },
          { sessionId: "unknown", timerId: "2" },
        ],
      }),
    );
    const expected = [timer("a", "2", 100), timer("b", "1", 100)];
    expect((await journal.load()).timers).toEqual(expected);
    expect((await (await reopen()).load()).timers).toEqual(expected);
  },

  "only messages that are not settled are loaded; all can be read": async ({ journal, reopen }) => {
    const statuses = ["queued", "sending", "sent", "failed"] as const;
    const messages = statuses.map((status, index) =>
      messageOf(`m${index}`, "a", { status, atMs: 9 - index }),
    );
    await journal.commit(commitOf({ messages }));
    expect((await journal.load()).unsettledMessages).toEqual([messages[1], messages[0]]);
    await journal.commit(
      commitOf({
        messageStatuses: [
          { messageId: "m0", status: "sending" },
          { messageId: "m1", status: "sent" },
          { messageId: "unknown", status: "queued" },
        ],
      }),
    );
    const reopened = await reopen();
    expect((await reopened.load()).unsettledMessages).toEqual([{ ...messages[0], status: "sending" }]);
    expect(
      await Promise.all(["m0", "m1", "m2", "m3", "unknown"].map((id) => reopened.readMessage(id))),
    ).toEqual([
      { ...messages[0], status: "sending" },
      { ...messages[1], status: "sent" },
      messages[2],
      messages[3],
      null,
    ]);
  },

  "a removed session leaves nothing, and no other loses anything": async ({ journal, reopen }) => {
    await journal.commit(FULL_COMMIT);
    await journal.commit(commitOf({ messages: [messageOf("m2", "b")], removedSessionIds: ["a", "unknown"] }));
    const expected = {
      loaded: {
        ...NOTHING,
        lastPosition: 3,
        sessions: [recordOf("b", { createdAtMs: 50 })],
        unsettledMessages: [messageOf("m2", "b")],
        auditHead: { n: 1, digest: "d1" },
        roster: FULL_COMMIT.roster,
      },
      entries: [FULL_COMMIT.entries[1]],
      message: null,
      audit: FULL_COMMIT.audit,
      receipt: FULL_COMMIT.receipts[0],
    };
    expect(await everything(journal)).toEqual(expected);
    expect(await journal.countAfter(0)).toBe(1);
    expect(await journal.countAfter(0, "a")).toBe(0);
    expect(await journal.readEntries({ sessionId: "a", after: 0, limit: 10 })).toEqual([]);
    expect(await journal.readNewest("a", ["stream"], 10)).toEqual([]);
    expect(await journal.readEntry("a", 1)).toBeNull();
    expect(await everything(await reopen())).toEqual(expected);
  },

  "a session can be removed by the commit that writes it, and come again": async ({ journal, reopen }) => {
    await journal.commit({ ...FULL_COMMIT, removedSessionIds: ["a", "a"] });
    expect((await journal.load()).sessions.map(({ id }) => id)).toEqual(["b"]);
    const again = commitOf({ entries: [entryOf(4, "a", 1)], sessions: [recordOf("a")] });
    await journal.commit(again);
    const reopened = await reopen();
    expect((await reopened.load()).sessions.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(await reopened.readEntries({ sessionId: "a", after: 0, limit: 10 })).toEqual(again.entries);
  },

  "a position is never given out twice, also when its entry is gone": async ({ journal, reopen }) => {
    await journal.commit(FULL_COMMIT);
    await journal.commit(commitOf({ removedSessionIds: ["a", "b"] }));
    expect((await journal.load()).lastPosition).toBe(3);
    expect((await (await reopen()).load()).lastPosition).toBe(3);
  },

  "a large commit is there, whole": async ({ journal, reopen }) => {
    const entries = Array.from({ length: 1_037 }, (_, index) => entryOf(index + 1, `s${index % 7}`, index));
    const sessions = Array.from({ length: 61 }, (_, index) => recordOf(`s${index}`, { createdAtMs: index }));
    const messages = sessions.map(({ id }, index) => messageOf(`m-${id}`, id, { atMs: index }));
    await journal.commit(commitOf({ entries, sessions, messages }));
    const reopened = await reopen();
    const first = await reopened.readEntries({ after: 0, limit: 1_000 });
    expect([...first, ...(await reopened.readEntries({ after: 1_000, limit: 1_000 }))]).toEqual(entries);
    const loaded = await reopened.load();
    expect({ sessions: loaded.sessions, messages: loaded.unsettledMessages }).toEqual({ sessions, messages });
  },

  "after it is closed, everything is refused": async ({ journal }) => {
    await journal.commit(FULL_COMMIT);
    await journal.close();
    await journal.close();
    const calls = [
      () => journal.load(),
      () => journal.commit(commitOf({})),
      () => journal.readEntries({ after: 0, limit: 1 }),
      () => journal.readNewest("a", ["state"], 1),
      () => journal.readEntry("a", 1),
      () => journal.countAfter(0),
      () => journal.readMessage("m1"),
      () => journal.readReceipt("token:token", "c1"),
      () => journal.compact({ sessionId: "a", streamId: "s1" }),
      () => journal.prune({ receiptsBeforeMs: 0, entriesBeforeMs: null }),
      () => journal.sizeBytes(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "closed" });
  },
};

const ZERO = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: null };
