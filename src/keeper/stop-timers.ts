/** SIGTERM and SIGKILL at the times that were asked for. A later request can only make them sooner. */
export class StopTimers {
  private readonly due = new Map<"SIGTERM" | "SIGKILL", { readonly atMs: number; timer: NodeJS.Timeout }>();

  constructor(private readonly send: (signal: "SIGTERM" | "SIGKILL") => void) {}

  schedule(signal: "SIGTERM" | "SIGKILL", delayMs: number): void {
    const atMs = performance.now() + delayMs;
    const known = this.due.get(signal);
    if (known !== undefined && known.atMs <= atMs) return;
    clearTimeout(known?.timer);
    this.due.set(signal, { atMs, timer: setTimeout(this.send, delayMs, signal) });
  }

  clear(): void {
    for (const { timer } of this.due.values()) clearTimeout(timer);
    this.due.clear();
  }
}
