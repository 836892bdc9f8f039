import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleTimer } from "./idle-timer.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("ends what rests when nobody has spoken for so long, and only then", async () => {
  let isResting = false;
  let ends = 0;
  const timer = new IdleTimer(
    100,
    () => isResting,
    () => (ends += 1),
  );
  await vi.advanceTimersByTimeAsync(99);
  timer.again();
  await vi.advanceTimersByTimeAsync(199);
  expect(ends).toBe(0);
  isResting = true;
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ends).toBe(1);
});
