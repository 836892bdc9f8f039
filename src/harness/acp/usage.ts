/** What an agent says that it has used. Each has its own place for it; nothing is counted twice. */
import { NO_USAGE } from "../../protocol/session.js";
import type { AcpStep } from "./acp-step.js";
import { isObject, fieldAt, numberAt, objectAt, textAt, type JsonObject } from "./json-fields.js";

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/** With the end of a turn: `usage`, or what Gemini CLI calls its quota. */
export function takeTurnUsage(step: AcpStep, result: JsonObject): void {
  const counted = objectAt(objectAt(objectAt(result, "_meta"), "quota"), "token_count");
  const told = isObject(fieldAt(result, "usage")) ? tokensIn(objectAt(result, "usage")) : tokensIn(counted);
  if (step.agent.quirks.tokensAddUp !== true) {
    addTokens(step, told);
    return;
  }
  const { tokens } = step.state;
  const { inputTokens, outputTokens, cachedTokens } = told;
  // A turn that failed may tell nothing: the total does not fall for that.
  if (inputTokens < tokens.inputTokens || outputTokens < tokens.outputTokens) return;
  step.set({ tokens: told });
  addTokens(step, {
    inputTokens: inputTokens - tokens.inputTokens,
    outputTokens: outputTokens - tokens.outputTokens,
    cachedTokens: Math.max(0, cachedTokens - tokens.cachedTokens),
  });
}

/** It tells what the turn has used, and that is nothing. */
export function usedNothing(result: JsonObject): boolean {
  const usage = fieldAt(result, "usage");
  if (!isObject(usage) || numberAt(usage, "totalTokens") !== 0) return false;
  const { inputTokens, outputTokens } = tokensIn(usage);
  return inputTokens + outputTokens === 0;
}

/** With a piece of a message: Qwen Code tells it after each request. */
export function takeChunkUsage(step: AcpStep, update: JsonObject): void {
  const usage = fieldAt(objectAt(update, "_meta"), "usage");
  if (isObject(usage)) addTokens(step, tokensIn(usage));
}

/** How full its context is, and what everything has cost so far. */
export function takeUsageUpdate(step: AcpStep, update: JsonObject): void {
  const [used, size] = [numberAt(update, "used"), numberAt(update, "size")];
  if (used !== null && size !== null && step.state.phase === "ready")
    step.stream("status", { contextTokens: used, contextTokensMax: size });
  const cost = objectAt(update, "cost");
  const amount = numberAt(cost, "amount");
  if (amount === null || textAt(cost, "currency") !== "USD") return;
  const { costUsd, resume, phase } = step.state;
  step.set({ costUsd: amount });
  // Of a conversation with earlier runs, the first total says nothing about this one.
  const isUnknown = costUsd === null && resume !== null && step.agent.quirks.costOutlivesRun === true;
  const spent = amount - (costUsd ?? 0);
  if (isUnknown || phase !== "ready" || spent < 0 || (spent === 0 && costUsd !== null)) return;
  step.outputs.push({ type: "usage", usage: { ...NO_USAGE, costUsd: spent } });
}

function addTokens(step: AcpStep, tokens: Tokens): void {
  if (tokens.inputTokens + tokens.outputTokens + tokens.cachedTokens === 0) return;
  step.outputs.push({ type: "usage", usage: { ...tokens, costUsd: null } });
}

/** Some count what comes from a cache among the input, others beside it: then it is in their total once more. */
function tokensIn(usage: JsonObject): Tokens {
  const given = count(usage, ["inputTokens", "input_tokens"]);
  const outputTokens = count(usage, ["outputTokens", "output_tokens"]);
  const cachedTokens = count(usage, ["cachedReadTokens", "cached_tokens"]);
  const beside = cachedTokens + count(usage, ["cachedWriteTokens"]);
  const total = numberAt(usage, "totalTokens");
  const isBeside = total === null ? cachedTokens > given : total >= given + outputTokens + beside;
  return { inputTokens: isBeside ? given + beside : given, outputTokens, cachedTokens };
}

function count(usage: JsonObject, keys: readonly string[]): number {
  for (const key of keys) {
    const value = numberAt(usage, key);
    if (value !== null && value >= 0) return value;
  }
  return 0;
}
