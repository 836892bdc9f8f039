/**
 * The files that well-known programs read and write, by their operands. Of programs that are not known, every word may be
 * a file, and nothing is certain.
 */
import type { ShellFile } from "../../core/index.js";
import { escapePath } from "../../core/permissions/path-glob.js";
import { curlFiles, localAddress } from "./curl-files.js";
import { fileProgram, SEARCH, type FileProgram } from "./file-programs.js";
import { takesList } from "./listed-files.js";
import { isOptionWord, skipOptions, takesNext } from "./option-words.js";
import { byKind } from "./destinations.js";
import { gitFiles, writesOutput } from "./git-files.js";
import { jqFiles, yqFiles } from "./jq-files.js";
import { patchedFiles } from "./patched-files.js";
import type { InputText } from "./input-text.js";
import { containerWords, mountsOf, runsContainers } from "./unwrap-container.js";
import { deletedNames, RUNS, startingPoints } from "./unwrap-find.js";
import { ANY_FILE, optionFiles, optionValues, output, read, written } from "./option-files.js";
import { onlyChecks, partCode } from "./reading-words.js";
import { possibleWords } from "./possible-files.js";
import { literalWord, UNKNOWN_WORD, type ShellWord } from "./shell-word.js";
import { tarFiles } from "./tar-files.js";

export interface OperandFile {
  readonly category: ShellFile["category"];
  readonly word: Pick<ShellWord, "path" | "exact">;
  readonly certain: boolean;
  /** A program that only seems to read writes it, as a redirection would: it must be allowed by itself. */
  readonly isOutput?: true;
  /** Of a folder, all that is below is used as well. */
  readonly isDeep?: boolean;
}

/** Its words are files and texts, and nothing that it would run. */
export function isFileProgram(name: string): boolean {
  return fileProgram(name) !== undefined;
}

/** `texts`: what the command is given on the line itself. */
export function operandFiles(
  name: string,
  words: readonly ShellWord[],
  texts: readonly InputText[],
): readonly OperandFile[] {
  return [
    ...ownFiles(name, words),
    ...patchedFiles(name, words, texts).map(written),
    ...(takesList(name, words) ? [read(ANY_FILE)] : []),
    ...(isToldOutput(name, words) ? [output(ANY_FILE)] : []),
  ];
}

/** Whether a list of words, or one that another program gives it, may hold an option that names a file to write. */
function isToldOutput(name: string, words: readonly ShellWord[]): boolean {
  const end = words.findIndex(({ value }) => value === "--");
  const isTold = words
    .slice(1, end === -1 ? words.length : end)
    .some(({ isInput, isOneWord, value }) =>
      isInput
        ? value.startsWith(UNKNOWN_WORD.value)
        : LIST.test(value) || (!isOneWord && PRINTED.test(value)),
    );
  if (!isTold) return false;
  return name === "git" ? writesOutput(words) : fileProgram(name)?.outputs !== undefined;
}

