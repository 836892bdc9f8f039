import { expect, test } from "vitest";
import { RecentSlices } from "./recent-slices.js";
import type { Slice } from "./slice.js";

function slice(from: number, to: number, sizeBytes = 1): Slice {
  return { from, to, bytes: Buffer.alloc(sizeBytes), events: 1 };
}

test("gives exactly what comes after a position, and nothing where it cannot", () => {
  const recent = new RecentSlices();
  const [first, second] = [slice(10, 12), slice(15, 20)];
  recent.push([first, second]);
  const found = [9, 10, 11, 12, 14, 15, 16, 20, 21].map((position) => [
    position,
    recent.after(position),
    recent.edgeAfter(position),
  ]);
  expect(found).toEqual([
    // What was before the oldest is not known here.
    [9, null, 10],
    [10, first, 12],
    [11, null, 12],
    // Between two slices there is nothing to tell.
    [12, second, 15],
    [14, second, 15],
    [15, second, 20],
    [16, null, 20],
    [20, null, null],
    [21, null, null],
  ]);
  recent.clear();
  expect([recent.after(10), recent.edgeAfter(10)]).toEqual([null, null]);
});

test("keeps the newest four mebibytes, and no more than 2,048 slices", () => {
  const recent = new RecentSlices();
  const large = Array.from({ length: 6 }, (_, index) => slice(index, index + 1, 1024 * 1024));
  recent.push(large);
  expect([recent.after(1), recent.after(2)]).toEqual([null, large[2]]);
  const small = Array.from({ length: 3_000 }, (_, index) => slice(6 + index, 7 + index));
  for (const each of small) recent.push([each]);
  expect([recent.after(6 + 951), recent.after(6 + 952)]).toEqual([null, small[952]]);
});
