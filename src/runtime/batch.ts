import type { RosterState } from "../core/index.js";
import type { AuditEntry } from "../protocol/audit.js";
import type { MessageStatus } from "../protocol/state-event.js";
import type {
  Commit,
  Entry,
  FinishedStream,
  MessageRecord,
  OutboxItem,
  Receipt,
  TimerRecord,
} from "./ports.js";
import type { SessionLoop } from "./session-loop.js";
import type { SessionRecord } from "./session-record.js";

/** What happens to someone who waits for a batch. */
export interface Waiter {
  readonly done: () => void;
  readonly undone: (error: Error) => void;
}

/** What gathers while the commit before it runs: one transaction in the making. */
export class Batch {
  /** `full`: it answers somebody or acts on the world, and that waits until it is on the disk for good. */
  sync: "full" | "normal" = "normal";
  roster: RosterState | null = null;
  readonly entries: Entry[] = [];
  /** How much output of agents it has taken in, whatever came of it. */
  outputBytes = 0;
  readonly touchedSessionIds = new Set<string>();
  readonly openedSessionIds = new Set<string>();
  readonly removedSessionIds = new Set<string>();
  readonly removedLoops: SessionLoop[] = [];
  readonly outbox: OutboxItem[] = [];
  readonly acked: { readonly sessionId: string; readonly effectId: string }[] = [];
  readonly startedTimers: TimerRecord[] = [];
  readonly endedTimers: { readonly sessionId: string; readonly timerId: string }[] = [];
  readonly messages: MessageRecord[] = [];
  readonly messageStatuses: { readonly messageId: string; readonly status: MessageStatus }[] = [];
  readonly receipts: Receipt[] = [];
  readonly audit: AuditEntry[] = [];
  readonly finishedStreams: FinishedStream[] = [];
  /** Told when it is committed; */
  readonly waiters: Waiter[] = [];
  /** and these when it is synced, too, if it is to be. */
  readonly syncWaiters: Waiter[] = [];
  /** What must happen again, in this order, should the commit fail: nobody else would repeat it. */
  readonly redo: (() => void)[] = [];
  /** The touched sessions as they are when the batch is closed. */
  records: readonly SessionRecord[] = [];

  get isEmpty(): boolean {
    return (
      this.touchedSessionIds.size === 0 &&
      this.entries.length === 0 &&
      this.removedSessionIds.size === 0 &&
      this.waiters.length === 0 &&
      this.syncWaiters.length === 0 &&
      this.acked.length === 0 &&
      this.audit.length === 0
    );
  }

  toCommit(): Commit {
    return {
      // Whoever waits for the disk does so after the commit: see `Committer`.
      sync: "normal",
      entries: this.entries,
      sessions: this.records,
      removedSessionIds: [...this.removedSessionIds],
      outbox: this.outbox,
      acked: this.acked,
      startedTimers: this.startedTimers,
      endedTimers: this.endedTimers,
      messages: this.messages,
      messageStatuses: this.messageStatuses,
      receipts: this.receipts,
      audit: this.audit,
      roster: this.roster,
      finishedStreams: this.finishedStreams,
    };
  }
}
