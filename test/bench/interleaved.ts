/**
 * Times that can be compared on a machine that does other things too: the measured pieces take turns within one run, in
 * a new order each round, and a ratio is the median of the rounds' own ratios.
 */

export interface Piece {
  readonly name: string;
  /** Does the work once and says how many operations that was. */
  readonly run: () => number;
}

export interface Timing {
  /** Nanoseconds per operation, one for every round. */
  readonly rounds: readonly number[];
  readonly median: number;
}

const WARM_MS = 600;

export function timeInterleaved(
  pieces: readonly Piece[],
  { rounds, sliceMs }: { readonly rounds: number; readonly sliceMs: number },
): ReadonlyMap<string, Timing> {
  const times = new Map(pieces.map((piece) => [piece.name, [] as number[]]));
  // Warm, until the compiler has done its work and the states are as varied as they get.
  for (const piece of pieces) timeSlice(piece, WARM_MS);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...pieces.slice(round % pieces.length), ...pieces.slice(0, round % pieces.length)];
    for (const piece of order) times.get(piece.name)?.push(timeSlice(piece, sliceMs));
  }
  return new Map([...times].map(([name, list]) => [name, { rounds: list, median: medianOf(list) }]));
}

/** Runs the piece for about this long; nanoseconds per operation. */
function timeSlice(piece: Piece, sliceMs: number): number {
  const start = process.hrtime.bigint();
  const end = start + BigInt(Math.round(sliceMs * 1e6));
  let operations = 0;
  let now = start;
  while (now < end) {
    operations += piece.run();
    now = process.hrtime.bigint();
  }
  return Number(now - start) / operations;
}

/** How many times faster the first is than the second, by the median of the rounds. */
export function speedRatio(first: Timing, second: Timing): number {
  return medianOf(first.rounds.map((time, round) => (second.rounds[round] ?? Number.NaN) / time));
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
