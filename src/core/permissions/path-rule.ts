/**
 * Rules about files. A pattern is absolute (`/etc/**`), of the home folder (`~/.ssh/**`), or relative to the rule's root.
 *
 * A deny or an ask is meant for the file, however it is named: any of its names may match, in any case of letters, and a
 * relative pattern that begins with `**` is about every folder. An allow is meant for what lies under its root: every
 * real path must match, letter by letter.
 */
import {
  ANY_NAME,
  globUnder,
  literalStarts,
  globsMeet,
  globSize,
  matchesPathGlob,
  parsePathGlob,
  PatternError,
  type PathGlob,
} from "./path-glob.js";
import type { FileAccess } from "./resolved-access.js";
import type { Rule } from "./rule.js";
import { spendOnce } from "./work.js";

/** `maybe`: it would be, if the shell computed a name that matches. */
export type Reach = "yes" | "maybe" | "no";

/** For denies and asks. Who may not read a file may not change it: a change tells, or takes away, what is in it. */
export function pathRuleReaches(rule: Rule, access: FileAccess): Reach {
  const isMeant =
    rule.category === access.category || (rule.category === "Read" && access.category === "Write");
  if (!isMeant) return "no";
  const yes = access.exact ? "yes" : "maybe";
  if (rule.pattern === null) return yes;
  const patterns = patternOf(rule);
  const pattern = patterns.folded;
  if (!pattern) return "maybe";
  const bases = foldedBases(rule, patterns, pattern, access);
  const { names, globs } = foldedPaths(access);
  const isMet = access.exact
    ? bases.some((base) => names.some((path) => matchesUnder(pattern.glob, base, path)))
    : bases.some((base) => globs.some((path) => globsMeet(path, globUnder(base, pattern.glob))));
  // A name of which nothing is known may be one of Signalbox's, as it may be any.
  if (isMet) return rule.origin.kind === "builtin" && isAnything(access) ? "no" : yes;
  // Who moves or removes a folder takes along what is below it.
  const isGuarded = rule.origin.kind === "builtin" && access.category === "Write" && !pattern.isEverywhere;
  return isGuarded && isAbove(names, bases, pattern.glob) ? yes : "no";
}

function isAnything({ exact, paths }: FileAccess): boolean {
  return !exact && paths.every((path) => path.startsWith("/**") || path.endsWith(`/${ANY_NAME}`));
}

/** Whether what the pattern is about lies below one of these folders. A slash alone is often no folder. */
function isAbove(folders: readonly Names[], bases: readonly Names[], glob: PathGlob): boolean {
  const starts = bases.flatMap((base) => literalStarts(glob).map((start) => [...base, ...start]));
  return starts.some((start) =>
    folders.some(
      (folder) =>
        folder.length > 0 && folder.length <= start.length && folder.every((name, at) => name === start[at]),
    ),
  );
}

type Names = readonly string[];

/** What a rule's pattern starts from, for files of one project: nearly always the same as the last time. */
function foldedBases(
  rule: Rule,
  patterns: Patterns,
  { anchor, isEverywhere }: PathPattern,
  { project, home }: FileAccess,
): readonly Names[] {
  const last = patterns.lastBases;
  if (last?.project === project && last.home === home) return last.bases;
  const roots = [rule.origin.root ?? project, project].map((root) => baseOf(anchor, root, home));
  const folded = (isEverywhere ? [...roots, "/"] : roots).map(fold);
  const bases = [...new Set(folded)].map(namesOf);
  patterns.lastBases = { project, home, bases };
  return bases;
}

/** Of a path that is a glob itself, `globs`; of any other, `names`. */
interface FoldedPaths {
  readonly names: readonly Names[];
  readonly globs: readonly PathGlob[];
}

const foldedAccesses = new WeakMap<FileAccess, FoldedPaths>();

/** Worked out once for all rules. */
function foldedPaths(access: FileAccess): FoldedPaths {
  const known = foldedAccesses.get(access);
  if (known) return known;
  const paths = [...new Set(access.paths.filter((path) => path.startsWith("/")).map(fold))];
  const folded: FoldedPaths = access.exact
    ? { names: paths.map(namesOf), globs: [] }
    : { names: [], globs: paths.map(parsePathGlob) };
  foldedAccesses.set(access, folded);
  return folded;
}

