/** The files that commands of git read and write. */
import type { OperandFile } from "./file-operands.js";
import { isOptionWord, skipOptions, takesNext } from "./option-words.js";
import { withoutMessages } from "./option-values.js";
import { possiblePaths } from "./possible-files.js";
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
  const printed = PRINTERS.has(command) ? words.slice(index + 1).flatMap(printedFile) : [];
  const files = [...possible, ...printed, ...placesOf(command, words.slice(index + 1), isReading)];
  const isDeep = takesFolders(command, words.slice(index + 1));
  return [...outputs(words.slice(1)), ...(isDeep ? files.map((file) => ({ ...file, isDeep })) : files)];
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

/** Where it looks by itself, and what `:/` and its like may stand for. */
function placesOf(command: string, rest: readonly ShellWord[], isReading: boolean): readonly OperandFile[] {
  if (!takesFolders(command, rest)) return [];
  const category = isReading ? "Read" : "Write";
  const valued = command === "grep" ? GREP_VALUES : {};
  const operands = rest.filter(
    ({ value }, at) => !isOptionWord(value) && !takesNext(rest[at - 1]?.value ?? "", valued),
  );
  const isFirstPattern = command === "grep" && !rest.some(({ value }) => /^-[A-Za-z]*[ef]/.test(value));
  const isAround = LOOKS_AROUND.has(command) && operands.length <= (isFirstPattern ? 1 : 0);
  const isMagic = operands.some(({ value }) => /^:[^:]/.test(value));
  return [
    ...(isAround ? [{ category, word: { path: ".", exact: true }, certain: true } as const] : []),
    ...(isMagic ? [{ category, word: { path: "/**", exact: false }, certain: false } as const] : []),
  ];
}

function isLooking(word: ShellWord | undefined): boolean {
  return word?.unknown === false && /^(?:list|show)$/.test(word.value);
}

function possibleFiles(word: ShellWord, category: OperandFile["category"]): readonly OperandFile[] {
  const paths = possiblePaths(word, true);
  return paths.map((path) => ({ category, word: { path, exact: true }, certain: false }));
}

/** `.env`, `HEAD:.env` */
function printedFile({ value, path, exact }: ShellWord): readonly OperandFile[] {
  if (!exact || isOptionWord(value)) return [];
  const inside = /^[^:]*:(?:\.\/)?([^:]+)$/s.exec(path)?.[1];
  return [{ category: "Read", word: { path: inside ?? path, exact: true }, certain: true }];
}

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
    return files
      .filter(({ path }) => path !== "-")
      .map((file) => ({ category: "Write", word: file, certain: true, isOutput: true }));
  });
}
