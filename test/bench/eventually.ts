import { setTimeout as sleep } from "node:timers/promises";

const WAIT_MS_MAX = 120_000;
const LOOK_EVERY_MS = 100;

/** Looks now and then; throws when it is not so after two minutes. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
