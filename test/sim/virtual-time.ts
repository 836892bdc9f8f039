import type { Clock } from "../../src/runtime/ports.js";
import type { Life } from "./life.js";

interface Wake {
  readonly atMs: number;
  readonly callback: () => void;
  /** Null: it belongs to the world, and outlives every daemon. */
  readonly life: Life | null;
}

/** Time that passes only when nobody has anything better to do: it jumps to the next wake. */
export class VirtualTime {
  nowMs = 1_000_000;
  private readonly wakes = new Set<Wake>();

  at(atMs: number, life: Life | null, callback: () => void): () => void {
    const wake = { atMs: Math.max(atMs, this.nowMs), callback, life };
    if (life?.alive !== false) this.wakes.add(wake);
    return () => this.wakes.delete(wake);
  }

  after(delayMs: number, life: Life | null, callback: () => void): () => void {
    return this.at(this.nowMs + delayMs, life, callback);
  }

  clockOf(life: Life): Clock {
    return {
      nowMs: () => this.nowMs,
      wakeAt: (atMs, callback) => this.at(atMs, life, callback),
    };
  }

  sleep(delayMs: number, life: Life): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, life, resolve));
  }

  forget(life: Life): void {
    for (const wake of this.wakes) if (wake.life === life) this.wakes.delete(wake);
  }

  get nextAtMs(): number | null {
    return this.next()?.atMs ?? null;
  }

  /** False when nothing will ever happen again. */
  advance(): boolean {
    const wake = this.next();
    if (!wake) return false;
    this.wakes.delete(wake);
    this.nowMs = wake.atMs;
    wake.callback();
    return true;
  }

  /** The earliest; of several at the same time the one that was set first. */
  private next(): Wake | null {
    let next: Wake | null = null;
    for (const wake of this.wakes) if (!next || wake.atMs < next.atMs) next = wake;
    return next;
  }
}
