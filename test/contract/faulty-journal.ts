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
import type { JournalError } from "../../src/journal/journal-error.js";

/** A journal whose commits fail when they are told to, as those on a full disk do. */
export class FaultyJournal implements Journal {
  private readonly failures: JournalError[] = [];

  constructor(private readonly journal: Journal) {}

  /** The next commit that has not been told so yet rejects with this, and changes nothing. */
  failNext(error: JournalError): void {
    this.failures.push(error);
  }

  commit(commit: Commit): Promise<void> {
    const failure = this.failures.shift();
    return failure ? Promise.reject(failure) : this.journal.commit(commit);
  }

  sync(): Promise<void> {
    return this.journal.sync();
  }

  load(): Promise<Loaded> {
    return this.journal.load();
  }

  readEntries(query: EntryQuery): Promise<readonly Entry[]> {
    return this.journal.readEntries(query);
  }

  readNewest(sessionId: string, kinds: readonly EntryKind[], limit: number): Promise<readonly Entry[]> {
    return this.journal.readNewest(sessionId, kinds, limit);
  }

  readEntry(sessionId: string, seq: number): Promise<Entry | null> {
    return this.journal.readEntry(sessionId, seq);
  }

  countAfter(position: number, sessionId?: string): Promise<number> {
    return this.journal.countAfter(position, sessionId);
  }

  readMessage(messageId: string): Promise<MessageRecord | null> {
    return this.journal.readMessage(messageId);
  }

  readReceipt(principal: string, clientId: string): Promise<Receipt | null> {
    return this.journal.readReceipt(principal, clientId);
  }

  readAudit(query: AuditQuery): Promise<readonly AuditEntry[]> {
    return this.journal.readAudit(query);
  }

  compact(stream: FinishedStream): Promise<void> {
    return this.journal.compact(stream);
  }

  prune(before: Parameters<Journal["prune"]>[0]): Promise<void> {
    return this.journal.prune(before);
  }

  sizeBytes(): Promise<number> {
    return this.journal.sizeBytes();
  }

  close(): Promise<void> {
    return this.journal.close();
  }
}
