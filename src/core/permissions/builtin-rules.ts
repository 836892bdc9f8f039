/** What no agent may ever do. Nothing overrides these. */
import type { Rule } from "./rule.js";

export function builtinRules(folders: {
  readonly dataDir: string;
  readonly configDir: string;
}): readonly Rule[] {
  return folders.dataDir === "" ? [] : [];
}
