import { setTimeout as sleep } from "node:timers/promises";
import { SignalboxError, UnreachableError } from "../../src/client/index.js";

const TRIES_MAX = 600;
const DELAY_MS = 50;

/** Tries until the daemon answers: it may be dead, or not yet back. `accept` are codes that are as good as an answer. */
export async function retrying<T>(act: () => Promise<T>, accept: readonly string[] = []): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof SignalboxError && accept.includes(error.code)) return undefined as T;
      if (!(error instanceof UnreachableError) || tried === TRIES_MAX) throw error;
      await sleep(DELAY_MS);
    }
  }
}
