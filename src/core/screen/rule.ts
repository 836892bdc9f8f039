/** What a rule is: which activity it recognises, where it looks, and by which marks. */
import type { Activity, ScreenReading } from "./reading.js";
import type { Region, View } from "./view.js";

export type Prompt = NonNullable<ScreenReading["prompt"]>;

export interface Rule {
  readonly name: string;
  readonly activity: Activity;
  readonly looksAt: "dialog" | "spinner" | "footer" | "input box" | "menu" | "last row" | "transcript";
  /** Where that is on this screen, when it is there and live; what only looks like it further up is none. */
  readonly find: (view: View) => Region | null;
  /** Without these the rule does not match. */
  readonly needs: readonly Mark[];
  /** With any of these it does not match either. */
  readonly unless?: readonly Mark[];
  /** These only add to the confidence. */
  readonly supports?: readonly Mark[];
  /** Of an approval or a question. Without a prompt that can be read the rule does not match. */
  readonly prompt?: (view: View, region: Region) => Prompt | null;
}

/** Gives the text by which it is recognised, or null. */
export type Mark = (view: View, region: Region) => string | null;

/** What is known of one agent's screens. The first rule that matches decides. */
export interface RuleTable {
  readonly rules: readonly Rule[];
  /** What was typed into its input box; null when none is seen. */
  readonly input: (view: View) => string | null;
}

/** A row of the region that fits. */
export function rowWith(pattern: RegExp): Mark {
  return (view, { start, end }) => {
    for (let at = end - 1; at >= start; at -= 1) {
      const row = view.rows[at] ?? "";
      if (pattern.test(row)) return row.trim();
    }
    return null;
  };
}

export function titleWith(pattern: RegExp): Mark {
  return (view) => (pattern.test(view.title) ? `title ${view.title}` : null);
}

const EVIDENCE_LENGTH_MAX = 120;

/** The reading that a rule gives, or null when it does not match. */
export function applyRule(rule: Rule, view: View, input: RuleTable["input"]): ScreenReading | null {
  const region = rule.find(view);
  if (region === null) return null;
  const needed = rule.needs.map((mark) => mark(view, region));
  if (needed.includes(null)) return null;
  if ((rule.unless ?? []).some((mark) => mark(view, region) !== null)) return null;
  const prompt = rule.prompt?.(view, region) ?? null;
  if (rule.prompt && prompt === null) return null;
  const supported = (rule.supports ?? []).map((mark) => mark(view, region));
  // The same row seen twice is no second mark.
  const marks = [...new Set([...needed, ...supported].filter((mark) => mark !== null))];
  return {
    activity: rule.activity,
    basis: "rule",
    confidence: confidenceOf(marks.length),
    evidence: [`${rule.name} (${rule.looksAt})`, ...marks.map(squeezed)],
    prompt,
    input: input(view),
  };
}

/** That the region is there is one mark; each further one halves the doubt. */
function confidenceOf(marks: number): number {
  return 1 - 0.5 ** (marks + 1);
}

function squeezed(text: string): string {
  return text
    .replace(/\s{2,}/g, " ")
    .replace(/([─▔▀╌])\1{3,}/g, "$1$1$1")
    .slice(0, EVIDENCE_LENGTH_MAX);
}
