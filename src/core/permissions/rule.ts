/** One line of a permission file: `Category(pattern)`, what it does, and where it stands. */
import { CATEGORIES, type Category } from "./access.js";
import { PatternError } from "./path-glob.js";
import { checkPattern } from "./check-pattern.js";

/** Where a rule comes from. */
export interface RuleOrigin {
  /** Null for grants of a session and for what is built in. */
  readonly file: string | null;
  readonly line: number | null;
  readonly kind: "global" | "project" | "grant" | "builtin";
  /**
   * The folder that relative path patterns start from: a real path, without links. Null: the session's project.
   */
  readonly root: string | null;
}

export interface Rule {
  readonly effect: "allow" | "ask" | "deny" | "grant";
  readonly category: Category;
  /** Null: `Shell` without parentheses, which is everything of that category. */
  readonly pattern: string | null;
  /** As it is written. */
  readonly text: string;
  readonly origin: RuleOrigin;
}

export type ParsedRule =
  | { readonly ok: true; readonly category: Category; readonly pattern: string | null }
  | { readonly ok: false; readonly message: string };

const EXAMPLES: Readonly<Record<Category, string>> = {
  Read: "Read(src/**)",
  Write: "Write(package.json)",
  Shell: "Shell(npm test *)",
  Mcp: "Mcp(github/get_*)",
  Web: "Web(*.example.org)",
  Tool: "Tool(TodoWrite)",
};

const TEXT_LENGTH_MAX = 10_000;
/** Each is tried at every place. */
const STARS_MAX = 32;

/** Also letters that have no shape of their own, such as the filler of Hangul and the empty pattern of Braille. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Reads `Category(pattern)`; what is wrong is said in words, with what was expected. */
export function parseRule(text: string): ParsedRule {
  const rule = text.trim();
  if (rule.length > TEXT_LENGTH_MAX) return flaw(`a rule has at most ${TEXT_LENGTH_MAX} characters`);
  const open = rule.indexOf("(");
  const name = open === -1 ? rule : rule.slice(0, open);
  const category = CATEGORIES.find((known) => known === name);
  if (!category) return flaw(unknownCategory(name, rule));
  if (open === -1) return { ok: true, category, pattern: null };
  const pattern = rule.slice(open + 1, -1);
  const problem = parenthesesFlaw(rule, open) ?? patternFlaw(category, pattern);
  if (problem !== null)
    return flaw(`${quoted(rule)}: ${problem}; expected something like ${EXAMPLES[category]}`);
  return { ok: true, category, pattern };
}

function flaw(message: string): ParsedRule {
  return { ok: false, message };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

function unknownCategory(name: string, rule: string): string {
  const expected = `expected one of ${CATEGORIES.join(", ")}, as in ${EXAMPLES.Shell}`;
  if (rule === "") return `a rule is empty; ${expected}`;
  if (name === "") return `${quoted(rule)} names no category; ${expected}`;
  const near = CATEGORIES.find((known) => known.toLowerCase() === name.trim().toLowerCase());
  if (near) return `${quoted(name)} is not a category; write ${near}`;
  if (/[^\x20-\x7e]/.test(name))
    return `${quoted(name)} has letters that only look like those of a category; ${expected}`;
  return `${quoted(name)} is not a category; ${expected}`;
}

/** The first parenthesis must be closed by the last character, and by none before it. */
function parenthesesFlaw(rule: string, open: number): string | null {
  let depth = 0;
  for (let index = open; index < rule.length; index += 1) {
    if (rule[index] === "\\") index += 1;
    else if (rule[index] === "(") depth += 1;
    else if (rule[index] === ")") depth -= 1;
    if (depth === 0)
      return index === rule.length - 1 ? null : `there is more after the parenthesis that closes the pattern`;
  }
  return "the parenthesis of the pattern is not closed";
}

function starCount(pattern: string): number {
  return pattern.replace(/\\./gs, "").match(/\*+/g)?.length ?? 0;
}

function patternFlaw(category: Category, pattern: string): string | null {
  if (pattern.trim() === "") return `the pattern is empty; write ${category} alone for everything`;
  // What cannot be seen cannot be checked by who reads the file.
  if (UNSEEN.test(pattern.replace(/\\[\n\t]/g, ""))) return "the pattern has a character that cannot be seen";
  if (starCount(pattern) > STARS_MAX) return `the pattern has more than ${STARS_MAX} stars`;
  try {
    checkPattern(category, pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
