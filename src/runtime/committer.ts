import { Batch } from "./batch.js";
import type { PassCrashPoint } from "./crash-point.js";
import type { Journal, OutboxItem } from "./ports.js";

export interface CommitterHooks {
  /** Nothing is added any more: what the batch says of its sessions is settled now. */
  readonly close: (batch: Batch) => void;
  readonly committed: (batch: Batch) => void;
  /** It is on the disk for good. In order, once for each batch: one that need not be is told right after its commit. */
  readonly synced: (batch: Batch) => void;
  /** These are committed, and a power cut may take them all the same: the disk does not keep them. */
  readonly notSynced: (batches: readonly Batch[], error: Error) => void;
  /** None of these is in the journal: the one that failed, and the one that gathered on top of it. */
  readonly failed: (batches: readonly Batch[], error: Error) => void;
  readonly pass: PassCrashPoint;
}

/**
 * Content that was not synced grows no further than this before a commit is synced all the same. Output counts even where
 * nothing came of it: until then its spool keeps it, and an agent whose spool is full has to wait.
 */
const UNSYNCED_ENTRIES_MAX = 2_000;
const UNSYNCED_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Group commit without a timer: while one commit runs, the next gathers. The disk takes some milliseconds to keep something
 * for good, and commits go on meanwhile: only who must be sure waits for it, and all who wait are served by one sync.
 */
export class Committer {
  private gathering = new Batch();
  private running: Promise<void> | null = null;
  /** Closed, and neither failed nor on the disk for good. */
  private readonly unsettled = new Set<Batch>();
  private readonly unsynced: Batch[] = [];
  private syncing: Promise<void> | null = null;
  private unsyncedEntries = 0;
  private unsyncedOutputBytes = 0;

  constructor(
    private readonly journal: Journal,
    private readonly hooks: CommitterHooks,
  ) {}

  /** The batch that takes what happens now. It is committed soon, with all else that is added by then. */
  get batch(): Batch {
    this.running ??= this.run();
    return this.gathering;
  }

  /** Whether something like this is asked of drivers, and has to wait for the disk first. */
  asks(isMeant: (item: OutboxItem) => boolean): boolean {
    return [this.gathering, ...this.unsettled].some(({ outbox }) => outbox.some(isMeant));
  }

  /** Resolves when nothing is left to commit or to sync. */
  async idle(): Promise<void> {
    while (this.running || this.syncing) await (this.running ?? this.syncing);
  }

  private async run(): Promise<void> {
    // What is added in this turn of the event loop belongs to the first batch.
    await Promise.resolve();
    while (!this.gathering.isEmpty) {
      const batch = this.gathering;
      this.gathering = new Batch();
      await this.commit(batch);
    }
    this.running = null;
  }

  private async commit(batch: Batch): Promise<void> {
    this.unsyncedEntries += batch.entries.length;
    this.unsyncedOutputBytes += batch.outputBytes;
    const isMuch =
      this.unsyncedEntries > UNSYNCED_ENTRIES_MAX || this.unsyncedOutputBytes > UNSYNCED_OUTPUT_BYTES_MAX;
    if (isMuch) batch.sync = "full";
    this.unsettled.add(batch);
    this.hooks.close(batch);
    this.hooks.pass("before_commit");
    try {
      await this.journal.commit(batch.toCommit());
    } catch (error) {
      const gathered = this.gathering;
      this.gathering = new Batch();
      this.unsettled.delete(batch);
      this.hooks.failed([batch, gathered], error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.hooks.pass("after_commit");
    this.hooks.committed(batch);
    if (batch.sync === "normal") {
      this.synced(batch);
      return;
    }
    [this.unsyncedEntries, this.unsyncedOutputBytes] = [0, 0];
    this.unsynced.push(batch);
    this.syncing ??= this.syncAll();
  }

  private async syncAll(): Promise<void> {
    while (this.unsynced.length > 0) {
      const batches = this.unsynced.splice(0);
      try {
        await this.journal.sync();
      } catch (error) {
        for (const batch of batches) this.unsettled.delete(batch);
        this.hooks.notSynced(batches, error instanceof Error ? error : new Error(String(error)));
        continue;
      }
      for (const batch of batches) this.synced(batch);
    }
    this.syncing = null;
  }

  private synced(batch: Batch): void {
    this.hooks.synced(batch);
    this.unsettled.delete(batch);
  }
}
