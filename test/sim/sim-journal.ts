import type { AuditEntry } from "../../src/protocol/audit.js";
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
  Receipt,
} from "../../src/runtime/ports.js";
import type { Life } from "./life.js";
import type { Scheduler } from "./scheduler.js";
import type { SimDisk } from "./sim-disk.js";

/** The journal as one daemon sees it: every call takes its time, and some never come back. */
export class SimJournal implements Journal {
  constructor(
    private readonly inner: Journal,
    private readonly disk: SimDisk,
    private readonly scheduler: Scheduler,
    private readonly life: Life,
  ) {}

  load(): Promise<Loaded> {
    return this.later("load", () => this.inner.load());
  }

  commit(commit: Commit): Promise<void> {
    return this.later(`commit ${commit.entries.length} entries`, () => this.disk.commit(commit));
  }

  /** What is committed while it runs is not synced by it. */
  sync(): Promise<void> {
    const length = this.disk.length;
    return this.later("sync", () => {
      this.disk.sync(length);
      return Promise.resolve();
    });
  }

  readEntries(query: EntryQuery): Promise<readonly Entry[]> {
    return this.later("read entries", () => this.inner.readEntries(query));
  }

  readNewest(sessionId: string, kinds: readonly EntryKind[], limit: number): Promise<readonly Entry[]> {
    return this.later("read the newest", () => this.inner.readNewest(sessionId, kinds, limit));
  }

  readEntry(sessionId: string, seq: number): Promise<Entry | null> {
    return this.later("read an entry", () => this.inner.readEntry(sessionId, seq));
  }

  countAfter(position: number, sessionId?: string): Promise<number> {
    return this.later("count", () => this.inner.countAfter(position, sessionId));
  }

  readMessage(messageId: string): Promise<MessageRecord | null> {
    return this.later("read a message", () => this.inner.readMessage(messageId));
  }

  readReceipt(principal: string, clientId: string): Promise<Receipt | null> {
    return this.later("read a receipt", () => this.inner.readReceipt(principal, clientId));
  }

  readAudit(query: AuditQuery): Promise<readonly AuditEntry[]> {
    return this.later("read the audit", () => this.inner.readAudit(query));
  }

  compact(stream: FinishedStream): Promise<void> {
    return this.later(`compact ${stream.sessionId} ${stream.streamId}`, () => this.disk.compact(stream));
  }

  prune(before: {
    readonly receiptsBeforeMs: number;
    readonly entriesBeforeMs: number | null;
  }): Promise<void> {
    return this.later("prune", () => this.inner.prune(before));
  }

  sizeBytes(): Promise<number> {
    return this.later("size", () => this.inner.sizeBytes());
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private later<T>(label: string, act: () => Promise<T>): Promise<T> {
    return this.scheduler.defer(`journal: ${label}`, this.life, act);
  }
}
