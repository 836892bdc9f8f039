/**
 * Files that a word may name, of a program that is not known: the word itself, what it holds behind a sign (`src=a,dst=b`,
 * `HEAD:a`, `-fa`), and what stands in quotes in a text of code. Nothing of that is certain.
 */
import { isOptionWord } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

const SIGNS = /[\s"'`()[\]{}<>;|&,=:@!+#]+/;
const LENGTH_MAX = 4_096;
/** Of more pieces than that, only those count that look like a path. */
const PIECES_MAX = 16;
const PATHS_MAX = 100;

/** What is computed says nothing: such a program may use any file, whether it is told to or not. */
export function possiblePaths({ path, exact }: ShellWord, isText: boolean): readonly string[] {
  if (!exact) return [];
  const isOption = isOptionWord(path);
  const held = [/^[^=]*=@?(.+)$/s.exec(path)?.[1], /^@(.+)$/s.exec(path)?.[1]];
  const attached = isOption ? /^-[A-Za-z](.+)$/s.exec(path)?.[1] : path;
  // The words of a message are not names.
  const pieces = isText && /\s/.test(path) ? [] : pathsIn(path);
  const all = [attached, ...held, ...pieces].filter((each) => each !== undefined);
  return [...new Set(all)].filter((each) => each !== "" && each.length < LENGTH_MAX);
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
