import type { Foreground } from "../protocol/keeper.js";
import { readForeground } from "./foreground.js";
import type { OwnProcess } from "./own-process.js";

/**
 * When to look after something went into the terminal or came out of it: who starts or ends a program shows it by one of
 * the two, and a little later it is so. On Linux a look costs some microseconds; elsewhere it starts a process.
 */
const DELAYS_MS = process.platform === "linux" ? [50, 250, 1_000] : [500, 2_000];
/** While something else than the run's own process is in front: it might leave without a word. */
const TICK_MS = 3_000;

/** Notices who is in the foreground of a terminal. A terminal in which nothing happens costs nothing. */
export class ForegroundWatch {
  current: Foreground | null = null;
  private timer: NodeJS.Timeout | null = null;
  /** Which of the delays is next; beyond them: only ticks. */
  private step = 0;
  private looking = false;
  private closed = false;

  constructor(
    private readonly own: OwnProcess,
    private readonly onChange: () => void,
  ) {
    this.look();
  }

  /** Something may change just now. */
  look(): void {
    if (this.closed) return;
    const isSoon = this.step === 1 && this.timer !== null;
    if (isSoon || this.looking) {
      // The look that is about to come, or that goes on, is followed by others.
      this.step = 1;
      return;
    }
    this.step = 0;
    this.lookLater();
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private lookLater(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const delayMs = DELAYS_MS[this.step] ?? (this.isOther() ? TICK_MS : null);
    if (delayMs === null) return;
    this.step += 1;
    this.timer = setTimeout(() => void this.lookNow(), delayMs);
  }

  private isOther(): boolean {
    return this.current !== null && this.current.pid !== this.own.leaderPid;
  }

  /** Never rejects: a look that fails is as good as none. */
  private async lookNow(): Promise<void> {
    this.timer = null;
    this.looking = true;
    const found = await readForeground(this.own).catch(() => null);
    this.looking = false;
    if (this.closed) return;
    if (found !== null && JSON.stringify(found) !== JSON.stringify(this.current)) {
      this.current = found;
      this.onChange();
    }
    this.lookLater();
  }
}
