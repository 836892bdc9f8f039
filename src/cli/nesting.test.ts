import { expect, test } from "vitest";
import { nestsDeeperThan } from "./nesting.js";

test("counts lists and objects that are open at once", () => {
  expect(nestsDeeperThan(2, '{"a":[1],"b":[2]}')).toBe(false);
  expect(nestsDeeperThan(2, '{"a":[[1]]}')).toBe(true);
  expect(nestsDeeperThan(3, '{"a":[[1]]}')).toBe(false);
});

test("does not count what stands in a string", () => {
  expect(nestsDeeperThan(1, '["[[[{{{"]')).toBe(false);
  expect(nestsDeeperThan(1, '["\\"[[["]')).toBe(false);
  expect(nestsDeeperThan(1, '["\\\\",[1]]')).toBe(true);
});

test("is right about a text that is no longer than the limit", () => {
  expect(nestsDeeperThan(4, "[[[[")).toBe(false);
  expect(nestsDeeperThan(4, "[[[[[")).toBe(true);
});
