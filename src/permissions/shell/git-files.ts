/** The files that commands of git read and write. */
import type { OperandFile } from "./file-operands.js";
import type { FileProgram } from "./file-programs.js";
import { inFolder } from "./destinations.js";
import { ANY_FILE, optionFiles, output, read } from "./option-files.js";
import { isOptionWord, skipOptions, takesNext } from "./option-words.js";
import { withoutMessages } from "./option-values.js";
import { possibleWords } from "./possible-files.js";
import type { ShellWord } from "./shell-word.js";
import { GIT_GLOBAL } from "./unwrap-git.js";

/** They change no file that a person works with. */
const READERS = new Set(
  [
    "add annotate blame branch cat-file check-ignore cherry commit count-objects describe diff diff-files diff-index",
    "diff-tree for-each-ref grep hash-object log ls-files ls-tree merge-base name-rev push range-diff reflog rev-list",
    "rev-parse shortlog show show-ref stage status tag whatchanged",
  ]
    .join(" ")
    .split(" "),
);
/** They print what is in a file that they are given, or what changed in it. */
const PRINTERS = new Set(["annotate", "blame", "cat-file", "diff", "show"]);
/** Their operands are mostly files. */
const NAMES_FILES = new Set(["annotate", "blame"]);
/** They do so with files behind `--`. */
const PATH_PRINTERS: ReadonlyMap<string, RegExp> = new Map([
  ["grep", /^/],
  ["log", /^(?:-[A-Za-z]*[pu]|--patch|-L)/],
]);
/** Options whose value is a file that is read. */
const MESSAGE = { kind: "none", letters: "mCctu", reads: { letters: "F", long: ["file"] } } as const;
const OPTION_FILES: ReadonlyMap<string, FileProgram> = new Map<string, FileProgram>([
  ...["commit", "merge", "notes", "tag"].map((command) => [command, MESSAGE] as const),
  ["config", { kind: "none", reads: { letters: "f", long: ["file"] } }],
]);

/** Of a folder, they take all that is below. */
const TAKES_FOLDERS = new Set(["checkout", "checkout-index", "clean", "grep", "mv", "restore", "rm"]);
/** Without a name, they take the folder that they run in. */
const LOOKS_AROUND = new Set(["clean", "grep"]);
const GREP_VALUES = { letters: "ABCefm", long: ["after-context", "before-context", "context", "max-depth"] };

export function gitFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const { index, isSure } = skipOptions(words, 1, GIT_GLOBAL);
  const command = isSure && words[index]?.unknown === false ? words[index].value : "";
  const isReading = READERS.has(command) || (command === "stash" && isLooking(words[index + 1]));
  // Before the command stand options of git itself.
  const given = index === 1 ? withoutMessages(words) : words;
  const possible = given.slice(1).flatMap((word) => possibleFiles(word, isReading ? "Read" : "Write"));
  const rest = words.slice(index + 1);
  const options = OPTION_FILES.get(command);
  const named = [
    ...possible,
    ...printedWords(command, rest).flatMap(printedFile),
    ...placesOf(command, rest, isReading),
    ...(NAMES_FILES.has(command) && rest.some(({ unknown, isPattern }) => unknown && !isPattern)
      ? [read(ANY_FILE)]
      : []),
  ];
  const isDeep = takesFolders(command, rest);
  const files = [
    ...outputs(words.slice(1)),
    ...(isDeep ? named.map((file) => ({ ...file, isDeep })) : named),
    ...(options ? optionFiles(rest, options) : []),
  ];
  return [...files, ...filesElsewhere(files, words.slice(1, index))];
}

function printedWords(command: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  if (PRINTERS.has(command)) return rest;
  const end = rest.findIndex(({ value }) => value === "--");
  const option = PATH_PRINTERS.get(command);
  return end !== -1 && option && rest.some(({ value }) => option.test(value)) ? rest.slice(end + 1) : [];
}

/** With `-C` or another work tree, names start from that folder; those of a commit mostly do not. */
function filesElsewhere(
  files: readonly OperandFile[],
  options: readonly ShellWord[],
): readonly OperandFile[] {
  let folder: OperandFile["word"] | null = null;
  for (const [at, { value }] of options.entries()) {
    const attached = /^--work-tree=(.+)$/s.exec(value)?.[1];
    const isApart = value === "-C" || value === "--work-tree";
    const next = attached === undefined ? options[at + 1] : { path: attached, exact: true };
    if ((isApart || attached !== undefined) && next?.exact) folder = folder ? inFolder(folder, next) : next;
  }
  const there = folder;
  if (!there) return [];
  return files.map((file) => ({ ...file, word: inFolder(there, file.word) }));
}

/** Options with which a command changes what git keeps in mind, and no file. */
const KEEPS_FILES: ReadonlyMap<string, RegExp> = new Map([
  ["clean", /^(?:-[a-zA-Z]*n|--dry-run$)/],
  ["mv", /^(?:-[a-zA-Z]*n|--dry-run$)/],
  ["restore", /^(?:-[a-zA-Z]*S|--staged$)/],
  ["rm", /^(?:-[a-zA-Z]*n|--dry-run$|--cached$)/],
]);

