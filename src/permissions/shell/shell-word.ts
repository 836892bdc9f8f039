/** Words of a command, with quotes and braces resolved as bash does it. */
import type { DoubleQuotedChild, Word, WordPart } from "unbash";
import { expandBraces } from "../../core/permissions/expand-braces.js";
import { escapePath } from "../../core/permissions/path-glob.js";

export interface ShellWord {
  /** Its value; as it is written when the shell computes it. */
  readonly value: string;
  /** The shell computes it: its value is not known, and it may be several words. */
  readonly unknown: boolean;
  /** However it is computed, it is one word: the quotes around it say so. */
  readonly isOneWord?: true;
  /** It is written so that a reader does not see what it is: `$'\x72m'`, `{rm,-rf}`. */
  readonly disguised: boolean;
  /** The file it would name; `~` is the home folder. */
  readonly path: string;
  /** False: `path` is a glob. */
  readonly exact: boolean;
  /** It is a glob as it is written: the names of files that fit it. */
  readonly isPattern?: true;
  /** `a=(b c)`, which the shell itself reads. */
  readonly isList?: true;
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

/** In the source. Texts of here-documents are no words. */
export const WORD_LENGTH_MAX = 16 * 1024;
const SHOWN_LENGTH = 100;

/** One word of the source may be several, and none. */
export function readWord(word: Word): readonly ShellWord[] {
  const { text } = word;
  // Who reads the line hides it then.
  if (text.length > WORD_LENGTH_MAX)
    return [{ ...UNKNOWN_WORD, value: text.slice(0, SHOWN_LENGTH), disguised: true }];
  const { parts, value } = word;
  // Folders where the shell was before.
  if (/^~(?:-|\+?\d)/.test(text))
    return [{ value, unknown: true, disguised: false, path: "/**", exact: false }];
  if (!parts) return [{ ...literalWord(value), path: homePath(value, text.startsWith("~")) }];
  const ways = combine(parts.map(readPart));
  if (!ways) return [{ value, unknown: true, disguised: true, path: "/**", exact: false }];
  const words = ways.map((pieces) => join(pieces, value, text.startsWith("~")));
  // Braces may leave nothing of a word, and then there is none. Quotes keep an empty one.
  return /["']/.test(text) ? words : words.filter((word) => word.value !== "");
}

/** `~` in quotes is a name like any other. */
function homePath(value: string, isHome: boolean): string {
  if (isHome && /^~\+(?:\/|$)/.test(value)) return `.${value.slice(2)}`;
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
  /** A whole path, at the beginning of a word. */
  readonly isFolder?: true;
}

function known(value: string): Piece {
  return { value, unknown: false, disguised: false, path: value, isGlob: false };
}

function computed(value: string): Piece {
  return { value, unknown: true, disguised: false, path: null, isGlob: false };
}

/** What a part may be, as pieces: braces may be one of several. */
type Ways = readonly (readonly Piece[])[];

function readPart(part: WordPart): Ways {
  const readQuoted = (inner: DoubleQuotedChild) => readPart(inner).flat();
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [[known(part.value)]];
    case "AnsiCQuoted":
      // The parser does not know this form of a number.
      return [
        [{ ...(part.text.includes("\\x{") ? computed(part.text) : known(part.value)), disguised: true }],
      ];
    case "DoubleQuoted":
      return [part.parts.flatMap(readQuoted)];
    case "LocaleString":
      return [part.parts.flatMap(readQuoted).map((piece) => ({ ...piece, disguised: true }))];
    case "Glob":
      return [[{ ...computed(part.value), path: part.kind === "star" ? "*" : "?", isGlob: true }]];
    case "SimpleExpansion":
    case "ParameterExpansion":
      return [[readVariable(part.text)]];
    case "BraceExpansion":
      return readBraces(part.text);
    case "CommandExpansion":
      return [
        [/^\$\(\s*pwd\s*\)$/.test(part.text) ? { ...computed(part.text), path: "." } : computed(part.text)],
      ];
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
      return [[computed(part.text)]];
  }
}

/** Of two variables the value is always known: lines that set them are never allowed. */
function readVariable(text: string): Piece {
  const [, braced, name = braced ?? ""] = /^\$(?:\{(\w+)\}|(\w+))$/.exec(text) ?? [];
  if (name !== "HOME" && name !== "PWD") return computed(text);
  return { ...computed(text), path: name === "HOME" ? "~" : ".", isFolder: true };
}

const BRACED_WORDS_MAX = 64;
/** Over all words that the braces of one stand for. */
const PIECES_MAX = 4_096;

function readBraces(text: string): Ways {
  const isPlain = !/["'\\$`]/.test(text);
  const expanded = isPlain ? expandBraces(text, BRACED_WORDS_MAX) : null;
  // `{a..z}` stays as it is.
  if (!expanded || expanded.some((each) => each.includes("{")))
    return [[{ ...computed(text), disguised: true }]];
  return expanded.map((value) => [{ ...known(value), disguised: true }]);
}

/** Every way to choose one of each part; null when there are too many. */
function combine(parts: readonly Ways[]): Ways | null {
  let chosen: Piece[][] = [[]];
  let count = 0;
  for (const ways of parts) {
    const [only = []] = ways;
    // Nearly every part is one thing, and only added.
    if (ways.length === 1) for (const pieces of chosen) pieces.push(...only);
    else chosen = chosen.flatMap((pieces) => ways.map((way) => [...pieces, ...way]));
    count += chosen.length * only.length;
    if (chosen.length > BRACED_WORDS_MAX || count > PIECES_MAX) return null;
  }
  return chosen;
}

function join(all: readonly Piece[], written: string, isHome: boolean): ShellWord {
  const unknown = all.some((piece) => piece.unknown);
  const disguised = all.some((piece) => piece.disguised);
  const pieces = all.slice(leadingNothings(all));
  const value = unknown && !disguised ? written : all.map((piece) => piece.value).join("");
  const isVariable = pieces[0]?.unknown === true && pieces[0].path !== null && !pieces[0].isGlob;
  const exact = pieces.every((piece) => piece.path !== null && !piece.isGlob);
  const path = exact
    ? homePath(pieces.map((piece) => piece.path).join(""), isHome || isVariable)
    : homeGlob(globOf(pieces), isHome || isVariable);
  const isPattern =
    !exact &&
    pieces.every(
      (piece) => piece.path !== null && (piece.isGlob || piece.isFolder === true || !piece.unknown),
    );
  return { value, unknown, disguised, path, exact, ...(isPattern ? { isPattern } : {}) };
}

/** Before a whole path, nothing and slashes say nothing: `''$HOME`, `/$PWD`. */
function leadingNothings(pieces: readonly Piece[]): number {
  const folder = pieces.findIndex((piece) => piece.isFolder);
  const before = pieces.slice(0, Math.max(0, folder)).map((piece) => piece.path ?? "-");
  return /^(?:\/+proc\/+(?:self|thread-self|\d+)\/+root)?(?:\/[/.]*)?$/.test(before.join(""))
    ? Math.max(0, folder)
    : 0;
}

/** `~/.ssh/id_*` begins at the home folder, as `~/.ssh` does. */
function homeGlob(glob: string, isHome: boolean): string {
  return isHome && glob.startsWith("\\~") ? glob.slice(1) : glob;
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
