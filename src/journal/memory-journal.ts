/** The journal in memory, for tests and simulation. It keeps what a disk would keep, as text, and shares no object. */
import type { AuditEntry } from "../protocol/audit.js";
import type {
  AuditQuery,
  Commit,
  Entry,
  EntryKind,
  EntryQuery,
  FinishedStream,
  Journal,
  Loaded,
  MessageRecord,
  OutboxItem,
  Receipt,
  TimerRecord,
} from "../runtime/ports.js";
import type { RosterState } from "../core/index.js";
import type { SessionRecord } from "../runtime/session-record.js";
import { COUNT_MAX, READ_LENGTH_MAX } from "./bounds.js";
import { JournalError } from "./journal-error.js";
import { ordered } from "./ordered.js";
import { readWriting, StreamCompaction } from "./stream-compaction.js";

/** What belongs to one session, and goes with it. */
interface SessionRows {
  record: string | null;
  /** By `seq`, which is also their order of position. */
  readonly entries: Map<number, Entry>;
  readonly outbox: Map<string, string>;
  readonly timers: Map<string, number>;
  readonly finishedStreams: Set<string>;
}

interface Rows {
  /** By position, rising. */
  readonly entries: Map<number, Entry>;
  readonly sessions: Map<string, SessionRows>;
  readonly messages: Map<string, MessageRecord>;
  readonly receipts: Map<string, Receipt>;
  readonly audit: AuditEntry[];
  roster: string | null;
  lastPosition: number;
}

const UNSETTLED: ReadonlySet<MessageRecord["status"]> = new Set(["queued", "sending", "returned"]);

function receiptKey({ principal, clientId }: Pick<Receipt, "principal" | "clientId">): string {
  return JSON.stringify([principal, clientId]);
}

function auditHeadOf(last: AuditEntry | undefined): Pick<Loaded, "auditHead"> {
  return last ? { auditHead: { n: last.n, digest: last.digest } } : {};
}

export class MemoryJournal implements Journal {
  private readonly rows: Rows;
  private closed = false;

  /** With `before`: opens again what that one has written, as one opens a file. */
  constructor(before?: MemoryJournal) {
    this.rows = before?.rows ?? {
      entries: new Map(),
      sessions: new Map(),
      messages: new Map(),
      receipts: new Map(),
      audit: [],
      roster: null,
      lastPosition: 0,
    };
  }

  load(): Promise<Loaded> {
    return this.whileOpen(() => {
      const sessions = [...this.rows.sessions];
      const messages = [...this.rows.messages.values()];
      return ordered({
        lastPosition: this.rows.lastPosition,
        sessions: sessions.flatMap(([, { record }]) =>
          record === null ? [] : [JSON.parse(record) as SessionRecord],
        ),
        outbox: sessions.flatMap(([sessionId, { outbox }]) =>
          [...outbox].map(([effectId, call]) => ({
            sessionId,
            effectId,
            call: JSON.parse(call) as OutboxItem["call"],
          })),
        ),
        timers: sessions.flatMap(([sessionId, { timers }]): TimerRecord[] =>
          [...timers].map(([timerId, dueAtMs]) => ({ sessionId, timerId, dueAtMs })),
        ),
        unsettledMessages: messages.filter(({ status }) => UNSETTLED.has(status)),
        ...auditHeadOf(this.rows.audit.at(-1)),
        roster: this.rows.roster === null ? null : (JSON.parse(this.rows.roster) as RosterState),
        finishedStreams: sessions.flatMap(([sessionId, { finishedStreams }]) =>
          [...finishedStreams].map((streamId) => ({ sessionId, streamId })),
        ),
      });
    });
  }

  /** What is in memory is as safe as it can be. */
  sync(): Promise<void> {
    return this.whileOpen(() => undefined);
  }

  commit(commit: Commit): Promise<void> {
    return this.whileOpen(() => {
      this.refuseTaken(commit.entries);
      for (const entry of commit.entries) this.addEntry({ ...entry });
      for (const record of commit.sessions) this.rowsOf(record.id).record = JSON.stringify(record);
      this.writeOutbox(commit);
      this.writeTimers(commit);
      this.writeMessages(commit);
      for (const receipt of commit.receipts) this.rows.receipts.set(receiptKey(receipt), { ...receipt });
      for (const entry of commit.audit) this.rows.audit.push({ ...entry });
      if (commit.roster) this.rows.roster = JSON.stringify(commit.roster);
      for (const { sessionId, streamId } of commit.finishedStreams)
        this.rowsOf(sessionId).finishedStreams.add(streamId);
      for (const sessionId of commit.removedSessionIds) this.removeSession(sessionId);
    });
  }

  readEntries({ sessionId, kinds, after, limit }: EntryQuery): Promise<readonly Entry[]> {
    return this.whileOpen(() =>
      this.entriesOf(sessionId)
        .filter(({ position, kind }) => position > after && (kinds?.includes(kind) ?? true))
        .slice(0, Math.min(limit, READ_LENGTH_MAX)),
    );
  }

  readNewest(sessionId: string, kinds: readonly EntryKind[], limit: number): Promise<readonly Entry[]> {
    return this.whileOpen(() =>
      this.entriesOf(sessionId)
        .filter(({ kind }) => kinds.includes(kind))
        .toReversed()
        .slice(0, Math.min(limit, READ_LENGTH_MAX)),
    );
  }

  readEntry(sessionId: string, seq: number): Promise<Entry | null> {
    return this.whileOpen(() => this.rows.sessions.get(sessionId)?.entries.get(seq) ?? null);
  }

  countAfter(after: number, sessionId?: string): Promise<number> {
    return this.whileOpen(() => {
      const { length } = this.entriesOf(sessionId).filter(({ position }) => position > after);
      return Math.min(length, COUNT_MAX);
    });
  }

