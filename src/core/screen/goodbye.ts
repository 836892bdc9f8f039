import type { Screen } from "./screen.js";

const GOODBYES: ReadonlyMap<string, readonly RegExp[]> = new Map();

/** Whether the agent's own farewell stands just above a shell's prompt: the agent has ended. */
export function sawGoodbye(agent: string, screen: Screen): boolean {
  const patterns = GOODBYES.get(agent) ?? [];
  return patterns.some((pattern) => screen.rows.some((row) => pattern.test(row)));
}
