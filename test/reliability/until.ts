import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 50_000;
const LOOK_EVERY_MS = 10;

/** Looks again and again until it is so; says what it waited for when that never comes. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!(await check())) {
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for ${check.toString()}`);
    await sleep(LOOK_EVERY_MS);
  }
}
