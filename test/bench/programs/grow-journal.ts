/** Fills a journal with entries, as a daemon would have, and dies as one that is killed: the log before the tables stays. */
import { envelope } from "../../../src/runtime/envelope.js";
import type { Entry, Loaded } from "../../../src/runtime/ports.js";
import { SqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.js";

const BATCH_LENGTH = 1_000;

const [path = "", count = "0"] = process.argv.slice(2);
const journal = await SqliteJournal.open(path);
const loaded = await journal.load();
await grow(loaded, Number(count));
process.kill(process.pid, "SIGKILL");

/** Until the last position is `lastPosition`. */
async function grow({ sessions, lastPosition: first }: Loaded, lastPosition: number): Promise<void> {
  const seqs = sessions.map(({ seq }) => seq);
  let position = first;
  while (position < lastPosition) {
    const entries: Entry[] = [];
    while (entries.length < BATCH_LENGTH && position < lastPosition) {
      position += 1;
      const index = position % sessions.length;
      const seq = (seqs[index] ?? 0) + 1;
      seqs[index] = seq;
      entries.push(textEntry(sessions[index]?.id ?? "", position, seq));
    }
    await journal.commit({
      sync: "normal",
      entries,
      sessions: sessions.map((record, index) => ({ ...record, seq: seqs[index] ?? 0 })),
      removedSessionIds: [],
      outbox: [],
      acked: [],
      startedTimers: [],
      endedTimers: [],
      messages: [],
      messageStatuses: [],
      receipts: [],
      audit: [],
      roster: null,
      finishedStreams: [],
    });
  }
}

function textEntry(sessionId: string, position: number, seq: number): Entry {
  const atMs = Date.now();
  const text = `${position}: the agent reads a file, changes two lines of it, and runs the tests again. `;
  const output = {
    type: "stream",
    streamId: "run-1-turn-0",
    event: "text_delta",
    payload: { text },
  } as const;
  const body = JSON.stringify(envelope(output, sessionId, "script", seq, atMs));
  return { position, sessionId, seq, atMs, kind: "stream", run: 1, body };
}
