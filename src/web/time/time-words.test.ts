import { expect, test } from "vitest";
import { costWords, countWords, momentWords, spanWords } from "./time-words.js";

test("spans", () => {
  const spans = [-5, 0, 999, 42_000, 60_000, 423_000, 3_600_000, 12_000_000, 86_400_000, 187_200_000];
  expect(spans.map(spanWords)).toEqual([
    ...["0s", "0s", "0s", "42s", "1m 00s", "7m 03s", "1h 00m", "3h 20m", "1d 0h", "2d 4h"],
  ]);
});

test("costs and counts", () => {
  expect([0, 0.004, 0.42, 12, 99.999, 1_234.5].map(costWords)).toEqual([
    ...["$0", "<1¢", "$0.42", "$12.00", "$100.00", "$1235"],
  ]);
  expect([0, 940, 12_345, 999_999, 4_530_000].map(countWords)).toEqual([
    "0",
    "940",
    "12.3k",
    "1000k",
    "4.5M",
  ]);
});

test("moments say the day when it is another one", () => {
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 0, day, hour, minute).getTime();
  expect(momentWords(at(5, 15), at(5, 14))).toBe("15:00");
  expect(momentWords(at(5, 15), at(5, 14, 59))).toBe("15:00:00");
  expect(momentWords(at(7, 9, 30), at(5, 14))).toBe("Wed 7 Jan 09:30");
});
