/** What every benchmark is: a file that exports one of these, listed in `main.ts`. */

export interface BenchOptions {
  /** For CI: every check, few and short measurements. */
  readonly quick: boolean;
  /** The repository's `test/bench` folder, where the data files are. */
  readonly folder: URL;
}

export type Target =
  { readonly atLeast: number; readonly unit: string } | { readonly atMost: number; readonly unit: string };

/** One line of the table. A row without a target is only told. */
export interface Row {
  readonly what: string;
  readonly value: string;
  /** What the target is held against, and what is told first. */
  readonly measured: number;
  readonly unit: string;
  readonly target?: Target;
  /** Why nothing can be said of it: it is failed, however good what was measured looks, and also with `--quick`. */
  readonly failure?: string;
  /** More of it, for the JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Benchmark {
  readonly id: string;
  readonly what: string;
  /** Throws `OutputsDiffer` when what is measured does not do the same work. */
  readonly run: (options: BenchOptions) => readonly Row[] | Promise<readonly Row[]>;
}

/** A measurement of different work says nothing, so that there is none. */
export class OutputsDiffer extends Error {
  override readonly name = "OutputsDiffer";
}

export type Verdict = "met" | "MISSED" | "FAILED" | "";

export function verdictOf(row: Row): Verdict {
  const { measured, target, failure } = row;
  if (failure !== undefined) return "FAILED";
  if (!target) return "";
  const met = "atLeast" in target ? measured >= target.atLeast : measured <= target.atMost;
  return met ? "met" : "MISSED";
}

export function describeTarget(target: Target | undefined): string {
  if (!target) return "";
  return "atLeast" in target ? `>= ${target.atLeast} ${target.unit}` : `<= ${target.atMost} ${target.unit}`;
}
