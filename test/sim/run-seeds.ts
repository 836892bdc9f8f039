import { Counts } from "./counts.js";
import { simulate, type Outcome } from "./simulation.js";

/** A share of the seeds runs on a real file, which takes longer. */
const SQLITE_EVERY = 25;
const SQLITE_STEPS = 700;

export interface Report {
  readonly seeds: number;
  readonly counts: Counts;
  readonly failures: readonly Outcome[];
}

export async function runSeeds(first: number, seeds: number): Promise<Report> {
  const counts = new Counts();
  const failures: Outcome[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const isOnFile = seed % SQLITE_EVERY === 0;
    const outcome = await simulate(
      isOnFile ? { seed, journal: "sqlite", steps: SQLITE_STEPS } : { seed, journal: "memory" },
    );
    counts.merge(outcome.counts);
    if (outcome.violation !== null) failures.push(outcome);
  }
  return { seeds, counts, failures };
}

/** All that is needed to see it again. */
export function describeFailure({ seed, violation, trace }: Outcome): string {
  const lines = [`seed ${seed}: ${violation ?? "no violation"}`, "the last events:", ...trace];
  return [...lines, `see it again: npm run sim -- --seed ${seed}`].join("\n");
}
