/**
 * The files that well-known programs read and write, by their operands. Of programs that are not known, every word may be
 * a file, and nothing is certain.
 */
import type { ShellFile } from "../../core/index.js";
import { isOptionWord, takesNext, type ValueOptions } from "./option-words.js";
import { patchedFiles } from "./patched-files.js";
import { literalWord, type ShellWord } from "./shell-word.js";

export interface OperandFile {
  readonly category: ShellFile["category"];
  readonly word: Pick<ShellWord, "path" | "exact">;
  readonly certain: boolean;
  /** A program that only seems to read writes it, as a redirection would: it must be allowed by itself. */
  readonly isOutput?: true;
}

type Kind = "read" | "write" | "copy" | "move" | "none";

interface FileProgram extends ValueOptions {
  readonly kind: Kind;
  /** Operands in front that are no files: a pattern, a mode. */
  readonly skipped?: number;
  /** Options that say that there is no such operand. */
  readonly skippedBy?: RegExp;
  /** Options whose value is a file that is written. */
  readonly writes?: RegExp;
  /** The same, of a program that only seems to read. */
  readonly outputs?: RegExp;
  /** Options whose value is a file that is read. */
  readonly reads?: RegExp;
  /** `-name`: its options with one dash are names, and their values stand apart. */
  readonly hasLongNames?: boolean;
}

const READERS =
  "cat tac more nl od hexdump strings wc comm diff cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum base64 base32 basenc file stat rev expand column bat zcat bzcat xzcat ls du fold fmt pr iconv paste look";
const WRITERS = "rm rmdir unlink shred tee touch mkdir nano vi vim nvim emacs mkfifo sponge";
const NEITHER =
  "echo printf true false : test [ cd pushd pwd kill sleep whoami id uname hostname which type basename dirname seq expr exit return wait jobs umask ulimit set unset read export declare local readonly typeset let trap shift break continue sudo doas nohup nice timeout time command builtin exec env xargs bash sh eval";

const SEARCH = { kind: "read", skipped: 1, skippedBy: /^(?:-[A-Za-z]*[ef]|--regexp|--file)/ } as const;
const MODE = { kind: "write", skipped: 1, skippedBy: /^--reference/ } as const;

const PROGRAMS: ReadonlyMap<string, FileProgram> = new Map<string, FileProgram>([
  ...listed(READERS, { kind: "read", reads: /^--(?:files0-from|from-file|to-file)/ }),
  ...listed(WRITERS, { kind: "write" }),
  ...listed(NEITHER, { kind: "none" }),
  ...listed("grep egrep fgrep rg ag ack", {
    ...SEARCH,
    letters: "efABCmdDgtT",
    reads: /^(?:-[A-Za-z]*f|--file|--ignore-file|--exclude-from)/,
  }),
  ...listed("awk gawk mawk nawk", { ...SEARCH, letters: "Fvf", reads: /^(?:-f|--file)/ }),
  ...listed("jq yq", { ...SEARCH, long: ["arg", "argjson", "slurpfile", "rawfile"] }),
  ...listed("chmod chown chgrp", MODE),
  ["head", { kind: "read", letters: "nc", long: ["lines", "bytes"] }],
  ["tail", { kind: "read", letters: "ncs", long: ["lines", "bytes", "sleep-interval", "pid"] }],
  ["cut", { kind: "read", letters: "bcdf" }],
  ["date", { kind: "none", reads: /^(?:-[fr]|--file|--reference)/ }],
  ["sort", { kind: "read", letters: "ktSTo", outputs: /^(?:-o|--o)/, reads: /^--files0-from/ }],
  [
    "find",
    { kind: "none", outputs: /^-f(?:print|print0|printf|ls)$/, reads: /^-files0-from$/, hasLongNames: true },
  ],
  ["tree", { kind: "read", letters: "oLPI", outputs: /^-o/ }],
  ["less", { kind: "read", outputs: /^(?:-[oO]|--log-file|--LOG-FILE)/ }],
  ["split", { kind: "read", letters: "ablnCt" }],
  ["truncate", { kind: "write", letters: "sro" }],
  ["cp", { kind: "copy", letters: "tS", writes: /^(?:-t|--target-directory)/ }],
  ["ln", { kind: "copy", letters: "tS", writes: /^(?:-t|--target-directory)/ }],
  ["install", { kind: "copy", letters: "mogtS", writes: /^(?:-t|--target-directory)/ }],
  ["rsync", { kind: "copy", letters: "efT" }],
  ["scp", { kind: "copy", letters: "cFiJloPS" }],
  ["mv", { kind: "move", letters: "tS", writes: /^(?:-t|--target-directory)/ }],
  [
    "curl",
    {
      kind: "none",
      outputs: /^(?:-o|--output|-D|--dump-header|-c|--cookie-jar)/,
      reads: /^(?:-T|--upload-file|-d|--data|-F|--form|-b|--cookie|-K|--config|-E|--cert|--key)/,
    },
  ],
  [
    "wget",
    { kind: "none", writes: /^(?:-[Ooa]|--output)/, reads: /^(?:-i|--input-file|--post-file|--body-file)/ },
  ],
]);

