/**
 * Words that the shell computes, where an option may stand: `rg "$X"` runs a program when X is `--pre=id`. A careful middle:
 * only of programs whose running options are easily reached. `--` before such a word, or an option that it is the value of,
 * takes the doubt away.
 */
import { isOptionWord, takesNext, type ValueOptions } from "./option-words.js";
import { UNKNOWN_WORD, type ShellWord } from "./shell-word.js";

/** The options of a program that take a value: there, a computed word is no option. */
interface Valued extends ValueOptions {
  /** `-run x`: names behind one dash. */
  readonly names?: readonly string[];
  /** `--` does not end its options. */
  readonly isEndless?: true;
}

const FD: Valued = {
  letters: "deEtSocj",
  long: list(
    "max-depth min-depth exact-depth extension exclude type size owner color threads search-path base-directory",
    "changed-within changed-before max-results format path-separator ignore-file",
  ),
};
const FETCH: Valued = { letters: "j", long: list("depth deepen jobs refmap shallow-since server-option") };

const VALUED: Readonly<Record<string, Valued>> = {
  fd: FD,
  find: {
    names: list(
      "name iname path ipath wholename iwholename regex iregex regextype lname ilname type xtype size mtime atime ctime",
      "mmin amin cmin newer anewer cnewer newermt newerat newerct perm user group uid gid maxdepth mindepth printf",
      "fprint fprint0 fls samefile inum links fstype used",
    ),
    isEndless: true,
  },
  "git archive": { letters: "o", long: list("format prefix output remote") },
  "git clone": { letters: "boj", long: list("branch origin depth jobs reference filter") },
  "git difftool": {},
  "git fetch": FETCH,
  "git grep": { letters: "ABCefm", long: list("after-context before-context context max-depth max-count") },
  "git ls-remote": { letters: "o", long: ["sort", "server-option"] },
  "git pull": FETCH,
  "git push": { letters: "o", long: ["push-option", "repo"] },
  "git rebase": { letters: "CsX", long: list("onto strategy strategy-option") },
  go: {
    names: list(
      "run bench benchtime blockprofile count coverpkg coverprofile covermode cpu cpuprofile fuzz fuzztime gcflags",
      "ldflags asmflags list memprofile mod o outputdir p parallel shuffle skip tags timeout trace vet f C",
    ),
  },
  less: { letters: "bhjoOptTxyz" },
  make: {
    letters: "CfIoW",
    long: list("directory file makefile include-dir old-file what-if"),
    attached: "jlO",
  },
  man: { letters: "eLmMrRsS", long: list("sections extension locale manpath systems") },
  rg: {
    letters: "ABCdEefgjMmrTt",
    long: list(
      "after-context before-context context max-depth encoding regexp file glob iglob threads max-columns max-count",
      "replace type type-not type-add color colors sort sortr max-filesize ignore-file path-separator",
    ),
  },
  rsync: {
    letters: "BfMT",
    long: list(
      "exclude include exclude-from include-from files-from filter port bwlimit timeout log-file password-file chmod",
      "chown temp-dir backup-dir suffix compare-dest copy-dest link-dest partial-dir max-size min-size",
    ),
  },
  sort: {
    letters: "kotST",
    long: list("key field-separator output buffer-size temporary-directory parallel batch-size"),
  },
  tar: {
    letters: "bCfgHKLNTVX",
    long: list(
      "file directory files-from exclude exclude-from transform xform strip-components owner group mode mtime format",
      "newer label listed-incremental",
    ),
  },
  zip: { letters: "bnOPstZ" },
};

function list(...lines: readonly string[]): readonly string[] {
  return lines.join(" ").split(" ");
}

/** Whether a word of this program may be an option that nobody sees. The words are those behind its name. */
export function hidesOption(name: string, words: readonly ShellWord[]): boolean {
  const valued = Object.hasOwn(VALUED, name) ? VALUED[name] : undefined;
  if (!valued || words.every((word) => !word.unknown)) return false;
  const start = name === "tar" ? bundleLength(words, valued) : 0;
  if (words.slice(0, start).some((word) => word.unknown && isSeveral(word))) return true;
  let index = start;
  for (let word = words[index]; word; word = words[index]) {
    if (word.value === "--" && valued.isEndless !== true) return false;
    if (word.unknown && mayBeOption(word, valued)) return true;
    const isValued = isOptionWord(word.value) && takesValue(word.value, valued);
    const value = isValued ? words[index + 1] : undefined;
    if (value?.unknown && isSeveral(value)) return true;
    // What stands behind the file of `go run` is for the program in it.
    if (name === "go" && words[0]?.value === "run" && index > 0 && !isOptionWord(word.value)) return false;
    index += isValued ? 2 : 1;
  }
  return false;
}

/** `tar czf x`: the values of letters without a dash follow in their order. */
function bundleLength([first]: readonly ShellWord[], { letters = "" }: Valued): number {
  if (!first || first.unknown || isOptionWord(first.value)) return 0;
  return 1 + Array.from(first.value).filter((letter) => letters.includes(letter)).length;
}

export function takesFindValue(option: string): boolean {
  return takesValue(option, VALUED["find"] ?? {});
}

function takesValue(option: string, valued: Valued): boolean {
  return valued.names ? valued.names.includes(option.replace(/^--?/, "")) : takesNext(option, valued);
}

/** Names of branches begin with no dash, and hold no space. */
const NEVER_OPTION =
  /^\$\((?:git branch --show-current|git rev-parse (?:--abbrev-ref |--short )?HEAD|nproc)\)$/;

/** A word that begins with other letters is none, nor is one whose value alone is computed: `--glob=$X`, `-j$N`. */
function mayBeOption(word: ShellWord, { letters = "", attached = "" }: Valued): boolean {
  if (isSeveral(word)) return true;
  if (NEVER_OPTION.test(word.value)) return false;
  // The home folder, and the folder that the line runs in.
  if (/^[~.]/.test(word.path) || !/^[-$`*?[{@+!~…]/.test(word.value)) return false;
  if (/^--?[A-Za-z][\w-]*=/.test(word.value)) return false;
  const cluster = /^-([A-Za-z0-9]+)/.exec(word.value)?.[1] ?? "";
  return !Array.from(cluster).some((letter) => letters.includes(letter) || attached.includes(letter));
}

/** `"${a[@]}"` is as many words as there are elements, and xargs adds as many as it reads. */
function isSeveral(word: ShellWord): boolean {
  return word === UNKNOWN_WORD || /\[[@*]\]|\$\{?[@*]/.test(word.value);
}
