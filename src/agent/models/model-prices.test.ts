import { expect, test } from "vitest";
import { costUsd, priceOf } from "./model-prices.js";

const tokens = { input: 1_000_000, cached: 0, cacheWrite: 0, output: 0 };

test("plain, cached, written and output tokens each have their price", () => {
  const name = "anthropic/claude-sonnet-4-5";
  expect(costUsd(name, tokens)).toBe(3);
  expect(costUsd(name, { ...tokens, cached: 1_000_000 })).toBeCloseTo(0.3, 10);
  expect(costUsd(name, { ...tokens, cacheWrite: 1_000_000 })).toBe(3.75);
  expect(costUsd(name, { input: 0, cached: 0, cacheWrite: 0, output: 1_000_000 })).toBe(15);
  const mixed = { input: 1_000, cached: 400, cacheWrite: 100, output: 50 };
  expect(costUsd(name, mixed)).toBeCloseTo((500 * 3 + 400 * 0.3 + 100 * 3.75 + 50 * 15) / 1_000_000, 12);
});

test("where writing to the cache has no price of its own it is input like any other", () => {
  expect(costUsd("openai/gpt-5", { ...tokens, cacheWrite: 1_000_000 })).toBe(1.25);
});

test("a long request costs what long requests cost", () => {
  const name = "google/gemini-2.5-pro";
  expect(costUsd(name, { ...tokens, input: 200_000 })).toBeCloseTo(0.25, 10);
  expect(costUsd(name, { ...tokens, input: 400_000 })).toBeCloseTo(1, 10);
});

test("a model that nobody has priced has no cost, however much it looks like another", () => {
  for (const name of [
    "anthropic/claude-sonnet-9",
    "openai/gpt-5-turbo",
    "ollama/gpt-5",
    "x",
    "constructor/a",
  ])
    expect([name, costUsd(name, tokens)]).toEqual([name, null]);
});

test("the day of its making does not change a model's price", () => {
  expect(priceOf("anthropic/claude-haiku-4-5-20251001")).toEqual(priceOf("anthropic/claude-haiku-4-5"));
  expect(priceOf("openai/gpt-4.1-2025-04-14")).toEqual(priceOf("openai/gpt-4.1"));
});
