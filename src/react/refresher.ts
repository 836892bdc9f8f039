/** Reads summaries again for what no event tells, not too many at once and no session too often. */
const DELAY_MS = 60;
const REPEAT_DELAY_MS = 1_000;
const READING_MAX = 4;

export class Refresher {
  /** When each may be read next. */
  private readonly wanted = new Map<string, number>();
  private readonly readAt = new Map<string, number>();
  private reading = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly read: (sessionId: string) => Promise<void>,
    private readonly nowMs: () => number = Date.now,
  ) {}

  want(sessionId: string): void {
    if (this.wanted.has(sessionId)) return;
    const lastMs = this.readAt.get(sessionId) ?? 0;
    this.wanted.set(sessionId, Math.max(this.nowMs() + DELAY_MS, lastMs + REPEAT_DELAY_MS));
    this.arm();
  }

  forget(sessionId: string): void {
    this.wanted.delete(sessionId);
    this.readAt.delete(sessionId);
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.wanted.clear();
    this.readAt.clear();
  }

  private arm(): void {
    if (this.timer !== null || this.wanted.size === 0 || this.reading >= READING_MAX) return;
    const nextMs = Math.min(...this.wanted.values());
    this.timer = setTimeout(() => this.readDue(), Math.max(0, nextMs - this.nowMs()));
  }

  private readDue(): void {
    this.timer = null;
    const nowMs = this.nowMs();
    for (const [sessionId, dueMs] of this.wanted) {
      if (this.reading >= READING_MAX) break;
      if (dueMs > nowMs) continue;
      this.wanted.delete(sessionId);
      this.readAt.set(sessionId, nowMs);
      this.reading += 1;
      void this.read(sessionId).finally(() => {
        this.reading -= 1;
        this.arm();
      });
    }
    this.arm();
  }
}
