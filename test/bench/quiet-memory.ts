import { setTimeout as sleep } from "node:timers/promises";
import { memoryBytes } from "./process-costs.js";

const LOOK_EVERY_MS = 500;
const NOTICEABLE = 0.99;

export interface Memory {
  readonly daemonBytes: number;
  readonly keeperBytes: number;
}

/** Garbage is collected when nothing else is done: waits until memory has not become noticeably less for a while. */
export async function quietMemory(daemonPid: number, keeperPid: number, patienceMs: number): Promise<Memory> {
  const read = (): Memory => ({ daemonBytes: memoryBytes(daemonPid), keeperBytes: memoryBytes(keeperPid) });
  let least = read();
  let lessAtMs = performance.now();
  while (performance.now() - lessAtMs < patienceMs) {
    await sleep(LOOK_EVERY_MS);
    const now = read();
    if (totalBytes(now) > NOTICEABLE * totalBytes(least)) continue;
    least = now;
    lessAtMs = performance.now();
  }
  return least;
}

function totalBytes({ daemonBytes, keeperBytes }: Memory): number {
  return daemonBytes + keeperBytes;
}
