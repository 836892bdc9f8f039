/** What the rules say of one thing that a call would do, and how that is put into words. */
import type { Reach } from "./path-rule.js";
import type { FileAccess } from "./resolved-access.js";
import type { RulesByEffect } from "./rule-groups.js";
import type { Rule } from "./rule.js";
import { spend, unlessTooMuch } from "./work.js";

export interface Finding {
  readonly verdict: "deny" | "grant" | "ask" | "allow" | "none";
  readonly rule: Rule | null;
  /** One sentence; put together only when somebody reads it. */
  readonly because: () => string;
}

/** How well an allow or a grant covers something: to the letter, by a pattern with stars, or not at all. */
export type Cover = "exact" | "wide" | "no";

/** One thing to be judged. */
export interface Judged {
  /** In words, such as "the command `rm x`". */
  readonly what: () => string;
  /** Whether a deny or an ask is about it. */
  readonly reach: (rule: Rule) => Reach;
  /** Whether an allow or a grant covers it. */
  readonly cover: (rule: Rule) => Cover;
}

/**
 * The order of the language: any deny, then a grant, then any ask, then an allow, then nothing.
 *
 * A deny that only may be about it asks. Of grants, only one to the letter lifts that: the person then saw this very
 * thing.
 */
export function judge(judged: Judged, rules: RulesByEffect): Finding {
  return unlessTooMuch(() => judgeAll(judged, rules), TOO_MUCH);
}

/** Nobody but a person answers what could not be judged to its end. */
export const TOO_MUCH: Finding = {
  verdict: "ask",
  rule: null,
  because: () => "It takes too long to judge: there is too much in it, or there are too many rules.",
};

function judgeAll({ what, reach, cover }: Judged, rules: RulesByEffect): Finding {
  spend(rules.deny.length + rules.grant.length + rules.ask.length + rules.allow.length);
  let doubt: Rule | null = null;
  for (const rule of rules.deny) {
    const reached = reach(rule);
    if (reached === "yes") return found("deny", rule, () => `${named(rule)} denies ${what()}.`);
    if (reached === "maybe") doubt ??= rule;
  }
  const grant = rules.grant.find((rule) => {
    const covered = cover(rule);
    return covered === "exact" || (covered === "wide" && doubt === null);
  });
  if (grant) return found("grant", grant, () => `${named(grant)} was granted, and covers ${what()}.`);
  const unsure = doubt;
  if (unsure)
    return found("ask", unsure, () => `${named(unsure)} may be about ${what()}; that cannot be seen.`);

  const ask = rules.ask.find((rule) => reach(rule) !== "no");
  if (ask)
    return found("ask", ask, () =>
      reach(ask) === "yes"
        ? `${named(ask)} asks before ${what()}.`
        : `${named(ask)} may be about ${what()}; that cannot be seen.`,
    );

  const allow = rules.allow.find((rule) => cover(rule) !== "no");
  if (allow) return found("allow", allow, () => `${named(allow)} allows ${what()}.`);
  return found("none", null, () => `No rule is about ${what()}.`);
}

function found(verdict: Finding["verdict"], rule: Rule | null, because: () => string): Finding {
  return { verdict, rule, because };
}

const SEVERITY: Readonly<Record<Finding["verdict"], number>> = {
  deny: 4,
  ask: 3,
  none: 2,
  allow: 1,
  grant: 0,
};

/** The gravest of all: one denied thing denies the call, and a call is allowed only when everything in it is. */
export function gravest(findings: readonly Finding[]): Finding | undefined {
  return findings.reduce<Finding | undefined>(
    (worst, finding) => (worst && SEVERITY[worst.verdict] >= SEVERITY[finding.verdict] ? worst : finding),
    undefined,
  );
}

/** `Shell(rm *)` in file, line 3. */
export function named({ text, origin }: Rule): string {
  const rule = `\`${text}\``;
  if (origin.kind === "builtin") return `${rule}, which is built in,`;
  if (origin.file === null) return rule;
  return origin.line === null
    ? `${rule} in ${origin.file}`
    : `${rule} in ${origin.file}, line ${origin.line},`;
}

/** What is done to a file, in words. */
export function fileUse({ category, path, exact }: FileAccess, isCertain = true): string {
  const file = exact ? shown(path) : "a file whose name the shell computes";
  if (!isCertain) return `using ${file}`;
  return `${category === "Read" ? "reading" : "writing"} ${file}`;
}

export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

const SHOWN_LENGTH_MAX = 120;

/** Something of the agent's, for a person to read: on one line, and not too long. */
export function shown(text: string): string {
  const line = onOneLine(text);
  return line.length > SHOWN_LENGTH_MAX ? `\`${line.slice(0, SHOWN_LENGTH_MAX)}…\`` : `\`${line}\``;
}
