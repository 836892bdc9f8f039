/**
 * What is in the journal, by its own account: every committed entry is replayed through the pure machine, and what the
 * runtime says came of it must be what comes of it.
 */
import { isDeepStrictEqual } from "node:util";
import { EMPTY_THREAD, reduceThread, type StreamEvent, type Thread } from "../../src/core/index.js";
import type { MessageStatus, StateEvent } from "../../src/protocol/state-event.js";
import type { Commit, Entry, FinishedStream, MessageRecord } from "../../src/runtime/ports.js";
import type { SessionRecord } from "../../src/runtime/session-record.js";
import type { Submitted } from "../../src/runtime/submission.js";
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
  /** Where the commit ends that has a message, or the first word of a session: it is synced before anybody is answered. */
  private readonly answeredAt = new Map<string, number>();
  /** The last position of each change, in order. */
  private readonly ends: number[] = [];
  private readonly compacted = new Set<string>();

  constructor(private readonly fail: (problem: string) => never) {}

  take(change: DiskChange): void {
    if (change.type === "commit") this.takeCommit(change.commit);
    else this.compacted.add(streamKey(change.stream));
    this.ends.push(this.lastPosition);
  }

  /** What answers a request must survive a power cut. */
  checkAnswered({ sessionId, messageId }: Submitted): void {
    for (const id of [sessionId, messageId ?? sessionId])
      if ((this.answeredAt.get(id) ?? 0) > this.syncedTo) this.fail(`answered before ${id} was synced`);
  }

  /** So many changes are on the disk for good. */
  sync(length: number): void {
    this.syncedTo = Math.max(this.syncedTo, this.ends[length - 1] ?? 0);
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
    this.answeredAt.clear();
    this.ends.length = 0;
    for (const change of changes) this.take(change);
    // What a start finds is on the disk.
    this.syncedTo = this.lastPosition;
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
    for (const entry of commit.entries) this.takeEntry(entry);
    for (const message of commit.messages) this.messages.set(message.messageId, { ...message });
    for (const { messageId, status } of commit.messageStatuses) {
      const message = this.messages.get(messageId);
      if (message) message.status = status;
    }
    for (const record of commit.sessions) this.takeRecord(record);
    for (const sessionId of commit.removedSessionIds) this.remove(sessionId);
    const answered = [
      ...commit.messages.map(({ messageId }) => messageId),
      ...commit.sessions.map(({ id }) => id),
    ];
    for (const id of answered) if (!this.answeredAt.has(id)) this.answeredAt.set(id, this.lastPosition);
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
