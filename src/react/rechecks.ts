/** Reads the lists again now and then, for what no event tells: sessions that were deleted, or renamed, elsewhere. */
const REPEAT_MS = 60_000;

export class Rechecks {
  private timer: ReturnType<typeof setInterval> | null = null;
  private isReading = false;

  constructor(
    private readonly read: () => Promise<void>,
    private readonly repeatMs = REPEAT_MS,
  ) {}

  start(): void {
    this.timer ??= setInterval(this.now, this.repeatMs);
    if (typeof document !== "undefined") document.addEventListener("visibilitychange", this.now);
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    if (typeof document !== "undefined") document.removeEventListener("visibilitychange", this.now);
  }

  /** One at a time, and none for a page that nobody sees. */
  readonly now = (): void => {
    const isHidden = typeof document !== "undefined" && document.visibilityState === "hidden";
    if (this.timer === null || this.isReading || isHidden) return;
    this.isReading = true;
    // A daemon that is away is asked again later.
    const over = () => (this.isReading = false);
    this.read().then(over, over);
  };
}
