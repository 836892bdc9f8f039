/** Looks after what can go wrong while the daemon runs, and tells when that changes. */
import type { HealthReport } from "../../protocol/api-schemas.js";
import type { Care } from "./care.js";

const LOOK_EVERY_MS = 2_000;

export interface HealthWatchOptions {
  /** Must not throw. */
  readonly onChange: (report: HealthReport) => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

export type Watched = Pick<Care, "liveChecks" | "isReadOnly">;

export class HealthWatch {
  private latest: HealthReport = { ok: true, readOnly: false, checks: [] };
  /** Null before the start and after the end. */
  private watched: Watched | null = null;
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private isStale = false;

  constructor(private readonly options: HealthWatchOptions) {}

  start(watched: Watched): void {
    this.watched = watched;
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    this.look();
  }

  /** Only what is wrong: of the rest there is nothing to say. */
  get report(): HealthReport {
    return this.latest;
  }

  /** Something may have changed. */
  look(): void {
    this.isStale = true;
    if (this.watched) this.looking ??= this.lookAt(this.watched).finally(() => (this.looking = null));
  }

  async close(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.watched = null;
    await this.looking;
  }

  /** What changes while we look is looked at again. */
  private async lookAt(watched: Watched): Promise<void> {
    // What changes in this turn of the event loop is one change.
    await Promise.resolve();
    while (this.isStale && this.watched) {
      this.isStale = false;
      try {
        const checks = (await watched.liveChecks()).filter((check) => !check.ok);
        this.take({ ok: checks.length === 0, readOnly: watched.isReadOnly, checks });
      } catch (error) {
        this.options.onProblem("the daemon could not look at its own health", error);
      }
    }
  }

  private take(report: HealthReport): void {
    if (JSON.stringify(report) === JSON.stringify(this.latest)) return;
    this.latest = report;
    this.options.onChange(report);
  }
}
