/** How long to wait before the next attempt: longer each time, and never the same for all clients at once. */
export class Backoff {
  private attempts = 0;

  constructor(
    private readonly delayMinMs: number,
    private readonly delayMaxMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  nextDelayMs(): number {
    const ceilingMs = Math.min(this.delayMaxMs, 2 * this.delayMinMs * 2 ** this.attempts);
    // Beyond this the ceiling no longer rises.
    this.attempts = Math.min(this.attempts + 1, 30);
    return ceilingMs / 2 + (this.random() * ceilingMs) / 2;
  }

  reset(): void {
    this.attempts = 0;
  }
}