  readMessage(messageId: string): Promise<MessageRecord | null> {
    return this.whileOpen(() => this.rows.messages.get(messageId) ?? null);
  }

  readReceipt(principal: string, clientId: string): Promise<Receipt | null> {
    return this.whileOpen(() => this.rows.receipts.get(receiptKey({ principal, clientId })) ?? null);
  }

  readAudit({ sinceMs, after, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    return this.whileOpen(() =>
      this.rows.audit
        .filter(({ n, atMs }) => n > after && atMs >= sinceMs)
        .slice(0, Math.min(limit, READ_LENGTH_MAX)),
    );
  }

  compact({ sessionId, streamId }: FinishedStream): Promise<void> {
    return this.whileOpen(() => {
      const compaction = new StreamCompaction();
      for (const { position, kind, body } of this.entriesOf(sessionId)) {
        const event = kind === "stream" ? readWriting(body) : null;
        if (event?.streamId === streamId) compaction.take(position, event);
      }
      const { rewritten, removedPositions } = compaction.finish();
      for (const { position, body } of rewritten) {
        const entry = this.rows.entries.get(position);
        if (entry) this.addEntry({ ...entry, body });
      }
      for (const position of removedPositions) this.removeEntry(this.rows.entries.get(position));
      this.rows.sessions.get(sessionId)?.finishedStreams.delete(streamId);
    });
  }

  prune(before: {
    readonly receiptsBeforeMs: number;
    readonly entriesBeforeMs: number | null;
  }): Promise<void> {
    return this.whileOpen(() => {
      const { receiptsBeforeMs, entriesBeforeMs } = before;
      for (const [key, { atMs }] of this.rows.receipts)
        if (atMs < receiptsBeforeMs) this.rows.receipts.delete(key);
      if (entriesBeforeMs === null) return;
      for (const { record, entries } of this.rows.sessions.values()) {
        if (record === null || (JSON.parse(record) as SessionRecord).state.status !== "stopped") continue;
        for (const entry of entries.values()) if (entry.atMs < entriesBeforeMs) this.removeEntry(entry);
      }
    });
  }

  sizeBytes(): Promise<number> {
    return this.whileOpen(() => {
      const bodies = [...this.rows.entries.values()].map(({ body }) => body.length);
      const records = [...this.rows.sessions.values()].map(({ record }) => record?.length ?? 0);
      return [...bodies, ...records].reduce((sum, length) => sum + length, 0);
    });
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  private whileOpen<T>(act: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.closed) throw new JournalError("closed", "The journal is closed.");
      resolve(act());
    });
  }

  private rowsOf(sessionId: string): SessionRows {
    const known = this.rows.sessions.get(sessionId);
    if (known) return known;
    const rows = {
      record: null,
      entries: new Map<number, Entry>(),
      outbox: new Map<string, string>(),
      timers: new Map<string, number>(),
      finishedStreams: new Set<string>(),
    };
    this.rows.sessions.set(sessionId, rows);
    return rows;
  }

  private entriesOf(sessionId: string | undefined): readonly Entry[] {
    if (sessionId === undefined) return [...this.rows.entries.values()];
    return [...(this.rows.sessions.get(sessionId)?.entries.values() ?? [])];
  }

  /** Before anything is written: a commit happens whole or not at all. */
  private refuseTaken(entries: readonly Entry[]): void {
    const fresh = new Set<string>();
    for (const { position, sessionId, seq } of entries) {
      const isTaken =
        this.rows.entries.has(position) || (this.rows.sessions.get(sessionId)?.entries.has(seq) ?? false);
      if (isTaken || fresh.has(`${position}`) || fresh.has(`${seq} ${sessionId}`))
        throw new JournalError("conflict", `Position ${position}, or seq ${seq} of ${sessionId}, is taken.`);
      fresh.add(`${position}`).add(`${seq} ${sessionId}`);
    }
  }

  private addEntry(entry: Entry): void {
    this.rows.entries.set(entry.position, entry);
    this.rowsOf(entry.sessionId).entries.set(entry.seq, entry);
    this.rows.lastPosition = Math.max(this.rows.lastPosition, entry.position);
  }

  private removeEntry(entry: Entry | undefined): void {
    if (!entry) return;
    this.rows.entries.delete(entry.position);
    this.rows.sessions.get(entry.sessionId)?.entries.delete(entry.seq);
  }

  private writeOutbox({ outbox, acked }: Commit): void {
    for (const { sessionId, effectId, call } of outbox)
      this.rowsOf(sessionId).outbox.set(effectId, JSON.stringify(call));
    for (const { sessionId, effectId } of acked) this.rows.sessions.get(sessionId)?.outbox.delete(effectId);
  }

  private writeTimers({ startedTimers, endedTimers }: Commit): void {
    for (const { sessionId, timerId, dueAtMs } of startedTimers)
      this.rowsOf(sessionId).timers.set(timerId, dueAtMs);
    for (const { sessionId, timerId } of endedTimers)
      this.rows.sessions.get(sessionId)?.timers.delete(timerId);
  }

  private writeMessages({ messages, messageStatuses }: Commit): void {
    for (const message of messages) this.rows.messages.set(message.messageId, { ...message });
    for (const { messageId, status } of messageStatuses) {
      const message = this.rows.messages.get(messageId);
      if (message) this.rows.messages.set(messageId, { ...message, status });
    }
  }

  private removeSession(sessionId: string): void {
    for (const { position } of this.entriesOf(sessionId)) this.rows.entries.delete(position);
    for (const message of this.rows.messages.values())
      if (message.sessionId === sessionId) this.rows.messages.delete(message.messageId);
    this.rows.sessions.delete(sessionId);
  }
}
