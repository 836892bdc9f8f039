/**
 * A program that commits without end, and says the number of each commit once it is acknowledged; and what its journal
 * must hold after commit `n`. Texts are compacted while it goes on.
 *
 *     node commit-loop.js <journal>
 */
import { pathToFileURL } from "node:url";
import { JournalError } from "../../src/journal/journal-error.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import type { StreamEvent } from "../../src/core/index.js";
import type { Commit, Loaded, OutboxItem } from "../../src/runtime/ports.js";
import { commitOf, deltaOf, eventEntry, recordOf } from "./journal-rows.js";

const ENTRIES_PER_COMMIT = 3;
const COMMITS_PER_STREAM = 20;
const SESSION_ID = "looping";

/** The events of commit `n`, from 1 on: the last one of each stream ends it. */
export function loopEvents(n: number): readonly StreamEvent[] {
  const stream = Math.floor((n - 1) / COMMITS_PER_STREAM);
  const isLast = n % COMMITS_PER_STREAM === 0;
  return [2, 1, 0].map((back) => {
    const seq = n * ENTRIES_PER_COMMIT - back;
    const parts = { streamId: `s${stream}`, messageId: `m${stream}` };
    if (back === 0 && isLast)
      return deltaOf(SESSION_ID, seq, "", { ...parts, type: "completed", payload: {} });
    return deltaOf(SESSION_ID, seq, `${seq} `, {
      ...parts,
      type: back === 2 ? "thinking_delta" : "text_delta",
    });
  });
}

/** Without what is still to be compacted, which is a matter of time. */
export function loopLoaded(n: number): Omit<Loaded, "finishedStreams"> {
  return {
    lastPosition: n * ENTRIES_PER_COMMIT,
    sessions: n === 0 ? [] : [loopRecord(n)],
    outbox: n === 0 ? [] : [loopEffect(n)],
    timers: [],
    unsettledMessages: [],
    roster: null,
  };
}

/** The number of the commit that was the last to write. */
export function loopNumber({ lastPosition }: Loaded): number {
  return Math.floor(lastPosition / ENTRIES_PER_COMMIT);
}

function loopCommit(n: number): Commit {
  const stream = Math.floor((n - 1) / COMMITS_PER_STREAM);
  return commitOf({
    sync: n % 2 === 0 ? "full" : "normal",
    entries: loopEvents(n).map((event) => eventEntry(event.seq, event)),
    sessions: [loopRecord(n)],
    outbox: [loopEffect(n)],
    acked: [loopEffect(n - 1)],
    finishedStreams: n % COMMITS_PER_STREAM === 0 ? [{ sessionId: SESSION_ID, streamId: `s${stream}` }] : [],
  });
}

function loopRecord(n: number) {
  return recordOf(SESSION_ID, { seq: n * ENTRIES_PER_COMMIT, updatedAtMs: n });
}

function loopEffect(n: number): OutboxItem {
  return { sessionId: SESSION_ID, effectId: `${n}.0`, call: { type: "stop", run: n } };
}

async function run(path: string): Promise<never> {
  const journal = await SqliteJournal.open(path);
  const loaded = await journal.load();
  let compacting = Promise.all(loaded.finishedStreams.map((stream) => journal.compact(stream)));
  for (let n = loopNumber(loaded) + 1; ; n += 1) {
    const commit = loopCommit(n);
    await journal.commit(commit);
    process.stdout.write(`${n}\n`);
    if (commit.finishedStreams.length === 0) continue;
    await compacting;
    compacting = Promise.all(commit.finishedStreams.map((stream) => journal.compact(stream)));
  }
}

const [, program, path] = process.argv;
if (program !== undefined && path !== undefined && import.meta.url === pathToFileURL(program).href) {
  await run(path).catch((error: unknown) => {
    if (!(error instanceof JournalError)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    process.exitCode = 1;
  });
}
