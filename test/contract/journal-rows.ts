/** Rows for journals under test, whole and unlike each other. */
import { initialSession, type StreamEvent } from "../../src/core/index.js";
import type { Commit, Entry, MessageRecord } from "../../src/runtime/ports.js";
import type { SessionRecord } from "../../src/runtime/session-record.js";

export const EMPTY_COMMIT: Commit = {
  sync: "normal",
  entries: [],
  sessions: [],
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
};

export function commitOf(parts: Partial<Commit>): Commit {
  return { ...EMPTY_COMMIT, ...parts };
}

export function entryOf(position: number, sessionId: string, seq: number, parts: Partial<Entry> = {}): Entry {
  const body = JSON.stringify({ position, text: "ä \u2028 \0 \ud83d\ude00" });
  return { position, sessionId, seq, atMs: 1_000 + position, kind: "stream", run: 1, body, ...parts };
}

export function recordOf(id: string, parts: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    createdAtMs: 100,
    updatedAtMs: 200,
    statusSinceMs: 150,
    settings: {
      harness: "claude",
      title: `Title of ${id}\0`,
      cwd: "/tmp",
      model: null,
      args: ["-x"],
      env: { A: "b" },
    },
    state: { ...initialSession, status: "streaming", phase: "calling_llm", run: 2 },
    seq: 7,
    callCount: 3,
    seatedRun: 2,
    removing: false,
    progress: {
      run: 2,
      outOffset: 5_000_000_000,
      hooksOffset: 12,
      skipping: true,
      codec: { open: ["m1", null] },
    },
    askDetails: { a1: { title: "Run", detail: "rm -r", openedAtMs: 150, tool: { name: "bash" } } },
    grants: ["Shell(git status)"],
    openTools: { c1: { toolName: "bash", startedAtMs: 151 } },
    usage: { inputTokens: 1, outputTokens: 2, cachedTokens: 3, costUsd: 0.25 },
    ...parts,
  };
}

export function messageOf(
  messageId: string,
  sessionId: string,
  parts: Partial<MessageRecord> = {},
): MessageRecord {
  return { messageId, sessionId, atMs: 300, text: "Hello \0\ud800 there", status: "queued", ...parts };
}

/** A stream event's entry, with the same `seq` in its envelope, as the runtime writes it. */
export function eventEntry(position: number, event: StreamEvent): Entry {
  const { sessionId, seq, timestampMs: atMs } = event;
  return { position, sessionId, seq, atMs, kind: "stream", run: 1, body: JSON.stringify(event) };
}

export function deltaOf(
  sessionId: string,
  seq: number,
  text: string,
  parts: Partial<StreamEvent> = {},
): StreamEvent {
  return {
    schemaVersion: "1.0",
    eventId: `${sessionId}:${seq}`,
    sessionId,
    harness: "claude",
    streamId: "s1",
    seq,
    timestampMs: 1_000 + seq,
    type: "text_delta",
    payload: { text },
    messageId: "m1",
    ...parts,
  };
}
