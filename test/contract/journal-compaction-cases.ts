import fc from "fast-check";
import { expect } from "vitest";
import { extendThread, threadFrom, type StreamEvent } from "../../src/core/index.js";
import type { Entry, Journal } from "../../src/runtime/ports.js";
import type { JournalCases } from "./journal-contract.js";
import { commitOf, deltaOf, eventEntry, recordOf } from "./journal-rows.js";

const eventsIn = (entries: readonly Entry[]) => entries.map(({ body }) => JSON.parse(body) as StreamEvent);

const allEntries = (journal: Journal, sessionId: string) =>
  journal.readEntries({ sessionId, after: 0, limit: 1_000 });

export const COMPACTION_CASES: JournalCases = {
  "the deltas of each message become one entry in the place of the last": async ({ journal, reopen }) => {
    const events = [
      deltaOf("a", 1, ""),
      deltaOf("a", 2, "Hel"),
      deltaOf("a", 3, "Let me ", { type: "thinking_delta" }),
      deltaOf("a", 4, "lo", { parentMessageId: "p" }),
      deltaOf("a", 5, "other stream", { streamId: "s2", messageId: "m2" }),
      deltaOf("a", 6, "", { type: "tool_call_delta", payload: { callId: "c1", outputDelta: "x" } }),
      deltaOf("a", 7, "think", { type: "thinking_delta" }),
      deltaOf("a", 8, "alone", { messageId: "m3" }),
      deltaOf("a", 9, " more", { streamId: "s2", messageId: "m2" }),
      deltaOf("a", 10, "", { type: "completed", payload: { reason: "end_turn" } }),
    ];
    const entries = events.map((event, index) => eventEntry(index + 1, event));
    const finishedStreams = [{ sessionId: "a", streamId: "s1" }];
    await journal.commit(commitOf({ entries, sessions: [recordOf("a")], finishedStreams }));
    await journal.compact({ sessionId: "a", streamId: "s1" });

    const compacted = (index: number, payload: object) => {
      const entry = entries[index];
      if (!entry) throw new Error("There is no such entry.");
      return { ...entry, body: JSON.stringify({ ...events[index], payload }) };
    };
    const expected = [
      compacted(3, { text: "Hello", replace: true, startedSeq: 2, startedAtMs: 1_002 }),
      entries[4],
      entries[5],
      compacted(6, { text: "Let me think", replace: true, startedSeq: 3, startedAtMs: 1_003 }),
      entries[7],
      entries[8],
      entries[9],
    ];
    expect(await allEntries(journal, "a")).toEqual(expected);
    expect((await journal.load()).finishedStreams).toEqual([]);
    await journal.compact({ sessionId: "a", streamId: "s1" });
    expect(await allEntries(journal, "a")).toEqual(expected);
    expect(await allEntries(await reopen(), "a")).toEqual(expected);
  },

  "a replacing delta starts over, and a text that was taken back stays as it is": async ({ journal }) => {
    const events = [
      deltaOf("a", 1, "wrong"),
      deltaOf("a", 2, "right", { payload: { text: "right", replace: true } }),
      deltaOf("a", 3, "!"),
      deltaOf("a", 4, "gone", { messageId: "m2" }),
      deltaOf("a", 5, "", { messageId: "m2", payload: { text: "", replace: true } }),
      deltaOf("a", 6, "", { messageId: "m1", payload: { text: 7 } }),
    ];
    const entries = events.map((event, index) => eventEntry(index + 1, event));
    await journal.commit(commitOf({ entries }));
    await journal.compact({ sessionId: "a", streamId: "s1" });
    const payload = { text: "right!", replace: true, startedSeq: 1, startedAtMs: 1_001 };
    expect(await allEntries(journal, "a")).toEqual([
      { ...entries[2], body: JSON.stringify({ ...events[2], payload }) },
      ...entries.slice(3),
    ]);
  },

  "a stream that goes on after it was compacted is compacted with what was there": async ({ journal }) => {
    const events = [1, 2, 3, 4].map((seq) => deltaOf("a", seq, `${seq}`));
    const entries = events.map((event, index) => eventEntry(index + 1, event));
    const stream = { sessionId: "a", streamId: "s1" };
    await journal.commit(commitOf({ entries: entries.slice(0, 2) }));
    await journal.compact(stream);
    await journal.commit(commitOf({ entries: entries.slice(2) }));
    await journal.compact(stream);
    const payload = { text: "1234", replace: true, startedSeq: 1, startedAtMs: 1_001 };
    expect(await allEntries(journal, "a")).toEqual([
      { ...entries[3], body: JSON.stringify({ ...events[3], payload }) },
    ]);
  },

  "streams that interleave over many pages are each compacted whole": async ({ journal }) => {
    const streamIds = ["s1", "s2", "s3"];
    const events = Array.from({ length: 3_000 }, (_, index) => {
      const streamId = streamIds[index < 1_500 ? index % 2 : index % 3] ?? "s1";
      return deltaOf("a", index + 1, `${index} `, { streamId, messageId: `m-${streamId}` });
    });
    await journal.commit(commitOf({ entries: events.map((event, index) => eventEntry(index + 1, event)) }));
    for (const streamId of ["s2", "s1", "s3"]) await journal.compact({ sessionId: "a", streamId });
    const after = await allEntries(journal, "a");
    expect(after.length).toBe(3);
    expect(threadFrom(eventsIn(after))).toEqual(threadFrom(events));
  },

  "compacting what is not there changes nothing": async ({ journal }) => {
    const entries = [eventEntry(1, deltaOf("a", 1, "x")), eventEntry(2, deltaOf("a", 2, "y"))];
    const finishedStreams = [{ sessionId: "a", streamId: "other" }];
    await journal.commit(commitOf({ entries, finishedStreams }));
    await journal.compact({ sessionId: "a", streamId: "other" });
    await journal.compact({ sessionId: "unknown", streamId: "s1" });
    expect(await allEntries(journal, "a")).toEqual(entries);
    expect((await journal.load()).finishedStreams).toEqual([]);
  },

  "whoever resumes at any position after a compaction sees the whole": async ({ journal }) => {
    let position = 0;
    let sessions = 0;
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.shuffledSubarray([...STREAM_IDS]),
        fc.nat(8),
        async (written, order, size) => {
          const sessionId = `session-${(sessions += 1)}`;
          const events = written.map((step, index) => eventOf(sessionId, index + 1, step));
          const entries = events.map((event) => eventEntry((position += 1), event));
          for (let at = 0; at < entries.length; at += size + 1)
            await journal.commit(commitOf({ entries: entries.slice(at, at + size + 1) }));
          const whole = threadFrom(events);
          for (const streamId of order) {
            await journal.compact({ sessionId, streamId });
            const compacted = await allEntries(journal, sessionId);
            for (let seen = 0; seen <= entries.length; seen += 1) {
              const until = (entries[0]?.position ?? 0) - 1 + seen;
              const rest = compacted.filter((entry) => entry.position > until);
              expect(extendThread(threadFrom(events.slice(0, seen)), eventsIn(rest))).toEqual(whole);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  },
};

const STREAM_IDS = ["s1", "s2", "s3"] as const;

interface WrittenStep {
  readonly streamId: string;
  readonly kind: number;
  readonly name: string;
  readonly text: string;
}

const steps: fc.Arbitrary<readonly WrittenStep[]> = fc.array(
  fc.record({
    streamId: fc.constantFrom(...STREAM_IDS),
    kind: fc.nat(9),
    name: fc.constantFrom("a", "b"),
    text: fc.string({ maxLength: 4 }),
  }),
  { maxLength: 40, size: "max" },
);

function eventOf(sessionId: string, seq: number, { streamId, kind, name, text }: WrittenStep): StreamEvent {
  const { messageId: _none, ...withoutMessage } = deltaOf(sessionId, seq, text, { streamId });
  const messageId = `${streamId}-${name}`;
  switch (kind) {
    case 0:
      return {
        ...withoutMessage,
        type: "completed",
        payload: { reason: text === "" ? "canceled" : "end_turn" },
      };
    case 1:
      return { ...withoutMessage, type: "tool_call_delta", payload: { callId: name, outputDelta: text } };
    case 2:
      return { ...withoutMessage, type: "error", payload: { code: "x", message: text, recoverable: true } };
    case 3:
      return { ...withoutMessage, type: "user_message", payload: { text } };
    case 4:
      return { ...withoutMessage, messageId, payload: { text, replace: true } };
    case 5:
      return withoutMessage;
    case 6:
      return { ...withoutMessage, messageId, type: "thinking_delta" };
    default:
      return { ...withoutMessage, messageId };
  }
}
