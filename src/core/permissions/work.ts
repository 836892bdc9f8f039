/**
 * How much work a decision may take. Rules come from repositories and lines from agents: together they could take
 * minutes, and whoever decides does nothing else meanwhile. Steps are counted, not time, so that the same call always has
 * the same decision.
 */

/** About a tenth of a second. A usual line with a hundred rules takes some thousand. */
export const STEPS_MAX = 2_000_000;

class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** Of what is being decided now; nothing else runs until that is done. */
let left = Infinity;
/** What has been paid for. */
let paid = new Set<object>();

export interface Worked<T> {
  readonly result: T;
  readonly steps: number;
  /** Not everything was looked at. */
  readonly isTooMuch: boolean;
}

/** `run` is finished also when there are no steps left: see `unlessTooMuch`. */
export function countWork<T>(max: number, run: () => T): Worked<T> {
  const before = { left, paid };
  left = max;
  paid = new Set();
  try {
    const result = run();
    return { result, steps: max - left, isTooMuch: left < 0 };
  } finally {
    ({ left, paid } = before);
  }
}

/** Takes so many steps; throws when there are no more. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new TooMuchWork();
}

/**
 * The steps of something that is made once and kept, such as a rule's pattern. Each decision takes them once, whether it
 * was kept or not: that must not change a decision.
 */
export function spendOnce(kept: object, steps: number): void {
  if (left === Infinity || paid.has(kept)) return;
  paid.add(kept);
  spend(steps);
}

/** What `run` gives, or `otherwise` when there are no steps left for it. What was found before it still counts. */
export function unlessTooMuch<T>(run: () => T, otherwise: T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TooMuchWork) return otherwise;
    throw error;
  }
}
