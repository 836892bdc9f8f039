/**
 * What is in the journal, by its own account: every committed entry is replayed through the pure machine, and what the
 * runtime says came of it must be what comes of it.
 */
import { isDeepStrictEqual } from "node:util";
import { EMPTY_THREAD, reduceThread, type StreamEvent, type Thread } from "../../src/core/index.js";
import type { MessageStatus, StateEvent } from "../../src/protocol/state-event.js";
import type { Commit, Entry, FinishedStream, MessageRecord } from "../../src/runtime/ports.js";
import type { SessionRecord } from "../../src/runtime/session-record.js";
import { Replay } from "./replay.js";
import type { DiskChange } from "./sim-disk.js";

export interface Kept {
  readonly id: string;
  readonly replay: Replay;
  /** Its entries, none compacted. */
  readonly entries: Entry[];
  readonly textsByRun: Map<number, string[]>;
  /** Those whose end is known, and how it came. */
  readonly endedRuns: Set<number>;
  /** What a person reads of it who was there all the time. */
  thread: Thread;
  record: SessionRecord | null;
}

export type KeptMessage = Omit<MessageRecord, "status"> & { status: MessageStatus };

export class Ledger {
  readonly sessions = new Map<string, Kept>();
  readonly messages = new Map<string, KeptMessage>();
  readonly removedIds = new Set<string>();
  /** By position; the journal may have written some of them together since. */
  readonly entries = new Map<number, Entry>();
  lastPosition = 0;
  /** No power cut takes what is up to here. */
  syncedTo = 0;
  private readonly compacted = new Set<string>();

  constructor(private readonly fail: (problem: string) => never) {}

  take(change: DiskChange): void {
    if (change.type === "commit") this.takeCommit(change.commit);
    else this.compacted.add(streamKey(change.stream));
  }

  isCompacted(sessionId: string, streamId: string): boolean {
    return this.compacted.has(streamKey({ sessionId, streamId }));
  }

  /** After power was lost: only these have ever been. */
  rebuild(changes: readonly DiskChange[]): void {
    for (const map of [this.sessions, this.messages, this.removedIds, this.entries, this.compacted])
      map.clear();
    this.lastPosition = 0;
    this.syncedTo = 0;
    for (const change of changes) this.take(change);
  }

  messageByText(text: string): KeptMessage | null {
    for (const message of this.messages.values()) if (message.text === text) return message;
    return null;
  }

  /** Some activity has proven it taken. An answer is called sent by the request itself: that proves nothing. */
  wasSent({ sessionId, messageId }: KeptMessage): boolean {
    return (this.sessions.get(sessionId)?.entries ?? []).some(({ kind, body }) => {
      if (kind !== "state") return false;
      const { payload, cause } = JSON.parse(body) as StateEvent;
      const isSent = payload.type === "message_status" && payload.status === "sent";
      return isSent && payload.messageId === messageId && cause?.source !== "request";
    });
  }

  private takeCommit(commit: Commit): void {
    this.checkSync(commit);
    for (const entry of commit.entries) this.takeEntry(entry);
    for (const message of commit.messages) this.messages.set(message.messageId, { ...message });
    for (const { messageId, status } of commit.messageStatuses) {
      const message = this.messages.get(messageId);
      if (message) message.status = status;
    }
    for (const record of commit.sessions) this.takeRecord(record);
    for (const sessionId of commit.removedSessionIds) this.remove(sessionId);
    if (commit.sync === "full") this.syncedTo = this.lastPosition;
  }

  /** What answers a request or acts on the world must survive a power cut. */
  private checkSync(commit: Commit): void {
    const needsSync =
      commit.outbox.length > 0 ||
      commit.receipts.length > 0 ||
      commit.startedTimers.length > 0 ||
      commit.removedSessionIds.length > 0 ||
      commit.entries.some(({ kind }) => kind === "request");
    if (needsSync && commit.sync !== "full") this.fail("a commit that must be synced is not");
  }

  private takeEntry(entry: Entry): void {
    if (entry.position !== this.lastPosition + 1)
      this.fail(`position ${entry.position} follows ${this.lastPosition}`);
    this.lastPosition = entry.position;
    this.entries.set(entry.position, entry);
    if (this.removedIds.has(entry.sessionId))
      this.fail(`an entry of ${entry.sessionId}, which was removed: ${entry.body}`);
    const kept = this.keptOf(entry.sessionId);
    if (entry.seq !== kept.entries.length + 1)
      this.fail(`seq ${entry.seq} of ${entry.sessionId} follows ${kept.entries.length}`);
    kept.entries.push(entry);
    const problem = kept.replay.take(entry);
    if (problem !== null) this.fail(`${entry.sessionId}, seq ${entry.seq}: ${problem}`);
    if (entry.kind === "stream") this.takeStream(kept, entry);
    if (entry.kind === "fact" && entry.body.startsWith('{"type":"process_exit"'))
      kept.endedRuns.add(entry.run);
  }

  private takeStream(kept: Kept, entry: Entry): void {
    const event = JSON.parse(entry.body) as StreamEvent;
    kept.thread = reduceThread(kept.thread, event);
    const { text, problem } = event.payload;
    if (problem !== undefined) this.fail(`${kept.id}: ${JSON.stringify(problem)}`);
    if (event.type !== "text_delta" || typeof text !== "string") return;
    const texts = kept.textsByRun.get(entry.run) ?? [];
    texts.push(text);
    kept.textsByRun.set(entry.run, texts);
  }

  private takeRecord(record: SessionRecord): void {
    const kept = this.keptOf(record.id);
    kept.record = record;
    if (record.seq !== kept.entries.length)
      this.fail(`${record.id} says seq ${record.seq} after ${kept.entries.length} entries`);
    const missing = kept.replay.missing(record.removing);
    if (missing) this.fail(`${record.id}: a state event was not told: ${JSON.stringify(missing)}`);
    if (!isDeepStrictEqual(kept.replay.state, record.state))
      this.fail(
        `${record.id}: its entries lead to\n${JSON.stringify(kept.replay.state)}\nand its record says\n${JSON.stringify(record.state)}`,
      );
    if (kept.replay.shownStatus !== record.state.status)
      this.fail(
        `${record.id}: state events say ${kept.replay.shownStatus}, the state ${record.state.status}`,
      );
  }

  private remove(sessionId: string): void {
    this.sessions.delete(sessionId);
    this.removedIds.add(sessionId);
    for (const { messageId, sessionId: of } of this.messages.values())
      if (of === sessionId) this.messages.delete(messageId);
  }

  private keptOf(sessionId: string): Kept {
    const known = this.sessions.get(sessionId);
    if (known) return known;
    const kept: Kept = {
      id: sessionId,
      replay: new Replay(),
      entries: [],
      textsByRun: new Map(),
      endedRuns: new Set(),
      thread: EMPTY_THREAD,
      record: null,
    };
    this.sessions.set(sessionId, kept);
    return kept;
  }
}

function streamKey({ sessionId, streamId }: FinishedStream): string {
  return `${sessionId} ${streamId}`;
}
