import type { Usage } from "../protocol/session.js";

export function addUsage(before: Usage, more: Usage): Usage {
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cachedTokens: before.cachedTokens + more.cachedTokens,
    costUsd: more.costUsd === null ? before.costUsd : (before.costUsd ?? 0) + more.costUsd,
  };
}
