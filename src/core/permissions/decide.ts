/** What the rules say of a call. */
import type { Decision } from "./access.js";
import type { ResolvedAccess } from "./resolved-access.js";
import type { Rule } from "./rule.js";

/** A permission file that cannot be read. */
export interface RuleFlaw {
  readonly file: string;
  readonly message: string;
}

export function decide(
  accesses: readonly ResolvedAccess[],
  rules: readonly Rule[],
  flaws: readonly RuleFlaw[],
): Decision {
  const because = `Not yet decided: ${accesses.length} accesses, ${rules.length} rules, ${flaws.length} flaws.`;
  return { verdict: "ask", rule: null, file: null, because };
}
