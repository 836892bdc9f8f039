import { expect, test } from "vitest";
import { lagGrowth, type LagSample } from "./lag-growth.js";

/** A journal that writes 10,000 entries, and clients that are where `told` says. */
function samples(told: (committed: number) => number): readonly LagSample[] {
  return Array.from({ length: 100 }, (_, index) => ({ committed: index * 100, told: told(index * 100) }));
}

test.each([
  ["clients that keep up, always as far behind", (committed: number) => committed - 500, 0],
  ["clients that are slower by a tenth", (committed: number) => 0.9 * committed, 0.1],
  ["clients that catch up", (committed: number) => committed - 0.1 * (10_000 - committed), -0.1],
])("%s", (_what, told, growth) => {
  expect(lagGrowth(samples(told), 0, 10_000)).toBeCloseTo(growth, 5);
});

test("what was sampled before the run or after it does not count", () => {
  const before = { committed: 99, told: 0 };
  const after = { committed: 20_000, told: 0 };
  const during = samples((committed) => committed).map(({ committed }) => ({
    committed: committed + 100,
    told: committed + 100,
  }));
  expect(lagGrowth([before, ...during, after], 100, 10_100)).toBe(0);
});
