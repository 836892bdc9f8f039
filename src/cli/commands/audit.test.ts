import { expect, test } from "vitest";
import { sinceMs } from "./audit.js";

const NOW_MS = Date.parse("2026-02-01T00:00:00Z");

test.each([
  ["30m", NOW_MS - 1_800_000],
  ["7d", NOW_MS - 604_800_000],
  ["2026-01-31", Date.parse("2026-01-31")],
  ["2026-01-31T12:00:00Z", Date.parse("2026-01-31T12:00:00Z")],
])("%s is a time", (typed, ms) => {
  expect(sinceMs(typed, NOW_MS)).toBe(ms);
});

test.each(["", "yesterday", "7", "2026-13-45", "-3d"])("%j is none", (typed) => {
  expect(() => sinceMs(typed, NOW_MS)).toThrow("not a time");
});
