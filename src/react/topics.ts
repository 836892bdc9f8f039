/** Who wants to know what, told once per frame however often it changed. */
type Listener = () => void;

/** Runs something soon, once; gives back how to call it off. */
export type Schedule = (run: () => void) => () => void;

const HIDDEN_DELAY_MS = 250;

/** With the next frame; a page that nobody sees draws none, and is told in its own time. */
export const scheduleFrame: Schedule = (run) => {
  if (typeof requestAnimationFrame !== "function" || document.visibilityState === "hidden") {
    const timer = setTimeout(run, HIDDEN_DELAY_MS);
    return () => clearTimeout(timer);
  }
  // A page that is hidden before the frame comes gets none.
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, HIDDEN_DELAY_MS);
  return () => {
    isDone = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
};

/** For lines that nobody could read any faster. */
export function scheduleAfter(delayMs: number): Schedule {
  return (run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  };
}

export class Topics {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly changed = new Set<string>();
  private cancel: (() => void) | null = null;

  constructor(private readonly schedule: Schedule = scheduleFrame) {}

  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(topic) === listeners) this.listeners.delete(topic);
    };
  }

  touch(topic: string): void {
    if (!this.listeners.has(topic)) return;
    this.changed.add(topic);
    this.cancel ??= this.schedule(() => this.flush());
  }

  flush(): void {
    this.cancel?.();
    this.cancel = null;
    const topics = [...this.changed];
    this.changed.clear();
    for (const topic of topics) for (const listener of [...(this.listeners.get(topic) ?? [])]) listener();
  }

  close(): void {
    this.cancel?.();
    this.cancel = null;
    this.changed.clear();
  }
}
