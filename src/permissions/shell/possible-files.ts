/**
 * Files that a word may name, of a program that is not known: the word itself, what it holds behind a sign (`src=a,dst=b`,
 * `HEAD:a`, `-fa`), and what stands in quotes in a text of code. Nothing of that is certain.
 */
import { isOptionWord } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

type FileWord = Pick<ShellWord, "path" | "exact">;

const SIGNS = /[\s"'`()[\]{}<>;|&,=:@!+#]+/;
const LENGTH_MAX = 4_096;
/** Of more pieces than that, only those count that look like a path. */
const PIECES_MAX = 16;
const PATHS_MAX = 100;

export function possibleWords(word: ShellWord, isText: boolean): readonly FileWord[] {
  const paths = [...new Set(pathsOf(word, isText))].filter((each) => each !== "" && each.length < LENGTH_MAX);
  return paths.map((path) => ({ path, exact: word.isPattern !== true }));
}

/** A pattern stands for the files that fit it. Of what is computed, only the text counts in which it stands. */
function pathsOf({ value, path, exact, isPattern }: ShellWord, isText: boolean): readonly string[] {
  if (isPattern) return [...namesIn(path), ...path.split(":").slice(1)];
  // The words of a message are not names.
  const isMessage = isText && /\s/.test(value);
  if (exact) return [...namesIn(path), ...(isMessage ? [] : pathsIn(path))];
  return isMessage ? [] : writtenIn(value);
}

/** The word, or what it holds behind a sign. */
function namesIn(text: string): readonly string[] {
  const behind = [/^[^=]*=@?(.+)$/s, /^@(.+)$/s].map((sign) => sign.exec(text)?.[1]);
  const attached = isOptionWord(text) ? /^-[A-Za-z](.+)$/s.exec(text)?.[1] : text;
  return [attached, ...behind].filter((each) => each !== undefined);
}

const COMPUTED = /\$\{[^}]*\}|\$\w+|\$\([^)]*\)|`[^`]*`/g;
const DEFAULT = /\$\{?\w*:?[-=+?]?/g;

/** `secret/$x` and `${x:-secret}/y`: what is left without the computed parts, and what stands in them. */
function writtenIn(text: string): readonly string[] {
  const pieces = [text.replace(COMPUTED, ""), ...pathsIn(text.replace(DEFAULT, " "))];
  return pieces.map((piece) => piece.replace(/^\/+/, ""));
}

function pathsIn(text: string): readonly string[] {
  if (!SIGNS.test(text)) return [];
  const pieces = text.split(SIGNS).filter((piece) => /[A-Za-z~]/.test(piece) && !isOptionWord(piece));
  const likely = pieces.length > PIECES_MAX ? pieces.filter((piece) => /[/.~]/.test(piece)) : pieces;
  // In code, the home folder often stands before the text, as in `home + "/.ssh"`.
  return likely
    .slice(0, PATHS_MAX)
    .flatMap((piece) => (piece.startsWith("/.") ? [piece, `~${piece}`] : [piece]));
}
