/**
 * Patterns over paths. `**` as a whole segment is any number of folders, none included; `*` is any characters of a name;
 * `?` is one; `[a-z]` and `[!a-z]` are one of a class; `{a,b}` is either; a backslash takes the next character as it is.
 * A slash at the end means all that is below. A dot in front of a name is nothing special.
 *
 * Matching remembers one star of names and one of characters, so that it costs at most the product of both lengths.
 */
import { expandBraces } from "./expand-braces.js";
import { spend } from "./work.js";

type Token =
  | { readonly type: "char"; readonly char: string }
  | { readonly type: "one" }
  | { readonly type: "class"; readonly not: boolean; readonly ranges: readonly (readonly [string, string])[] }
  | { readonly type: "star" };

type Segment =
  | { readonly type: "folders" }
  | {
      readonly type: "name";
      readonly tokens: readonly Token[];
      /** The characters that it begins with, and whether those are all of it. */
      readonly prefix: string;
      readonly isLiteral: boolean;
    };

/** Any of these lists of segments: braces are written out. */
export type PathGlob = readonly (readonly Segment[])[];

/** What is wrong with a pattern, in words. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const ALTERNATIVES_MAX = 64;
/** Of a name, nothing is known: it may begin with a dot. */
export const ANY_NAME = "{,.}*";
const STAR: Token = { type: "star" };
const FOLDERS: Segment = { type: "folders" };

/** Throws a `PatternError`. */
export function parsePathGlob(pattern: string): PathGlob {
  const alternatives = expandBraces(pattern, ALTERNATIVES_MAX);
  if (!alternatives) throw new PatternError(`its braces stand for more than ${ALTERNATIVES_MAX} patterns`);
  return alternatives.map((alternative) => splitPath(alternative).map(parseSegment));
}

/** `from`: how many names are passed over. */
export function matchesPathGlob(glob: PathGlob, names: readonly string[], from = 0): boolean {
  return glob.some((segments) => matchesList(segments, names, from, FOLDERS, matchesName));
}

/** Whether some path fits both: may a name that the shell computes be one that a rule speaks of? */
export function globsMeet(computed: PathGlob, glob: PathGlob): boolean {
  return computed.some((left) => glob.some((right) => listsMeet(left, right, FOLDERS, namesMeet)));
}

/** Of how many parts it is, with all that its braces stand for. */
export function globSize(glob: PathGlob): number {
  const sizeOf = (segment: Segment) => (segment.type === "name" ? segment.tokens.length + 1 : 1);
  return glob.reduce((sum, segments) => segments.reduce((size, each) => size + sizeOf(each), sum), 0);
}

/** The names that each alternative begins with. */
export function literalStarts(glob: PathGlob): readonly (readonly string[])[] {
  return glob.map((segments) => {
    const end = segments.findIndex((segment) => segment.type !== "name" || !segment.isLiteral);
    const start = end === -1 ? segments : segments.slice(0, end);
    return start.flatMap((segment) => (segment.type === "name" ? [segment.prefix] : []));
  });
}

/** The same pattern, below a folder. */
export function globUnder(folder: readonly string[], glob: PathGlob): PathGlob {
  const above = folder.map((name) => nameSegment(Array.from(name, literally)));
  return glob.map((segments) => [...above, ...segments]);
}

function literally(char: string): Token {
  return { type: "char", char };
}

function nameSegment(tokens: readonly Token[]): Segment {
  const end = tokens.findIndex(({ type }) => type !== "char");
  const chars = end === -1 ? tokens : tokens.slice(0, end);
  const prefix = chars.map((token) => (token.type === "char" ? token.char : "")).join("");
  return { type: "name", tokens, prefix, isLiteral: end === -1 };
}

/** Takes as little as possible, and one more with the newest star whenever that fails. */
function matchesList<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  from: number,
  star: P,
  fits: (one: P, item: T) => boolean,
): boolean {
  let at = 0;
  let starAt = -1;
  let resumeAt = from;
  let index = from;
  spend(1);
  while (index < items.length) {
    spend(1);
    const one = pattern[at];
    const item = items[index] as T;
    if (one !== undefined && one === star) {
      starAt = at;
      resumeAt = index;
      at += 1;
    } else if (one !== undefined && fits(one, item)) {
      at += 1;
      index += 1;
    } else if (starAt >= 0) {
      at = starAt + 1;
      resumeAt += 1;
      index = resumeAt;
    } else return false;
  }
  while (pattern[at] === star) at += 1;
  return at === pattern.length;
}