function takesFolders(command: string, rest: readonly ShellWord[]): boolean {
  const has = (option: RegExp) => rest.some(({ value }) => option.test(value));
  if (command === "diff") return has(/^--no-index$/);
  const keeps = KEEPS_FILES.get(command);
  const isKept = keeps !== undefined && has(keeps) && !(command === "restore" && has(/^(?:-[a-zA-Z]*W|--w)/));
  return TAKES_FOLDERS.has(command) && !isKept;
}

/** Where it looks by itself, and what `:/` and its like, and computed names of files, may stand for. */
function placesOf(command: string, rest: readonly ShellWord[], isReading: boolean): readonly OperandFile[] {
  if (!takesFolders(command, rest)) return [];
  const category = isReading ? "Read" : "Write";
  const valued = command === "grep" ? GREP_VALUES : {};
  const operands = rest.filter(
    ({ value }, at) => !isOptionWord(value) && !takesNext(rest[at - 1]?.value ?? "", valued),
  );
  const isFirstPattern = command === "grep" && !rest.some(({ value }) => /^-[A-Za-z]*[ef]/.test(value));
  const isAround = LOOKS_AROUND.has(command) && operands.length <= (isFirstPattern ? 1 : 0);
  const end = rest.findIndex(({ value }) => value === "--");
  const surely = command === "checkout" ? (end === -1 ? [] : rest.slice(end + 1)) : operands;
  const isMagic =
    operands.some(({ value }) => /^:[^:]/.test(value)) ||
    surely.some(({ unknown, isPattern }) => unknown && !isPattern);
  return [
    ...(isAround ? [{ category, word: { path: ".", exact: true }, certain: true } as const] : []),
    ...(isMagic ? [{ category, word: { path: "/**", exact: false }, certain: false } as const] : []),
  ];
}

function isLooking(word: ShellWord | undefined): boolean {
  return word?.unknown === false && /^(?:list|show)$/.test(word.value);
}

function possibleFiles(word: ShellWord, category: OperandFile["category"]): readonly OperandFile[] {
  return possibleWords(word, true).map((file) => ({ category, word: file, certain: false }));
}

/** `.env`, `HEAD:.env`. A name of which nothing is known is mostly one of a commit. */
function printedFile({ value, path, exact, isPattern }: ShellWord): readonly OperandFile[] {
  if (isOptionWord(value)) return [];
  if (exact || isPattern) return [read({ path: INSIDE.exec(path)?.[1] ?? path, exact })];
  const inside = INSIDE.exec(value.replace(/\$\{[^}]*\}/g, "$"))?.[1];
  if (inside === undefined) return [];
  return [read(/[$`*?[{…]/.test(inside) ? ANY_FILE : { path: inside, exact: true })];
}

const INSIDE = /^[^:]*:(?:\.\/)?([^:]+)$/s;

/** Commands of git that write files of their own, and what stands before their names. */
const GIT_WRITERS: ReadonlyMap<string, RegExp> = new Map([
  ["am", /^--directory$/],
  ["apply", /^--directory$/],
  ["archive", /^-o$/],
  ["bundle", /^create$/],
  ["fast-export", /^--export-marks$/],
  ["format-patch", /^-o$/],
  ["index-pack", /^-o$/],
  ["init", /^--separate-git-dir$/],
  ["mailsplit", /^-o$/],
  ["read-tree", /^--index-output$/],
]);
/** Every command that shows changes takes this one. */
const GIT_OUTPUT = /^--output(?:-directory)?$/;

/** Whether its command is one that shows changes. */
export function writesOutput(words: readonly ShellWord[]): boolean {
  const { index } = skipOptions(words, 1, GIT_GLOBAL);
  return /^(?:diff(?:-index|-tree|-files)?|format-patch|log|show|stash|whatchanged)$/.test(
    words[index]?.value ?? "",
  );
}

function outputs(words: readonly ShellWord[]): readonly OperandFile[] {
  const [command = ""] = words.map(({ value }) => value).filter((value) => GIT_WRITERS.has(value));
  const isNamed = (option: string) =>
    GIT_OUTPUT.test(option) || GIT_WRITERS.get(command)?.test(option) === true;
  return words.flatMap((word, index) => {
    const [, option = word.value, attached] = /^(--[a-z-]+)=(.+)$/s.exec(word.value) ?? [];
    const [, letter = "", behind] = /^(-[a-z])(.+)$/s.exec(word.value) ?? [];
    const held = isNamed(option) ? attached : isNamed(letter) ? behind : undefined;
    const next = held === undefined && isNamed(word.value) ? words[index + 1] : undefined;
    const files = [
      ...(held === undefined ? [] : [{ path: held, exact: !word.unknown }]),
      ...(next ? [next] : []),
    ];
    return files.filter(({ path }) => path !== "-").map(output);
  });
}
