import { describe, expect, test } from "vitest";
import { MUTANTS } from "./mutants.js";
import { describeFailure, runSeeds } from "./run-seeds.js";
import { simulate } from "./simulation.js";

const SEEDS = Number(process.env["SIGNALBOX_SIM_SEEDS"] ?? 200);
/** A mutant may need some luck to be seen. */
const MUTANT_SEEDS_MAX = 20;

/** What must have happened in 200 seeds, or they would prove little. */
const LEAST = {
  "fault crash": 500,
  "fault crash_after": 500,
  "fault close": 100,
  "fault full_disk": 200,
  "fault keeper_death": 200,
  "fault power_loss": 200,
  "closed in good order": 100,
  "quiet checks": 4_000,
  "statuses compared with the agent's own": 5_000,
  "subscribers compared": 4_000,
  "requests repeated": 500,
  "requests sent again": 500,
  "repeated notices": 500,
  "torn output": 50,
  runs: 1_500,
  transitions: 30_000,
} as const;

// What a seed shows it shows again: nothing is gained by another try.
test(`${SEEDS} seeds`, { timeout: 3_600_000, retry: 0 }, async () => {
  const { seeds, counts, failures } = await runSeeds(1, SEEDS);
  console.log(`${seeds} seeds; ${counts.toString()}`);
  expect(failures.map(describeFailure)).toEqual([]);
  const share = Math.min(1, seeds / 200);
  const rare = Object.entries(LEAST).filter(([name, least]) => counts.of(name) < least * share);
  expect(seeds < 20 ? [] : rare).toEqual([]);
});

test("the same seed gives the same run", async () => {
  const [first, second] = [
    await simulate({ seed: 7, journal: "memory" }),
    await simulate({ seed: 7, journal: "memory" }),
  ];
  expect(second).toEqual(first);
  expect((await simulate({ seed: 8, journal: "memory" })).trace).not.toEqual(first.trace);
});

describe("the checker finds", () => {
  test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("%s", async (_, mutant) => {
    const problems: (string | null)[] = [];
    for (let seed = 1; seed <= MUTANT_SEEDS_MAX && problems.length === 0; seed += 1) {
      const { violation } = await simulate({ seed, journal: "memory", mutant });
      if (violation !== null) problems.push(violation);
    }
    console.log(`${mutant.name}: ${problems[0]?.split("\n", 1)[0] ?? "not found"}`);
    expect(problems.length).toBe(1);
  });
});
