/** Ends what nobody has spoken to for a while, once it rests. */
export class IdleTimer {
  private timer: NodeJS.Timeout;

  constructor(
    private readonly delayMs: number,
    private readonly isResting: () => boolean,
    private readonly end: () => void,
  ) {
    this.timer = this.wait();
  }

  /** Somebody spoke. */
  again(): void {
    clearTimeout(this.timer);
    this.timer = this.wait();
  }

  private wait(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.isResting()) this.end();
      else this.again();
    }, this.delayMs);
  }
}