/** Each of its values is a word; or it is an option where there is no value. */
const LIST = /^\$(?:[@*]|\{(?:[@*]|\w+(?:\[[@*]\]|:?[-+=]-)))/;
/** What a program prints, but for git's names of commits. */
const PRINTED =
  /^(?:`|\$\((?!git (?:merge-base|describe|rev-parse|rev-list|symbolic-ref|branch --show-current)\b))/;

function ownFiles(name: string, words: readonly ShellWord[]): readonly OperandFile[] {
  const rest = words.slice(1);
  if (name === "dd") return rest.flatMap(ddFile);
  if (name === "split") return splitFiles(rest);
  if (name === "csplit" && rest.some(({ value }) => /^(?:-[a-z]*b|--su)/.test(value)))
    return [...rest.map(read), output(ANY_FILE)];
  if (name === "sed") return sedFiles(rest);
  if (name === "git") return gitFiles(words);
  if (name === "apply_patch" || name === "applypatch") return [];
  if (runsContainers(name)) return containerFiles(words);
  const program = fileProgram(name);
  if (name === "find" && program) return [...filesOf(program, rest), ...foundFiles(words)];
  if (name === "jq" && program) return [...jqFiles(rest), ...filesOf(program, rest)];
  if (name === "yq" && program) return [...jqFiles(rest), ...yqFiles(rest, filesOf(program, rest))];
  if (!program) {
    const files = possibleOf(name, words);
    const isDeep = TAKES_FOLDERS.has(name);
    const certain = [
      ...optionFilesOf(name, rest),
      ...(name === "tar" ? tarFiles(rest) : []),
      ...(name === "perl" || name === "ruby" ? lineFiles(rest) : []),
    ];
    return [...certain, ...(isDeep ? files.map((file) => ({ ...file, isDeep })) : files)];
  }
  if (linksHard(name, rest)) return filesOf({ ...program, kind: "move" }, rest);
  if (name === "curl") return [...filesOf(program, rest), ...curlFiles(rest, operandsOf(rest, program))];
  const local = rest.flatMap(localAddress).map(read);
  return [...filesOf(program, rest), ...local, ...(program.isManifold ? possible(rest, false) : [])];
}

/** Who writes a file by another name of it writes that file. */
function linksHard(name: string, rest: readonly ShellWord[]): boolean {
  if (name === "cp") return rest.some(({ value }) => /^(?:-[A-Za-z]*l|--link$)/.test(value));
  return name === "ln" && !rest.some(({ value }) => /^(?:-[A-Za-z]*s|--s)/.test(value));
}

const RUNS_SCRIPTS: FileProgram = { kind: "none", reads: { long: ["env-file"] } };

/** Programs of which little more is known than some of what they read, and where they write. */
const OPTION_FILES: ReadonlyMap<string, FileProgram> = new Map<string, FileProgram>([
  ["eslint", { kind: "none", letters: "c", outputs: { letters: "o", long: ["output-file"] } }],
  ["gpg", { kind: "none", letters: "ru", outputs: { letters: "o", long: ["output"] } }],
  [
    "openssl",
    { kind: "none", hasLongNames: true, outputs: { long: ["out", "keyout"] }, reads: { long: ["in"] } },
  ],
  ...["bun", "node", "nodejs", "tsx"].map((name) => [name, RUNS_SCRIPTS] as const),
  ["psql", { kind: "none", letters: "cdfhpUv", outputs: { letters: "oL", long: ["output", "log-file"] } }],
]);

function optionFilesOf(name: string, rest: readonly ShellWord[]): readonly OperandFile[] {
  const program = OPTION_FILES.get(name);
  return program ? optionFiles(rest, program) : [];
}

/** Programs that are given messages, which may speak of anything. */
const TAKES_TEXT = new Set(["git", "gh", "glab", "hg", "svn"]);

/** Their words are texts, and nothing that they would run. */
export function takesTexts(name: string): boolean {
  return TAKES_TEXT.has(name);
}

/** Of a program that is not known: what it may write; of one that only checks, and of code that only reads, what it may read. */
function possibleOf(name: string, words: readonly ShellWord[]): readonly OperandFile[] {
  const rest = words.slice(1);
  const files = (given: readonly ShellWord[]) => possible(given, TAKES_TEXT.has(name));
  if (onlyChecks(words)) return files(rest).map((file) => ({ ...file, category: "Read" }));
  const { readers, others } = partCode(name, rest);
  return [...files(others), ...files(readers).map((file) => ({ ...file, category: "Read" }) as const)];
}

function possible(words: readonly ShellWord[], isText: boolean): readonly OperandFile[] {
  return words.flatMap((word) => possibleFiles(word, isText));
}

/** Programs that take whole folders. */
const TAKES_FOLDERS = new Set(
  "7z 7za 7zr 7zz cpio jar pax ptar rar shar star tar tarfile zip zipapp zipfile".split(" "),
);

/** What a container is given is read and written, with all that is below. */
function containerFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const parts = containerWords(words);
  const { mounts, others } = parts ? mountsOf(parts.options) : { mounts: [], others: words.slice(1) };
  const given = [
    ...mounts.map(({ word, isReadOnly }) => (isReadOnly ? read(word) : written(word))),
    ...possible(others, false),
  ].map((file) => ({ ...file, isDeep: true }));
  // Where files of this machine are in it, its words may name them.
  return parts && mounts.length > 0 ? [...given, ...possible(parts.command, false)] : given;
}

/** Where find looks, and with what it runs, all that is below. */
function foundFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const starts = startingPoints(words);
  const folders = starts.length > 0 ? starts : [literalWord(".")];
  const isRunning = words.some(({ value }) => RUNS.has(value));
  const isDeleting = words.some(({ value }) => value === "-delete");
  const names = isDeleting ? deletedNames(words) : null;
  const isDeep = isRunning || (isDeleting && names === null);
  const deleted = folders.flatMap(({ path }) => (names ?? []).map((name) => namedBelow(path, name)));
  return [...folders.map((word) => ({ ...read(word), isDeep })), ...deleted];
}

/** Whatever has such a name, at any depth. What our patterns do not know may be anything. */
function namedBelow(folder: string, name: string): OperandFile {
  const glob = name.replace(/\[[^\]]*\]|[\\{}[\]]/g, "*").toLowerCase();
  const plain = folder.replace(/\/+$/, "").replace(/^(?:\.\/+)+/, "");
  const start = plain === "." ? "" : `${escapePath(plain).replace(/^\\~/, "~")}/`;
  const isClear = plain === "." || (plain !== "" && !/^\.|\/\.{0,2}(?:\/|$)/.test(plain));
  return written({ path: isClear ? `${start}**/${glob}` : `/**/${glob}`, exact: false });
}

function filesOf(program: FileProgram, words: readonly ShellWord[]): readonly OperandFile[] {
  const rest = program.isBeforeCommand ? words.slice(0, skipOptions(words, 0, program).index) : words;
  const { writes, looksAround, intoHere } = program;
  const isDeep = program.isDeep === true || isGiven(program.isDeep, rest);
  const operands = operandsOf(rest, program);
  const into = writes ? rest.flatMap((word, at) => optionValues(word, rest[at + 1], writes, program)) : [];
  const isAround = operands.length === 0 && (looksAround === true || (looksAround === "deep" && isDeep));
  const isHere = intoHere === true && operands.length === 1 && into.length === 0;
  const all = isAround || isHere ? [...operands, literalWord(".")] : operands;
  const files = [
    ...optionFiles(rest, program),
    ...byKind(kindOf(program, rest), all, into, isGiven(program.keepsFolders, rest)),
  ];
  return isDeep ? files.map((file) => ({ ...file, isDeep: true })) : files;
}

function kindOf({ kind, readsBy, writesBy }: FileProgram, words: readonly ShellWord[]): FileProgram["kind"] {
  if (isGiven(readsBy, words)) return "read";
  return isGiven(writesBy, words) ? "write" : kind;
}

function isGiven(option: RegExp | true | undefined, words: readonly ShellWord[]): boolean {
  return option instanceof RegExp && words.some(({ value }) => option.test(value));
}

function operandsOf(words: readonly ShellWord[], program: FileProgram): readonly ShellWord[] {
  const operands: ShellWord[] = [];
  let isPast = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!word) continue;
    if (!isPast && word.value === "--") isPast = true;
    else if (isPast || word.unknown || !isOptionWord(word.value)) operands.push(word);
    else if (program.valued?.test(word.value) ?? takesNext(word.value, program)) index += 1;
  }
  const isSkipped = !words.some((word) => program.skippedBy?.test(word.value) === true);
  return isSkipped ? operands.slice(program.skipped ?? 0) : operands;
}

/** `split in prefix` writes `prefixaa` and so on. */
function splitFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const [input, prefix] = operandsOf(words, {
    kind: "read",
    letters: "ablnCt",
    long: ["suffix-length", "bytes", "lines", "number", "line-bytes", "separator", "additional-suffix"],
  });
  if (!prefix) return input ? [read(input)] : [];
  const first = { path: `${prefix.path}aa`, exact: prefix.exact };
  const any = { path: prefix.exact ? `${escapePath(prefix.path)}*` : "/**", exact: false };
  return [...(input ? [read(input)] : []), output(first), written(any)];
}

/** A word that is computed as a whole may be any of them. */
function ddFile({ value, path, exact, isPattern, unknown }: ShellWord): readonly OperandFile[] {
  const [, key, name] = /^(if|of)=(.*)$/s.exec(exact || isPattern ? path : value) ?? [];
  if (key === undefined) return unknown && !exact && !/^\w+=/.test(value) ? [written(ANY_FILE)] : [];
  const file = name !== undefined && (exact || isPattern) ? { path: name, exact } : ANY_FILE;
  return [key === "if" ? read(file) : written(file)];
}

function sedFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const isInPlace = words.some((word) => /^(?:-[A-Za-z]*i|--in-place)/.test(word.value));
  const program: FileProgram = {
    ...SEARCH,
    letters: "ef",
    skippedBy: /^(?:-[A-Za-z]*e$|-f|--expression|--file)/,
  };
  const files = operandsOf(words, program);
  // Who allowed `sed -n *` to look at files did not mean this.
  if (isInPlace && words.some((word) => /^-[A-Za-z]*n|^--(?:quiet|silent)$/.test(word.value)))
    return files.map(output);
  return files.map(isInPlace ? written : read);
}

/** With `-n` or `-p`, a program is run for every line of the files; with `-i`, they are written. */
function lineFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  if (!words.some(({ value }) => /^-[acilsw0-9]*[np]/.test(value))) return [];
  const isInPlace = words.some(({ value }) => /^-[aclnpsw0-9]*i/.test(value));
  const program: FileProgram = {
    kind: "read",
    letters: "eEI",
    skipped: 1,
    skippedBy: /^-[acilnpsw0-9]*[eE]/,
  };
  return operandsOf(words, program).map(isInPlace ? written : read);
}

/** A word of a program that is not known. */
function possibleFiles(word: ShellWord, isText: boolean): readonly OperandFile[] {
  return possibleWords(word, isText).map((file) => ({ category: "Write", word: file, certain: false }));
}
