/** Words of a command, with quotes and braces resolved as bash does it. */
import type { Word, WordPart } from "unbash";
import { expandBraces } from "../../core/permissions/expand-braces.js";
import { escapePath } from "../../core/permissions/path-glob.js";

export interface ShellWord {
  /** Its value; as it is written when the shell computes it. */
  readonly value: string;
  /** The shell computes it: its value is not known, and it may be several words. */
  readonly unknown: boolean;
  /** It is written so that a reader does not see what it is: `$'\x72m'`, `{rm,-rf}`. */
  readonly disguised: boolean;
  /** The file it would name; `~` is the home folder. */
  readonly path: string;
  /** False: `path` is a glob. */
  readonly exact: boolean;
}

export function literalWord(value: string): ShellWord {
  return { value, unknown: false, disguised: false, path: value, exact: true };
}

/** For a word that will be there, and of which nothing is known. */
export const UNKNOWN_WORD: ShellWord = {
  value: "…",
  unknown: true,
  disguised: false,
  path: "/**",
  exact: false,
};

/** One word of the source may be several, and none. */
export function readWord(word: Word): readonly ShellWord[] {
  const { parts, value, text } = word;
  if (!parts) return [{ ...literalWord(value), path: homePath(value, text.startsWith("~")) }];
  const pieces = parts.map(readPart);
  const combined = combine(pieces);
  if (!combined) return [{ ...UNKNOWN_WORD, value, disguised: true }];
  return combined.map((list) => join(list, value, text.startsWith("~")));
}

/** `~` in quotes is a name like any other. */
function homePath(value: string, isHome: boolean): string {
  return value.startsWith("~") && !isHome ? `./${value}` : value;
}

/** A piece of a word. `path` null: any characters, slashes too. */
interface Piece {
  readonly value: string;
  readonly unknown: boolean;
  readonly disguised: boolean;
  readonly path: string | null;
  /** `path` is a pattern. */
  readonly isGlob: boolean;
}

function known(value: string): Piece {
  return { value, unknown: false, disguised: false, path: value, isGlob: false };
}

function computed(value: string): Piece {
  return { value, unknown: true, disguised: false, path: null, isGlob: false };
}

/** The pieces that a part may be: several for braces. */
function readPart(part: WordPart): readonly Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [known(part.value)];
    case "AnsiCQuoted":
      return [{ ...known(part.value), disguised: true }];
    case "DoubleQuoted":
      return [joinQuoted(part.parts)];
    case "LocaleString":
      return [{ ...joinQuoted(part.parts), disguised: true }];
    case "Glob":
      return [{ ...computed(part.value), path: part.kind === "star" ? "*" : "?", isGlob: true }];
    case "SimpleExpansion":
    case "ParameterExpansion":
      return [readVariable(part.text)];
    case "BraceExpansion":
      return readBraces(part.text);
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
      return [computed(part.text)];
  }
}

function joinQuoted(parts: readonly WordPart[]): Piece {
  const pieces = parts.flatMap(readPart);
  return {
    value: pieces.map((piece) => piece.value).join(""),
    unknown: pieces.some((piece) => piece.unknown),
    disguised: false,
    path: pieces.some((piece) => piece.path === null) ? null : pieces.map((piece) => piece.path).join(""),
    isGlob: false,
  };
}

/** The two variables whose value is known: lines that set them are never allowed. */
function readVariable(text: string): Piece {
  const name = /^\$\{?(HOME|PWD)\}?$/.exec(text)?.[1];
  if (name === undefined) return computed(text);
  return { ...computed(text), path: name === "HOME" ? "~" : "." };
}

const BRACED_WORDS_MAX = 64;

function readBraces(text: string): readonly Piece[] {
  const isPlain = !/["'\\$`]/.test(text);
  const expanded = isPlain ? expandBraces(text, BRACED_WORDS_MAX) : null;
  // `{a..z}` stays as it is.
  if (!expanded || expanded.some((each) => each.includes("{")))
    return [{ ...computed(text), disguised: true }];
  return expanded.map((value) => ({ ...known(value), disguised: true }));
}

/** Every way to choose one piece of each part; null when there are too many. */
function combine(parts: readonly (readonly Piece[])[]): readonly (readonly Piece[])[] | null {
  let lists: readonly (readonly Piece[])[] = [[]];
  for (const options of parts) {
    lists = lists.flatMap((list) => options.map((option) => [...list, option]));
    if (lists.length > BRACED_WORDS_MAX) return null;
  }
  return lists;
}

function join(pieces: readonly Piece[], written: string, isHome: boolean): ShellWord {
  const unknown = pieces.some((piece) => piece.unknown);
  const disguised = pieces.some((piece) => piece.disguised);
  const value = unknown && !disguised ? written : pieces.map((piece) => piece.value).join("");
  const isVariable = pieces[0]?.unknown === true && pieces[0].path !== null && !pieces[0].isGlob;
  const exact = pieces.every((piece) => piece.path !== null && !piece.isGlob);
  const path = exact
    ? homePath(pieces.map((piece) => piece.path).join(""), isHome || isVariable)
    : globOf(pieces);
  return { value, unknown, disguised, path, exact };
}

/**
 * What a computed name may be, as a pattern. What stands before a part of which nothing is known says nothing either, as
 * that part may begin with `/../..`.
 */
function globOf(pieces: readonly Piece[]): string {
  const last = pieces.findLastIndex((piece) => piece.path === null);
  const tail = pieces
    .slice(last + 1)
    .map((piece) => (piece.isGlob ? piece.path : escapePath(piece.path ?? "")))
    .join("");
  if (last === -1) return tail;
  return tail === "" || tail.startsWith("/") ? `/**${tail}` : `/**/{,.}*${tail}`;
}