function matchesName(segment: Segment, name: string): boolean {
  if (segment.type !== "name") return false;
  if (segment.isLiteral) return segment.prefix === name;
  // Most names are told apart by how they begin.
  return name.startsWith(segment.prefix) && matchesList(segment.tokens, Array.from(name), 0, STAR, fitsChar);
}

function fitsChar(token: Token, char: string): boolean {
  switch (token.type) {
    case "char":
      return token.char === char;
    case "one":
    case "star":
      return true;
    case "class":
      return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.not;
  }
}

/** Whether two lists with stars have anything in common. Each pair of places is looked at once, from the end. */
function listsMeet<P>(
  left: readonly P[],
  right: readonly P[],
  star: P,
  meet: (one: P, other: P) => boolean,
): boolean {
  spend((left.length + 1) * (right.length + 1));
  let below: boolean[] = [];
  for (let l = left.length; l >= 0; l -= 1) {
    const row: boolean[] = [];
    for (let r = right.length; r >= 0; r -= 1) {
      const one = left[l];
      const other = right[r];
      const skipLeft = one !== undefined && below[r] === true;
      const skipRight = other !== undefined && row[r + 1] === true;
      if (one === undefined && other === undefined) row[r] = true;
      else if (one === star || other === star) row[r] = skipLeft || skipRight;
      else row[r] = one !== undefined && other !== undefined && below[r + 1] === true && meet(one, other);
    }
    below = row;
  }
  return below[0] === true;
}

/** The wildcards of the shell do not match a dot in front of a name. */
function namesMeet(computed: Segment, segment: Segment): boolean {
  if (computed.type !== "name" || segment.type !== "name") return false;
  const [first] = computed.tokens;
  const [wanted] = segment.tokens;
  if (first && first.type !== "char" && wanted?.type === "char" && wanted.char === ".") return false;
  return listsMeet(computed.tokens, segment.tokens, STAR, tokensMeet);
}

/** A class is taken to have something in common with anything: at worst a person is asked. */
function tokensMeet(one: Token, other: Token): boolean {
  return one.type !== "char" || other.type !== "char" || one.char === other.char;
}

/** The names of a pattern; those of a path have no backslashes and are split by hand. */
function splitPath(pattern: string): readonly string[] {
  const parts = pattern.split("/");
  const isBelow = parts.length > 1 && parts.at(-1) === "";
  const names = parts.filter((part) => part !== "");
  return isBelow ? [...names, "**"] : names;
}

function parseSegment(text: string): Segment {
  if (text === "**") return FOLDERS;
  const tokens: Token[] = [];
  for (let index = 0; index < text.length;) {
    const { token, end } = readToken(text, index);
    if (token !== STAR || tokens.at(-1) !== STAR) tokens.push(token);
    index = end;
  }
  return nameSegment(tokens);
}

interface Read {
  readonly token: Token;
  readonly end: number;
}

function readToken(text: string, index: number): Read {
  switch (text[index]) {
    case "*":
      return { token: STAR, end: index + 1 };
    case "?":
      return { token: { type: "one" }, end: index + 1 };
    case "[":
      return readClass(text, index);
    case "\\":
      return readChar(text, index + 1);
    default:
      return readChar(text, index);
  }
}

function readChar(text: string, index: number): Read {
  const code = text.codePointAt(index);
  if (code === undefined) throw new PatternError("the backslash at the end of a name takes nothing");
  const char = String.fromCodePoint(code);
  return { token: { type: "char", char }, end: index + char.length };
}

function readClass(text: string, start: number): Read {
  const not = text[start + 1] === "!" || text[start + 1] === "^";
  const first = start + (not ? 2 : 1);
  const ranges: (readonly [string, string])[] = [];
  let index = first;
  while (text[index] !== "]" || index === first) {
    if (text[index] === "\\") index += 1;
    const from = text[index];
    if (from === undefined) throw new PatternError("the class that begins with [ has no ]");
    const to = text[index + 1] === "-" && text[index + 2] !== "]" ? text[index + 2] : undefined;
    ranges.push([from, to ?? from]);
    index += to === undefined ? 1 : 3;
  }
  return { token: { type: "class", not, ranges }, end: index + 1 };
}

/** Writes a path so that it stands for itself alone. */
export function escapePath(path: string): string {
  return path.replace(/[\\*?[\]{}()]/g, "\\$&").replace(/^~/, "\\~");
}
