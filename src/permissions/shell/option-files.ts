/** The files that options of a program name. */
import { markedFiles } from "./curl-files.js";
import type { OperandFile } from "./file-operands.js";
import type { FileOptions, FileProgram } from "./file-programs.js";
import { isOptionWord } from "./option-words.js";
import { UNKNOWN_WORD, type ShellWord } from "./shell-word.js";

/** Files that are named as the value of an option. */
export function optionFiles(words: readonly ShellWord[], program: FileProgram): readonly OperandFile[] {
  const { writes, outputs, reads, readsBehindAt, chooses } = program;
  const named = (options: FileOptions | undefined) =>
    options ? words.flatMap((word, index) => optionValues(word, words[index + 1], options, program)) : [];
  return [
    ...named(reads).flatMap(markedFiles).map(read),
    ...named(readsBehindAt).flatMap(fileBehindAt),
    ...named(writes).filter(isFile).map(written),
    ...named(outputs).filter(isFile).map(output),
    ...named(chooses).flatMap(chosenFiles),
  ];
}

/** The value of a word that is such an option: behind `=`, behind its letter in a group of letters, or the next word. */
export function optionValues(
  word: ShellWord,
  next: ShellWord | undefined,
  { letters = "", long = [] }: FileOptions,
  program: FileProgram,
): readonly ShellWord[] {
  // With `$HOME` in it, its path is what counts.
  const value = word.exact ? word.path : word.value;
  const apart = next ? [next] : [];
  if (program.hasLongNames || value.startsWith("--")) {
    if (!isNamed(value, long, program)) return [];
    const attached = /^--[^=]+=(.*)$/s.exec(value)?.[1];
    return attached === undefined ? apart : [pieceOf(word, attached)];
  }
  if (!isOptionWord(value)) return [];
  for (const [at, letter] of Array.from(value).entries()) {
    if (at === 0) continue;
    const rest = value.slice(at + 1);
    if (letters.includes(letter)) return rest === "" ? apart : [pieceOf(word, rest)];
    if (program.letters?.includes(letter)) return [];
  }
  return [];
}

/** Whether an option is one of these, by its name or by the beginning of it. */
function isNamed(option: string, long: readonly string[], program: FileProgram): boolean {
  const [name = ""] = option.replace(/^--?/, "").split("=", 1);
  if (program.hasLongNames) return isOptionWord(option) && long.includes(name);
  const { reads, readsBehindAt, writes, outputs, chooses, whole = [] } = program;
  const others = [reads, readsBehindAt, writes, outputs, chooses].map((each) => each?.long ?? []);
  const isWhole = [whole, ...others].some((names) => names.includes(name));
  return name !== "" && long.some((known) => name.startsWith(known) || (!isWhole && known.startsWith(name)));
}

function pieceOf(word: ShellWord, value: string): ShellWord {
  return { ...word, value, path: word.exact || word.isPattern ? value : UNKNOWN_WORD.path };
}

/** A single dash is what the program reads from, or prints to. */
function isFile({ value }: ShellWord): boolean {
  return value !== "-";
}

/** A text that begins with something else is none, whatever is put into it. */
function fileBehindAt(word: ShellWord): readonly OperandFile[] {
  if (word.value.startsWith("@")) return markedFiles(word).map(read);
  const isText = word.exact || (word.isOneWord && /^[\w{"'[&]/.test(word.value));
  return isText ? [] : [read(word)];
}

/** Of `--include=.env`, every file of that name. A star in front is about nothing in particular. */
function chosenFiles({ path }: ShellWord): readonly OperandFile[] {
  if (/^[*!]/.test(path)) return [];
  return [{ category: "Read", word: { path: `**/${path}`, exact: false }, certain: true }];
}

/** Of which nothing is known. */
export const ANY_FILE: OperandFile["word"] = { path: "/**", exact: false };

export function read(word: OperandFile["word"]): OperandFile {
  return { category: "Read", word, certain: true };
}

export function written(word: OperandFile["word"]): OperandFile {
  return { category: "Write", word, certain: true };
}

/** By a program that only seems to read. */
export function output(word: OperandFile["word"]): OperandFile {
  return { ...written(word), isOutput: true };
}
