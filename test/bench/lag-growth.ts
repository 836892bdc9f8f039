/** How far the journal was at some moment, and the last of the clients. */
export interface LagSample {
  readonly committed: number;
  readonly told: number;
}

/**
 * How much further behind the journal the last client is in the second half of a run than in the first, as a share of
 * what is written in half a run. Clients that are slower than the journal by a tenth have 0.1 here, however long it goes
 * on; clients that keep up have 0, however far behind they are.
 */
export function lagGrowth(samples: readonly LagSample[], first: number, last: number): number {
  const running = samples.filter(({ committed }) => committed >= first && committed < last);
  const half = running.length >> 1;
  if (half === 0) return 0;
  return (meanLag(running.slice(half)) - meanLag(running.slice(0, half))) / ((last - first) / 2);
}

function meanLag(samples: readonly LagSample[]): number {
  return samples.reduce((sum, { committed, told }) => sum + committed - told, 0) / samples.length;
}
