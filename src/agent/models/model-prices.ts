/**
 * What models cost, in US dollars per million tokens: the providers' list prices, as gathered by models.dev
 * (github.com/anomalyco/models.dev) on 2026-07-02. They change; a model that is not here is used without a price, because
 * a guess would look like knowledge.
 */
import type { ProviderName } from "../../protocol/agent-providers.js";

export interface Price {
  readonly input: number;
  /** Input that was read from the provider's cache. */
  readonly cached: number;
  /** Input that was written to it; where it is absent, that costs what other input does. */
  readonly cacheWrite?: number;
  readonly output: number;
  /** Of a request with more input tokens than this. */
  readonly above?: { readonly inputTokens: number } & Pick<Price, "input" | "cached" | "output">;
}

type Prices = Readonly<Record<string, Price>>;

export const MODEL_PRICES: Readonly<Partial<Record<ProviderName, Prices>>> = {
  anthropic: {
    "claude-sonnet-4-5": { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 },
    "claude-sonnet-4-6": { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 },
    "claude-sonnet-5": { input: 2, cached: 0.2, cacheWrite: 2.5, output: 10 },
    "claude-haiku-4-5": { input: 1, cached: 0.1, cacheWrite: 1.25, output: 5 },
    "claude-opus-4-1": { input: 15, cached: 1.5, cacheWrite: 18.75, output: 75 },
    "claude-opus-4-5": { input: 5, cached: 0.5, cacheWrite: 6.25, output: 25 },
    "claude-opus-4-6": { input: 5, cached: 0.5, cacheWrite: 6.25, output: 25 },
    "claude-opus-4-7": { input: 5, cached: 0.5, cacheWrite: 6.25, output: 25 },
    "claude-opus-4-8": { input: 5, cached: 0.5, cacheWrite: 6.25, output: 25 },
  },
  openai: {
    "gpt-5": { input: 1.25, cached: 0.125, output: 10 },
    "gpt-5-mini": { input: 0.25, cached: 0.025, output: 2 },
    "gpt-5-nano": { input: 0.05, cached: 0.005, output: 0.4 },
    "gpt-5.1": { input: 1.25, cached: 0.125, output: 10 },
    "gpt-5.2": { input: 1.75, cached: 0.175, output: 14 },
    "gpt-5.3-codex": { input: 1.75, cached: 0.175, output: 14 },
    "gpt-5.4": {
      input: 2.5,
      cached: 0.25,
      output: 15,
      above: { inputTokens: 272_000, input: 5, cached: 0.5, output: 22.5 },
    },
    "gpt-5.4-mini": { input: 0.75, cached: 0.075, output: 4.5 },
    "gpt-5.5": {
      input: 5,
      cached: 0.5,
      output: 30,
      above: { inputTokens: 272_000, input: 10, cached: 1, output: 45 },
    },
    "gpt-4.1": { input: 2, cached: 0.5, output: 8 },
    "gpt-4.1-mini": { input: 0.4, cached: 0.1, output: 1.6 },
  },
  google: {
    "gemini-2.5-pro": {
      input: 1.25,
      cached: 0.125,
      output: 10,
      above: { inputTokens: 200_000, input: 2.5, cached: 0.25, output: 15 },
    },
    "gemini-2.5-flash": { input: 0.3, cached: 0.03, output: 2.5 },
    "gemini-2.5-flash-lite": { input: 0.1, cached: 0.01, output: 0.4 },
    "gemini-3.1-pro-preview": {
      input: 2,
      cached: 0.2,
      output: 12,
      above: { inputTokens: 200_000, input: 4, cached: 0.4, output: 18 },
    },
    "gemini-3.1-flash-lite": { input: 0.25, cached: 0.025, output: 1.5 },
    "gemini-3.5-flash": { input: 1.5, cached: 0.15, output: 9 },
  },
};

export interface Tokens {
  /** All of them, whether they were cached or not. */
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** Null: nobody has told us. A model's name may end with the day of its making: it costs the same. */
export function priceOf(name: string): Price | null {
  const [provider = "", ...rest] = name.split("/");
  const prices = Object.hasOwn(MODEL_PRICES, provider) ? MODEL_PRICES[provider as ProviderName] : undefined;
  const model = rest.join("/");
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  if (!prices) return null;
  const known = [model, undated].find((candidate) => Object.hasOwn(prices, candidate));
  return known === undefined ? null : (prices[known] ?? null);
}

/** What a request cost, or null. */
export function costUsd(name: string, { input, cached, cacheWrite, output }: Tokens): number | null {
  const price = priceOf(name);
  if (!price) return null;
  const { above } = price;
  const rate = above && input > above.inputTokens ? { ...price, ...above } : price;
  const plain = Math.max(0, input - cached - cacheWrite);
  const millionths =
    plain * rate.input +
    cached * rate.cached +
    cacheWrite * (price.cacheWrite ?? rate.input) +
    output * rate.output;
  return millionths / 1_000_000;
}
