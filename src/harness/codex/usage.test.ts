import { expect, test } from "vitest";
import { newUsage, type Totals } from "./turns.js";

const BEFORE: Totals = { inputTokens: 100, outputTokens: 10, cachedTokens: 50 };

function told(total: readonly number[], last: readonly number[]) {
  const breakdown = ([inputTokens = 0, outputTokens = 0, cachedInputTokens = 0]: readonly number[]) => ({
    inputTokens,
    outputTokens,
    cachedInputTokens,
  });
  return { total: breakdown(total), last: breakdown(last) };
}

test("what is new is the difference of the totals", () => {
  expect(newUsage(BEFORE, told([130, 14, 60], [1, 1, 1]), true)).toEqual({
    totals: { inputTokens: 130, outputTokens: 14, cachedTokens: 60 },
    usage: { inputTokens: 30, outputTokens: 4, cachedTokens: 10, costUsd: null },
  });
});

test("the same again is nothing new", () => {
  expect(newUsage(BEFORE, told([100, 10, 50], [30, 4, 10]), true)).toEqual({ totals: BEFORE, usage: null });
});

test("a resumed conversation tells first what it had used before: that was counted then", () => {
  expect(newUsage(null, told([100, 10, 50], [30, 4, 10]), false)).toEqual({ totals: BEFORE, usage: null });
});

test("if it does not, the last request of the turn is what is new", () => {
  expect(newUsage(null, told([100, 10, 50], [30, 4, 10]), true)).toEqual({
    totals: BEFORE,
    usage: { inputTokens: 30, outputTokens: 4, cachedTokens: 10, costUsd: null },
  });
});

test("totals that fall add nothing, and are counted on from there", () => {
  const { totals, usage } = newUsage(BEFORE, told([40, 4, 0], [40, 4, 0]), true);
  expect({ totals, usage }).toEqual({
    totals: { inputTokens: 40, outputTokens: 4, cachedTokens: 0 },
    usage: null,
  });
});

test.each([undefined, null, "x", { total: null }, { total: { inputTokens: "1", outputTokens: -5 } }])(
  "what is no usage is none: %j",
  (tokenUsage) => {
    expect(newUsage(null, tokenUsage, true)).toEqual({
      totals: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      usage: null,
    });
  },
);
