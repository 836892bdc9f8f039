import type { Clock } from "./ports.js";

/** Node's timers cannot wait longer. */
const DELAY_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  wakeAt(atMs, callback) {
    const delayMs = Math.min(Math.max(0, atMs - Date.now()), DELAY_MS_MAX);
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
