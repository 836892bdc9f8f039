/** Writes a rule into one of the person's own files, or takes one out of it. Nothing else in the file changes. */
import { parseRule, type Rule } from "../../core/index.js";
import { addToList } from "../toml/add-to-list.js";
import { removeFromList } from "../toml/remove-from-list.js";
import { changeRuleFile, refuse, type Refused } from "./change-rule-file.js";
import { parseRuleFile, type ParsedRuleFile, type RuleFileKind } from "./parse-rule-file.js";

export type AddedRule =
  | {
      readonly ok: true;
      readonly file: string;
      /** False when it was there already. */ readonly isNew: boolean;
    }
  | Refused;

export type RemovedRule =
  { readonly ok: true; readonly file: string; readonly effect: Rule["effect"] } | Refused;

const LISTS = { allow: "allow", ask: "ask", deny: "deny", grant: "grants" } as const;
const EFFECTS = ["allow", "ask", "deny", "grant"] as const;

export function addRule(kind: RuleFileKind, effect: Rule["effect"], text: string): AddedRule {
  const { file } = kind;
  const rule = text.trim();
  const changed = changeRuleFile(kind, (before) => {
    if (holds(before.held, effect, rule)) return { ok: true, text: null, told: false };
    const added = addToList(before.text, "permissions", LISTS[effect], rule);
    if (!added.ok) return refuse(`${file}: ${added.message}`);
    const after = parseRuleFile(Buffer.from(added.text), kind);
    if (after.flaws.length > 0 || !holds(after, effect, rule))
      return refuse(`${file}: ${JSON.stringify(rule)} would make it a file that cannot be read`);
    return { ok: true, text: added.text, told: true };
  });
  return changed.ok ? { ok: true, file, isNew: changed.told } : changed;
}

/** `effect`: null is whichever list holds it, if one alone does. */
export function removeRule(kind: RuleFileKind, effect: Rule["effect"] | null, rule: string): RemovedRule {
  const { file } = kind;
  const changed = changeRuleFile<Rule["effect"]>(kind, ({ text, held, isThere }) => {
    if (!isThere) return refuse(`${file} is not there: you have no rules of your own in it`);
    const holding = EFFECTS.filter((each) => holds(held, each, rule));
    const [meant, another] = effect === null ? holding : holding.filter((each) => each === effect);
    if (meant === undefined) return refuse(`${file} does not hold ${missing(effect, holding, rule)}`);
    if (another !== undefined)
      return refuse(`${file} holds ${rule.trim()} as ${holding.join(" and ")}: say which is meant`);
    const removed = removeFromList(text, "permissions", LISTS[meant], (item) => isSame(item, rule));
    return removed.ok ? { ok: true, text: removed.text, told: meant } : refuse(`${file}: ${removed.message}`);
  });
  return changed.ok ? { ok: true, file, effect: changed.told } : changed;
}

function missing(effect: Rule["effect"] | null, holding: readonly Rule["effect"][], rule: string): string {
  const wanted = `${effect === null ? "" : `${effect} `}${rule.trim()}`;
  return holding.length === 0 ? wanted : `${wanted}; it holds it as ${holding.join(" and ")}`;
}

function holds({ rules }: ParsedRuleFile, effect: Rule["effect"], text: string): boolean {
  return rules.some((rule) => rule.effect === effect && isSame(rule.text, text));
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [parseRule(one), parseRule(other)];
  return a.ok && b.ok && a.category === b.category && a.pattern === b.pattern;
}