function listed(names: string, program: FileProgram): readonly (readonly [string, FileProgram])[] {
  return names.split(" ").map((name) => [name, program]);
}

/** Its words are files and texts, and nothing that it would run. */
export function isFileProgram(name: string): boolean {
  return PROGRAMS.has(name);
}

export function operandFiles(name: string, words: readonly ShellWord[]): readonly OperandFile[] {
  const rest = words.slice(1);
  if (name === "dd") return rest.flatMap(ddFile);
  if (name === "uniq" || name === "xxd") return filterFiles(rest);
  if (name === "sed" || name === "gsed") return sedFiles(rest);
  if (name === "git") return [...gitFiles(rest), ...rest.flatMap(possibleFiles)];
  if (name === "apply_patch") return rest.flatMap((word) => patchedFiles(word.value)).map(written);
  const program = PROGRAMS.get(name);
  if (name === "jq" || name === "yq") return [...jqFiles(rest), ...(program ? filesOf(program, rest) : [])];
  if (!program) return rest.flatMap(possibleFiles);
  return [...filesOf(program, rest), ...rest.flatMap(localAddress)];
}

function filesOf(program: FileProgram, rest: readonly ShellWord[]): readonly OperandFile[] {
  return [...optionFiles(rest, program), ...byKind(program, operandsOf(rest, program))];
}

/** `file:///etc/passwd`, as curl reads it. */
function localAddress({ value, exact }: ShellWord): readonly OperandFile[] {
  const path = /^file:(?:\/\/[^/]*)?(\/.+)$/is.exec(value)?.[1];
  return path === undefined ? [] : [read({ path, exact })];
}

/** `--rawfile NAME FILE` */
function jqFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  return words.flatMap(({ value }, index) => {
    const place = /^--(?:rawfile|slurpfile|argfile)$/.test(value)
      ? 2
      : /^(?:-f|--from-file|-L)$/.test(value)
        ? 1
        : 0;
    const file = place === 0 ? undefined : words[index + place];
    return file ? [read(file)] : [];
  });
}

function byKind({ kind }: FileProgram, operands: readonly ShellWord[]): readonly OperandFile[] {
  switch (kind) {
    case "none":
      return [];
    case "read":
      return operands.map(read);
    case "write":
      return operands.map(written);
    case "copy":
      return [...operands.slice(0, -1).map(read), ...destinations(operands)];
    case "move":
      return [...operands.map(written), ...destinations(operands)];
  }
}

function read(word: OperandFile["word"]): OperandFile {
  return { category: "Read", word, certain: true };
}

function written(word: OperandFile["word"]): OperandFile {
  return { category: "Write", word, certain: true };
}

