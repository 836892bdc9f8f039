/** What every machine's `transition(state, event)` returns. */

/**
 * `ok`: a cell of the table that does something, even if this time nothing changed.
 * `ignored`: a fact that means nothing here; the state is the same object.
 * `rejected`: a request that cannot be granted here; the state is the same object.
 */
export type Result = "ok" | "ignored" | "rejected";

export interface Refusal<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
}

export interface Step<S, X, Code extends string = string> {
  readonly state: S;
  /** What the machine wants done, in order. */
  readonly effects: readonly X[];
  readonly result: Result;
  /** Only on `rejected`. */
  readonly error?: Refusal<Code>;
  /** Only on `ignored`: why, for the metrics. */
  readonly because?: string;
}

const NOTHING: readonly never[] = [];

export function ignored<S>(state: S, because: string): Step<S, never, never> {
  return { state, effects: NOTHING, result: "ignored", because };
}

/** A step whose listed cell had nothing to do. */
export function unchanged<S>(state: S): Step<S, never, never> {
  return { state, effects: NOTHING, result: "ok" };
}
