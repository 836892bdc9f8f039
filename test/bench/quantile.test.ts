import { expect, test } from "vitest";
import { quantileOf } from "./quantile.js";

test("is a value that was measured, whatever their order", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0, 0.5, 0.9, 0.99, 1].map((share) => quantileOf(values, share))).toEqual([1, 50, 90, 99, 100]);
  expect(quantileOf([7], 0.99)).toBe(7);
});
