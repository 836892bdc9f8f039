/** One clock for everything that counts seconds on the page. */
import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of [...listeners]) listener();
}

/** Changes every so many seconds, for all at once. */
export function useNowMs(everySeconds = 1): number {
  const stepMs = everySeconds * TICK_MS;
  return useSyncExternalStore(subscribe, () => Math.floor(readMs() / stepMs) * stepMs);
}

/** While nobody looked it stood still: who comes first sets it. */
function readMs(): number {
  if (timer === null) nowMs = Date.now();
  return nowMs;
}
