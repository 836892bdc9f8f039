/**
 * What the rules say of a call.
 *
 * Of everything that the call would do: any deny wins, then a person's grant, then any ask, then an allow, else there is
 * no rule. The call is denied when one thing in it is, else asked when one is, and allowed only when every one is.
 */
import type { Decision, Verdict } from "./access.js";
import { fileUse, gravest, judge, shown, TOO_MUCH, type Finding } from "./finding.js";
import { judgeShell } from "./judge-shell.js";
import { nameRuleMatches } from "./name-rule.js";
import { pathRuleCovers, pathRuleReaches } from "./path-rule.js";
import type { ResolvedAccess } from "./resolved-access.js";
import { ruleGroups, type RuleGroups } from "./rule-groups.js";
import type { Rule } from "./rule.js";
import { countWork, STEPS_MAX } from "./work.js";

/** A permission file that cannot be read. What it would have said is not known, so that nothing is allowed. */
export interface RuleFlaw {
  readonly file: string;
  readonly message: string;
}

/** Pure and total. */
export function decide(
  accesses: readonly ResolvedAccess[],
  rules: readonly Rule[],
  flaws: readonly RuleFlaw[],
): Decision {
  const groups = ruleGroups(rules);
  const work = countWork(STEPS_MAX, () => accesses.flatMap((access) => judgeAccess(access, groups)));
  const findings = work.isTooMuch ? [...work.result, TOO_MUCH] : work.result;
  const worst = gravest(findings) ?? NOTHING;
  const [flaw] = flaws;
  if (flaw && worst.verdict !== "deny") {
    const because = `${flaw.file} cannot be read, so that nothing is allowed: ${flaw.message}`;
    return { verdict: "ask", rule: null, file: flaw.file, because };
  }
  const verdict: Verdict = worst.verdict === "grant" ? "allow" : worst.verdict;
  const { rule } = worst;
  return {
    verdict,
    rule: rule?.text ?? null,
    file: rule?.origin.file ?? null,
    because: inWords(worst, findings),
  };
}

const NOTHING: Finding = {
  verdict: "none",
  rule: null,
  because: () => "It does nothing that a rule could be about.",
};

function judgeAccess(access: ResolvedAccess, groups: RuleGroups): readonly Finding[] {
  switch (access.category) {
    case "Shell":
      return judgeShell(access, groups);
    case "Read":
    case "Write": {
      const cover = (rule: Rule) => (pathRuleCovers(rule, access) ? "exact" : "no");
      const reach = (rule: Rule) => pathRuleReaches(rule, access);
      return [judge({ what: () => fileUse(access), reach, cover }, groups.files)];
    }
    case "Mcp":
      return [judgeName(() => `the tool ${shown(`${access.server}/${access.tool}`)}`, access, groups)];
    case "Web":
      return [judgeName(() => `a call to ${shown(access.host)}`, access, groups)];
    case "Tool":
      return [judgeName(() => `the tool ${shown(access.name)}`, access, groups)];
  }
}

function judgeName(
  what: () => string,
  access: Parameters<typeof nameRuleMatches>[1],
  { names }: RuleGroups,
): Finding {
  const matches = (rule: Rule) => nameRuleMatches(rule, access);
  return judge(
    {
      what,
      reach: (rule) => (matches(rule) ? "yes" : "no"),
      cover: (rule) => (matches(rule) ? "exact" : "no"),
    },
    names[access.category],
  );
}

const SENTENCES_MAX = 3;

/** Why it is permitted takes a sentence for each thing; why it is not, one. */
function inWords(worst: Finding, findings: readonly Finding[]): string {
  if (worst.verdict !== "allow" && worst.verdict !== "grant") return worst.because();
  const sentences = [...new Set(findings.map((finding) => finding.because()))];
  const more = sentences.length - SENTENCES_MAX;
  return [...sentences.slice(0, SENTENCES_MAX), ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
}
