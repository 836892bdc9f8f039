/** One line of a shell, some rules, and what must come of it. */
import type { Verdict } from "../../../core/index.js";

/** `deny`, `ask`, `allow`: as in a permission file. */
export interface CaseRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface ShellCase {
  readonly command: string;
  readonly rules: CaseRules;
  readonly expect: Verdict;
  readonly why: string;
  /** Where it was published, when it is a way around the rules of others. It must never be allowed. */
  readonly source?: string;
  readonly shell?: string;
}

/** Everything is allowed, but for one thing. */
export function allBut(...deny: readonly string[]): CaseRules {
  return { allow: ["Shell", "Read", "Write"], deny };
}

export const NO_RM = allBut("Shell(rm -rf *)");
export const NO_WHOAMI = allBut("Shell(whoami)");
export const NO_PASSWD = allBut("Read(/etc/passwd)");
export const NO_ENV = allBut("Read(**/.env*)");

/** What people allow because it seems to do no harm. */
export const HARMLESS: CaseRules = {
  allow: [
    "awk cat cd column cut date diff du echo export fd file find git grep head history less ls man nl printf ps pwd read rg sed sort",
    "split stat tail tar test tr tree true typeset uniq wc xargs xxd",
  ]
    .join(" ")
    .split(" ")
    .map((program) => `Shell(${program} *)`),
};

type Row = readonly [command: string, rules: CaseRules, expect: Verdict, why: string];

export function cases(...rows: readonly Row[]): readonly ShellCase[] {
  return rows.map(([command, rules, expect, why]) => ({ command, rules, expect, why }));
}

/** The same for what was published in one place. */
export function publishedIn(source: string, ...rows: readonly Row[]): readonly ShellCase[] {
  return cases(...rows).map((each) => ({ ...each, source }));
}

/** The same for many lines under one set of rules. */
export function under(
  rules: CaseRules,
  why: string,
  ...rows: readonly (readonly [command: string, expect: Verdict])[]
): readonly ShellCase[] {
  return rows.map(([command, expect]) => ({ command, rules, expect, why }));
}
