/** Codex tells what a conversation has used so far; the session adds up what is new. */
import type { Json } from "../../core/index.js";
import type { Usage } from "../../protocol/session.js";
import { asFields, asNumber } from "./read-json.js";

/** Cached tokens are counted among the input tokens, as Codex does. */
export interface Totals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/**
 * What is new since `before`. Of a conversation that was not seen before, only the last request is new, and only while
 * a turn is under way: a resumed one begins by telling what it had used long ago.
 */
export function newUsage(
  before: Totals | null,
  tokenUsage: Json | undefined,
  inTurn: boolean,
): { readonly totals: Totals; readonly usage: Usage | null } {
  const { total, last } = asFields(tokenUsage);
  const totals = totalsOf(total);
  const added = before ? difference(totals, before) : inTurn ? totalsOf(last) : NOTHING;
  const isNew = added.inputTokens > 0 || added.outputTokens > 0;
  return { totals, usage: isNew ? { ...added, costUsd: null } : null };
}

const NOTHING: Totals = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

function totalsOf(breakdown: Json | undefined): Totals {
  const { inputTokens, outputTokens, cachedInputTokens } = asFields(breakdown);
  return {
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    cachedTokens: count(cachedInputTokens),
  };
}

function count(value: Json | undefined): number {
  return Math.max(0, asNumber(value) ?? 0);
}

function difference(after: Totals, before: Totals): Totals {
  return {
    inputTokens: Math.max(0, after.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, after.outputTokens - before.outputTokens),
    cachedTokens: Math.max(0, after.cachedTokens - before.cachedTokens),
  };
}