/** The last operand, which may be a folder that the others go into. */
function destinations(operands: readonly ShellWord[]): readonly OperandFile[] {
  const last = operands.at(-1);
  if (!last) return [];
  const inside = operands.slice(0, -1).map(({ path, exact }) => {
    const name = path.replace(/\/+$/, "").replace(/^.*\//s, "");
    return { path: `${last.path}/${name}`, exact: exact && last.exact };
  });
  return [last, ...inside.filter(({ exact }) => exact === last.exact)].map(written);
}

function operandsOf(words: readonly ShellWord[], program: FileProgram): readonly ShellWord[] {
  const operands: ShellWord[] = [];
  let isPast = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!word) continue;
    if (!isPast && word.value === "--") isPast = true;
    else if (isPast || word.unknown || !isOptionWord(word.value)) operands.push(word);
    else if (takesNext(word.value, program)) index += 1;
  }
  const isSkipped = !words.some((word) => program.skippedBy?.test(word.value) === true);
  return isSkipped ? operands.slice(program.skipped ?? 0) : operands;
}

/** Files that are named as the value of an option; `@name` is how curl names a file. */
function optionFiles(
  words: readonly ShellWord[],
  { writes, outputs, reads, hasLongNames = false }: FileProgram,
): readonly OperandFile[] {
  return words.flatMap((word, index): readonly OperandFile[] => {
    const isOutput = outputs?.test(word.value) === true;
    const isWritten = isOutput || writes?.test(word.value) === true;
    if (!isWritten && reads?.test(word.value) !== true) return [];
    const category = isWritten ? "Write" : "Read";
    const attached =
      /^--[^=]+=(.*)$/s.exec(word.value)?.[1] ??
      (hasLongNames ? undefined : /^-\w(.+)$/s.exec(word.value)?.[1]);
    const value = attached === undefined ? words[index + 1] : literalWord(attached);
    const file: OperandFile | null = value ? { category, word: afterAt(value), certain: true } : null;
    return file ? [isOutput ? { ...file, isOutput } : file] : [];
  });
}

function afterAt(word: ShellWord): OperandFile["word"] {
  const path = /(?:^|=)@(.+)$/s.exec(word.path)?.[1];
  return path === undefined ? word : { path, exact: word.exact };
}

/** `uniq in out` */
function filterFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const [input, output] = operandsOf(words, { kind: "read", letters: "fswclsogb" });
  return [
    ...(input ? [read(input)] : []),
    ...(output ? [{ ...written(output), isOutput: true } as const] : []),
  ];
}

function ddFile(word: ShellWord): readonly OperandFile[] {
  const [, key, path] = /^(if|of)=(.*)$/s.exec(word.path) ?? [];
  if (path === undefined) return [];
  const file = { path, exact: word.exact };
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
    return files.map((word) => ({ ...written(word), isOutput: true }));
  return files.map(isInPlace ? written : read);
}

/** Commands of git that write files of their own, and what stands before their names. */
const GIT_WRITERS: ReadonlyMap<string, RegExp> = new Map([
  ["archive", /^(?:-o|--output)$/],
  ["bundle", /^create$/],
  ["format-patch", /^(?:-o|--output-directory)$/],
]);

function gitFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const [command = ""] = words.map(({ value }) => value).filter((value) => GIT_WRITERS.has(value));
  return words.flatMap((word, index) => {
    const path = /^--output(?:-directory)?=(.+)$/s.exec(word.value)?.[1];
    const isNamed = GIT_WRITERS.get(command)?.test(word.value) === true;
    const next = isNamed ? words[index + 1] : undefined;
    const files = [...(path === undefined ? [] : [{ path, exact: !word.unknown }]), ...(next ? [next] : [])];
    return files.map((file) => ({ ...written(file), isOutput: true }));
  });
}

/**
 * A word of a program that is not known, and what it holds behind `=` or `@`. What is computed says nothing: such a program
 * may use any file, whether it is told to or not.
 */
function possibleFiles({ path, exact }: ShellWord): readonly OperandFile[] {
  if (!exact) return [];
  const held = /^[^=]*=@?(.+)$/s.exec(path)?.[1] ?? /^@(.+)$/s.exec(path)?.[1];
  const paths = isOptionWord(path) ? [] : [path];
  return [...paths, ...(held === undefined ? [] : [held])]
    .filter((each) => each !== "" && each.length < 4_096)
    .map((each) => ({ category: "Write", word: { path: each, exact }, certain: false }));
}
