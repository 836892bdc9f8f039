import type { Batch } from "./batch.js";
import type { Clock, TimerRecord } from "./ports.js";

/** The machine's timers, on the clock. They are kept in the journal, so that a restart arms them again. */
export class Alarms {
  private readonly armed = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly fire: (timer: TimerRecord) => void,
  ) {}

  /** Takes over what a commit started and ended. */
  follow(batch: Batch): void {
    for (const timer of batch.startedTimers) this.arm(timer);
    for (const { sessionId, timerId } of batch.endedTimers) this.disarm(sessionId, timerId);
  }

  arm(timer: TimerRecord): void {
    this.disarm(timer.sessionId, timer.timerId);
    const key = keyOf(timer.sessionId, timer.timerId);
    const cancel = this.clock.wakeAt(timer.dueAtMs, () => {
      this.armed.delete(key);
      this.fire(timer);
    });
    this.armed.set(key, cancel);
  }

  /** Arms it when `before` has resolved, unless it ended or was started anew until then; at once, when there is nothing before. */
  armAfter(before: Promise<void> | undefined, timer: TimerRecord): void {
    if (before === undefined) {
      this.arm(timer);
      return;
    }
    let isHeld = true;
    this.disarm(timer.sessionId, timer.timerId);
    this.armed.set(keyOf(timer.sessionId, timer.timerId), () => (isHeld = false));
    void before.then(() => {
      if (isHeld) this.arm(timer);
    });
  }

  disarm(sessionId: string, timerId: string): void {
    const key = keyOf(sessionId, timerId);
    this.armed.get(key)?.();
    this.armed.delete(key);
  }

  close(): void {
    for (const cancel of this.armed.values()) cancel();
    this.armed.clear();
  }
}

function keyOf(sessionId: string, timerId: string): string {
  return `${sessionId} ${timerId}`;
}
