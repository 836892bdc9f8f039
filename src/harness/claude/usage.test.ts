import { expect, test } from "vitest";
import { NO_USAGE } from "../../protocol/session.js";
import { usageSince } from "./turn.js";

function result(output: number, costUsd: number) {
  const model = {
    inputTokens: 10,
    outputTokens: output,
    cacheReadInputTokens: 5,
    cacheCreationInputTokens: 2,
  };
  return { total_cost_usd: costUsd, modelUsage: { one: model, two: { outputTokens: 1 } } };
}

test("Claude counts from the start of its process: only what is new is added", () => {
  const first = usageSince(NO_USAGE, result(7, 0.5));
  expect(first).toEqual({
    used: { inputTokens: 12, outputTokens: 8, cachedTokens: 5, costUsd: 0.5 },
    usage: { inputTokens: 17, outputTokens: 8, cachedTokens: 5, costUsd: 0.5 },
  });
  expect(usageSince(first.used, result(9, 0.75))).toEqual({
    used: { inputTokens: 12, outputTokens: 10, cachedTokens: 5, costUsd: 0.75 },
    usage: { inputTokens: 0, outputTokens: 2, cachedTokens: 0, costUsd: 0.25 },
  });
});

test("nothing new is nothing", () => {
  const { used } = usageSince(NO_USAGE, result(7, 0.5));
  expect(usageSince(used, result(7, 0.5))).toEqual({ used, usage: null });
  expect(usageSince(NO_USAGE, {})).toEqual({ used: NO_USAGE, usage: null });
});

test("a count that began anew is counted whole", () => {
  const { used } = usageSince(NO_USAGE, result(7, 0.5));
  expect(usageSince(used, { total_cost_usd: 0.1, modelUsage: { one: { inputTokens: 3 } } })).toEqual({
    used: { inputTokens: 3, outputTokens: 0, cachedTokens: 0, costUsd: 0.1 },
    usage: { inputTokens: 3, outputTokens: 0, cachedTokens: 0, costUsd: 0.1 },
  });
});

test("without counts, the turn's own tokens are added", () => {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 1,
    cache_read_input_tokens: 2,
    output_tokens: 3,
  };
  expect(usageSince(NO_USAGE, { usage })).toEqual({
    used: NO_USAGE,
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 2, costUsd: null },
  });
});

test("numbers that make no sense count nothing", () => {
  const odd = { total_cost_usd: -1, modelUsage: { one: { inputTokens: -5, outputTokens: "7" }, two: null } };
  expect(usageSince(NO_USAGE, odd)).toEqual({
    used: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 },
    usage: null,
  });
});
