import { expect, test } from "vitest";
import { Backoff } from "./backoff.js";

test("waits twice as long each time, within its bounds, and begins anew after a reset", () => {
  const least = new Backoff(100, 5_000, () => 0);
  const most = new Backoff(100, 5_000, () => 1);
  const series = (backoff: Backoff) => Array.from({ length: 8 }, () => backoff.nextDelayMs());
  expect(series(least)).toEqual([100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500]);
  expect(series(most)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  least.reset();
  expect(least.nextDelayMs()).toBe(100);
});
