import type { PassCrashPoint } from "./crash-point.js";
import type { FinishedStream, Journal, Observer } from "./ports.js";

/** Has the journal write finished texts together, one stream after the other, beside everything else. */
export class Compactor {
  private readonly waiting: FinishedStream[] = [];
  private running: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly journal: Journal,
    private readonly observer: Observer,
    private readonly pass: PassCrashPoint,
  ) {}

  /** The journal remembers them too: what is not done now is done after the next start. */
  add(streams: readonly FinishedStream[]): void {
    this.waiting.push(...streams);
    if (this.waiting.length > 0 && !this.closed) this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.running;
  }

  private async run(): Promise<void> {
    for (let stream = this.waiting.shift(); stream && !this.closed; stream = this.waiting.shift()) {
      const compacted = this.journal.compact(stream);
      this.pass("during_compaction");
      await compacted.catch((error: unknown) => this.observer.failed("compaction", error));
    }
    this.running = null;
  }
}
