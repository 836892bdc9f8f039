/** Rules, sorted once for all the things that are judged by them. Within a group they stand as they were given. */
import { plainName, programBase, shellPatternOf, type ShellPattern } from "./shell-pattern.js";
import type { Category } from "./access.js";
import { matchesTextGlob } from "./text-glob.js";
import type { Rule } from "./rule.js";
import { spend } from "./work.js";

export type RulesByEffect = Readonly<Record<Rule["effect"], readonly Rule[]>>;

export interface RuleGroups {
  readonly shell: RulesByEffect;
  /** Denies and asks among them, as they were given. */
  readonly shellNarrowing: readonly Rule[];
  /** Denies and asks of commands that may be about a program of this name; the other effects are as in `shell`. */
  readonly shellFor: (program: string) => RulesByEffect;
  /** `Shell` without parentheses. */
  readonly shellWhole: RulesByEffect;
  /** Read and Write: each has a say over the other. */
  readonly files: RulesByEffect;
  readonly names: Readonly<Record<"Mcp" | "Web" | "Tool", RulesByEffect>>;
  /** Whether what cannot be seen through may hide something that a person has denied or wants to be asked about. */
  readonly mayHide: boolean;
}

const known = new WeakMap<readonly Rule[], RuleGroups>();

/** A list of rules is not changed after it was made. */
export function ruleGroups(rules: readonly Rule[]): RuleGroups {
  const before = known.get(rules);
  if (before) return before;
  const groups = grouped(rules);
  known.set(rules, groups);
  return groups;
}

function grouped(rules: readonly Rule[]): RuleGroups {
  const of = (...categories: readonly Category[]) =>
    byEffect(rules.filter(({ category }) => categories.includes(category)));
  const shell = rules.filter(({ category }) => category === "Shell");
  return {
    shell: byEffect(shell),
    shellNarrowing: shell.filter(({ effect }) => effect === "deny" || effect === "ask"),
    shellFor: rulesByProgram(shell),
    shellWhole: byEffect(shell.filter(({ pattern }) => pattern === null)),
    files: of("Read", "Write"),
    names: { Mcp: of("Mcp"), Web: of("Web"), Tool: of("Tool") },
    mayHide: rules.some(
      ({ effect, category, origin }) =>
        (effect === "deny" || effect === "ask") &&
        category !== "Mcp" &&
        category !== "Tool" &&
        origin.kind !== "builtin",
    ),
  };
}

function byEffect(rules: readonly Rule[]): RulesByEffect {
  const of = (effect: Rule["effect"]) => rules.filter((rule) => rule.effect === effect);
  return { deny: of("deny"), grant: of("grant"), ask: of("ask"), allow: of("allow") };
}

const PROGRAMS_MAX = 256;

function rulesByProgram(rules: readonly Rule[]): (program: string) => RulesByEffect {
  const all = byEffect(rules);
  const denies = rulesByName(all.deny);
  const asks = rulesByName(all.ask);
  const programs = new Map<string, RulesByEffect>();
  return (program) => {
    // Whether it is kept or not: that must not change a decision.
    spend(denies.unnamedCount + asks.unnamedCount);
    const before = programs.get(program);
    if (before) return before;
    const name = plainName(program);
    const found = { ...all, deny: denies.about(name), ask: asks.about(name) };
    // Names come from agents: however many they make up, few are kept.
    if (programs.size >= PROGRAMS_MAX) programs.clear();
    programs.set(program, found);
    return found;
  };
}

interface RulesByName {
  /** Those that may be about a program of this plain name, as they were given. */
  readonly about: (name: string) => readonly Rule[];
  /** How many name no program, so that each of them has to be looked at. */
  readonly unnamedCount: number;
}

/** Most rules name their program: they are found by it. */
function rulesByName(rules: readonly Rule[]): RulesByName {
  const named = new Map<string, number[]>();
  const unnamed: number[] = [];
  for (const [index, rule] of rules.entries()) {
    const base = programNamed(patternOf(rule));
    const others = base === null ? unnamed : (named.get(base) ?? []);
    others.push(index);
    if (base !== null) named.set(base, others);
  }
  const about = (name: string): readonly Rule[] => {
    const mayMean = unnamed.filter((index) => isAbout(patternOf(rules[index]), name));
    const found = [...(named.get(programBase(name)) ?? []), ...mayMean].sort((one, other) => one - other);
    return found.flatMap((index) => rules[index] ?? []);
  };
  return { about, unnamedCount: unnamed.length };
}

function patternOf(rule: Rule | undefined): ShellPattern | null {
  return rule === undefined || rule.pattern === null ? null : shellPatternOf(rule);
}

/** Null when it may be any of several. */
function programNamed(pattern: ShellPattern | null): string | null {
  if (pattern === null || pattern.words[0]?.isAny || pattern.program.length !== 1) return null;
  return programBase(pattern.program[0] ?? "");
}

/** A rule without a pattern, or with one that cannot be read, may be about anything. */
function isAbout(pattern: ShellPattern | null, name: string): boolean {
  return pattern === null || namesProgram(pattern, name);
}

/** `name`: plain. Any path in front of a program is passed over. */
export function namesProgram({ program, words }: ShellPattern, name: string): boolean {
  if (words[0]?.isAny) return true;
  if (program.length === 1) return programBase(program[0] ?? "") === programBase(name);
  return matchesTextGlob(program, name) || matchesTextGlob(program, programBase(name));
}
