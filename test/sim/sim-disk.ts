/** The disk under the journal: what is on it outlives every daemon, and what was not synced may be lost with the power. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalError } from "../../src/journal/journal-error.js";
import { MemoryJournal } from "../../src/journal/memory-journal.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import type { Commit, FinishedStream, Journal } from "../../src/runtime/ports.js";
import type { Random } from "./random.js";

export type DiskChange =
  | { readonly type: "commit"; readonly commit: Commit }
  | { readonly type: "compact"; readonly stream: FinishedStream };

export interface SimDiskOptions {
  readonly kind: "memory" | "sqlite";
  readonly random: Random;
  /** Told of everything that is written, in order. Throws when it must not be so. */
  readonly onChange: (change: DiskChange) => void;
  /** So many of the changes survive a power cut. */
  readonly onSynced: (length: number) => void;
  readonly onRefused: () => void;
}

export class SimDisk {
  /** Nothing can be written. */
  full = false;
  /** The next commit fails, and then all is well again. */
  failsOnce = false;
  /** A broken disk: what it says is synced is not. */
  forgetsSyncs = false;
  /** Everything that was written, in order. */
  private readonly changes: DiskChange[] = [];
  private syncedLength = 0;
  private memory = new MemoryJournal();
  private sqlite: SqliteJournal | null = null;
  private folder: string | null = null;
  private fileNumber = 0;

  constructor(private readonly options: SimDiskOptions) {}

  /** Opens what is on the disk; whoever had it open has it no longer. */
  async open(): Promise<Journal> {
    this.memory = new MemoryJournal(this.memory);
    // Whoever opens a journal syncs it first.
    this.sync(this.changes.length);
    if (this.options.kind === "memory") return this.memory;
    await this.sqlite?.close();
    this.folder ??= await mkdtemp(join(tmpdir(), "signalbox-sim-"));
    this.sqlite = await SqliteJournal.open(join(this.folder, `journal-${this.fileNumber}.db`));
    return this.sqlite;
  }

  /** The same content, always in memory: what the real journal must agree with. */
  get model(): Journal {
    return this.memory;
  }

  get journal(): Journal {
    return this.sqlite ?? this.memory;
  }

  async commit(commit: Commit): Promise<void> {
    const isRefused = this.full || this.failsOnce;
    this.failsOnce = false;
    if (isRefused) this.options.onRefused();
    if (isRefused) throw new JournalError("full", "no room on the simulated disk");
    await this.write({ type: "commit", commit });
    this.options.onChange({ type: "commit", commit });
  }

  get length(): number {
    return this.changes.length;
  }

  /** What was written up to then is on the disk for good. */
  sync(length: number): void {
    this.options.onSynced(length);
    if (!this.forgetsSyncs)
      this.syncedLength = Math.max(this.syncedLength, Math.min(length, this.changes.length));
  }

  async compact(stream: FinishedStream): Promise<void> {
    if (this.full) throw new JournalError("full", "no room on the simulated disk");
    await this.write({ type: "compact", stream });
    this.options.onChange({ type: "compact", stream });
  }

  /** What was written after the last sync is lost, all of it or the later part. Returns what is left. */
  async losePower(): Promise<readonly DiskChange[]> {
    const kept = this.options.random.between(this.syncedLength, this.changes.length);
    const left = this.changes.splice(0);
    left.length = kept;
    this.memory = new MemoryJournal();
    this.fileNumber += 1;
    this.syncedLength = 0;
    await this.open();
    for (const change of left) await this.write(change);
    this.syncedLength = this.changes.length;
    return left;
  }

  async close(): Promise<void> {
    await this.sqlite?.close();
    if (this.folder !== null) await rm(this.folder, { recursive: true, force: true });
  }

  private async write(change: DiskChange): Promise<void> {
    for (const journal of this.sqlite ? [this.sqlite, this.memory] : [this.memory]) {
      if (change.type === "commit") await journal.commit(change.commit);
      else await journal.compact(change.stream);
    }
    this.changes.push(change);
  }
}
