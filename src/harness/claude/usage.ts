import type { Usage } from "../../protocol/session.js";
import { numberAt, objectAt, objectOf, type WireObject } from "./wire-object.js";

type Tokens = Omit<Usage, "costUsd">;

/**
 * What a `result` adds to what was used, and all that was used so far. Claude counts cost and tokens from the start of
 * its process, subagents included; a `result` without these counts has the tokens of its turn alone.
 */
export function usageSince(
  before: Usage,
  result: WireObject,
): { readonly used: Usage; readonly usage: Usage | null } {
  const counted = countedTokens(result);
  const costUsd = numberAt(result, "total_cost_usd") === null ? null : countAt(result, "total_cost_usd");
  const added = counted ? grownTokens(before, counted) : tokensOfTurn(result);
  const usage: Usage = {
    ...added,
    // Claude counts what comes from a cache beside the input.
    inputTokens: added.inputTokens + added.cachedTokens,
    costUsd: costUsd === null ? null : grown(before.costUsd ?? 0, costUsd),
  };
  const isNothing = Object.values(usage).every((count) => count === 0 || count === null);
  const used: Usage = { ...before, ...counted, costUsd: costUsd ?? before.costUsd };
  return { used, usage: isNothing ? null : usage };
}

function countedTokens(result: WireObject): Tokens | null {
  const models = objectAt(result, "modelUsage");
  if (!models) return null;
  const tokens = Object.values(models).map((model) => objectOf(model) ?? {});
  const sum = (...keys: readonly string[]) =>
    tokens.reduce((total, model) => total + keys.reduce((part, key) => part + countAt(model, key), 0), 0);
  return {
    inputTokens: sum("inputTokens", "cacheCreationInputTokens"),
    outputTokens: sum("outputTokens"),
    cachedTokens: sum("cacheReadInputTokens"),
  };
}

function tokensOfTurn(result: WireObject): Tokens {
  const usage = objectAt(result, "usage") ?? {};
  return {
    inputTokens: countAt(usage, "input_tokens") + countAt(usage, "cache_creation_input_tokens"),
    outputTokens: countAt(usage, "output_tokens"),
    cachedTokens: countAt(usage, "cache_read_input_tokens"),
  };
}

function grownTokens(before: Tokens, counted: Tokens): Tokens {
  return {
    inputTokens: grown(before.inputTokens, counted.inputTokens),
    outputTokens: grown(before.outputTokens, counted.outputTokens),
    cachedTokens: grown(before.cachedTokens, counted.cachedTokens),
  };
}

/** A count that is less than before began anew. */
function grown(before: number, now: number): number {
  return Math.max(0, now < before ? now : now - before);
}

function countAt(object: WireObject, key: string): number {
  return Math.max(0, numberAt(object, key) ?? 0);
}