/** For allows and grants. Who may change a file may read it. */
export function pathRuleCovers(rule: Rule, access: FileAccess): boolean {
  const isMeant =
    rule.category === access.category || (rule.category === "Write" && access.category === "Read");
  if (!isMeant) return false;
  if (rule.pattern === null) return true;
  const pattern = patternOf(rule).plain;
  if (!pattern || !access.exact || access.targets.length === 0) return false;
  const base = baseOf(pattern.anchor, rule.origin.root ?? access.project, access.home);
  const above = namesOf(base);
  return access.targets.every((path) => matchesUnder(pattern.glob, above, namesOf(path)));
}

/** What a pattern starts from: the root of all, the home folder, or so many folders above the rule's root. */
type Anchor =
  { readonly type: "all" } | { readonly type: "home" } | { readonly type: "rule"; readonly up: number };

interface PathPattern {
  readonly anchor: Anchor;
  readonly isEverywhere: boolean;
  readonly glob: PathGlob;
}

/** Throws a `PatternError`. */
export function parsePathPattern(pattern: string): PathPattern {
  if (pattern.startsWith("/"))
    return { anchor: { type: "all" }, isEverywhere: false, glob: parsePathGlob(pattern.slice(1)) };
  if (pattern === "~" || pattern.startsWith("~/"))
    return { anchor: { type: "home" }, isEverywhere: false, glob: parsePathGlob(pattern.slice(2)) };
  let up = 0;
  let rest = pattern;
  for (let step = leadingDots(rest); step; step = leadingDots(rest)) {
    if (step.startsWith("..")) up += 1;
    rest = rest.slice(step.length);
  }
  return { anchor: { type: "rule", up }, isEverywhere: rest.startsWith("**"), glob: parsePathGlob(rest) };
}

/** `./` or `../` in front. */
function leadingDots(pattern: string): string | undefined {
  return /^\.\.?(?:\/+|$)/.exec(pattern)?.[0];
}

interface Patterns {
  readonly plain: PathPattern | null;
  readonly folded: PathPattern | null;
  /** How many it took to read. */
  readonly steps: number;
  lastBases: { readonly project: string; readonly home: string; readonly bases: readonly Names[] } | null;
}

const patterns = new WeakMap<Rule, Patterns>();

/** Reads each rule's pattern once. Null for one that cannot be read: it asks, and allows nothing. */
function patternOf(rule: Rule): Patterns {
  const known = patterns.get(rule) ?? readPatterns(rule.pattern ?? "**");
  patterns.set(rule, known);
  spendOnce(known, known.steps);
  return known;
}

/** To read a part of a pattern takes much longer than to compare it. */
const STEPS_PER_PART = 8;

function readPatterns(text: string): Patterns {
  const plain = parsedOrNull(text);
  const steps = plain ? globSize(plain.glob) * STEPS_PER_PART : 0;
  return { plain, folded: parsedOrNull(fold(text)), steps, lastBases: null };
}

function parsedOrNull(text: string): PathPattern | null {
  try {
    return parsePathPattern(text);
  } catch (error) {
    if (error instanceof PatternError) return null;
    throw error;
  }
}

function baseOf(anchor: Anchor, root: string, home: string): string {
  if (anchor.type === "all") return "/";
  if (anchor.type === "home") return home;
  const names = namesOf(root);
  return `/${names.slice(0, Math.max(0, names.length - anchor.up)).join("/")}`;
}

function matchesUnder(glob: PathGlob, above: Names, names: Names): boolean {
  if (above.some((name, index) => names[index] !== name)) return false;
  return matchesPathGlob(glob, names, above.length);
}

function namesOf(path: string): Names {
  return path.split("/").filter((name) => name !== "");
}

/** File systems of some machines do not tell `.ENV` from `.env`, nor one way to write `é` from another. */
function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
