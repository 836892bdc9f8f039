/** The files that a patch changes: one of Codex (`apply_patch`), or one as `diff` writes it. */
import type { InputText } from "./input-text.js";
import { isOptionWord, optionValue, skipOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

export type PatchedFile = Pick<ShellWord, "path" | "exact">;

/** A patch that cannot be seen may change anything. */
const ANY_FILE: PatchedFile = { path: "/**", exact: false };

const CODEX_LINE = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
const DIFF_LINE = /^[ \t]*(?:---|\+\+\+|\*\*\*|Index:|rename (?:from|to)|copy (?:from|to)) ([^\t\n]+)/gm;
const GIT_LINE = /^[ \t]*diff --git (\S+) (\S+)\s*$/gm;

/** Of git: these show what a patch would do, or end what was begun. */
const ONLY_LOOKS =
  /^--(?:check|stat|numstat|summary|abort|quit|skip|dry-run|help|version|show-current-patch.*)$/;
const STRIPPED_MAX = 16;

/** `texts`: what the command is given on the line itself. Empty when the program takes no patches. */
export function patchedFiles(
  name: string,
  words: readonly ShellWord[],
  texts: readonly InputText[],
): readonly PatchedFile[] {
  switch (name) {
    case "apply_patch":
    case "applypatch":
      return codexFiles(words.slice(1), texts);
    case "patch":
    case "gpatch":
      return diffFiles(words, words.slice(1), texts);
    case "git":
      return gitPatch(words, texts);
    default:
      return [];
  }
}

function codexFiles(rest: readonly ShellWord[], texts: readonly InputText[]): readonly PatchedFile[] {
  const given = rest.map(({ value, unknown }) => ({ text: value, isComputed: unknown }));
  const patches = [...given, ...texts];
  const files = patches.flatMap(({ text }) =>
    [...text.matchAll(CODEX_LINE)].map((match) => ({ path: (match[1] ?? "").trim(), exact: true })),
  );
  const isSeen = patches.length > 0 && patches.every(({ isComputed }) => !isComputed);
  return isSeen ? files : [...files, ANY_FILE];
}

function gitPatch(words: readonly ShellWord[], texts: readonly InputText[]): readonly PatchedFile[] {
  const { index } = skipOptions(words, 1, {
    letters: "Cc",
    long: ["git-dir", "work-tree", "namespace", "config-env"],
  });
  const command = words[index]?.value;
  return command === "apply" || command === "am" ? diffFiles(words, words.slice(index + 1), texts) : [];
}

function diffFiles(
  words: readonly ShellWord[],
  rest: readonly ShellWord[],
  texts: readonly InputText[],
): readonly PatchedFile[] {
  if (rest.some(({ value }) => ONLY_LOOKS.test(value))) return [];
  const named = texts.flatMap(({ text }) => namesIn(text));
  const folders = foldersOf(words.slice(1));
  const stripped = strippedBy(rest);
  const files = named
    .filter((path) => path !== "/dev/null")
    .flatMap((path) => waysToRead(path, stripped))
    .flatMap((path) => [path, ...folders.map((folder) => `${folder}/${path}`)]);
  const all = [...new Set(files)].map((path) => ({ path, exact: true }));
  return isWhole(words.slice(1), rest, texts) && named.every((path) => !path.startsWith('"'))
    ? all
    : [...all, ANY_FILE];
}

/** Whether all of the patch stands on the line. */
function isWhole(
  words: readonly ShellWord[],
  rest: readonly ShellWord[],
  texts: readonly InputText[],
): boolean {
  if (words.some((word) => word.unknown)) return false;
  const isElsewhere = rest.some(
    ({ value }, index) =>
      /^(?:-[A-Za-z]*i|--input)/.test(value) ||
      (!isOptionWord(value) && value !== "-" && !isOptionWord(rest[index - 1]?.value ?? "")),
  );
  return texts.length > 0 && !isElsewhere && texts.every(({ isComputed }) => !isComputed);
}

/** `-d`, `--directory` and git's `-C`: where the names start from. */
function foldersOf(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ value }, index) => {
    const attached = /^(?:-[A-Za-z]*[dC]|--directory=?)(.*)$/s.exec(value)?.[1];
    const folder = attached === "" ? words[index + 1]?.value : attached;
    return folder === undefined ? [] : [folder];
  });
}

function namesIn(text: string): readonly string[] {
  return [
    ...[...text.matchAll(DIFF_LINE)].map((match) => (match[1] ?? "").trim()),
    ...[...text.matchAll(GIT_LINE)].flatMap((match) => [match[1] ?? "", match[2] ?? ""]),
  ];
}

/** How many folders `-p` takes away. */
function strippedBy(rest: readonly ShellWord[]): number | null {
  const value = optionValue(rest, "p", "strip")?.value;
  const attached = rest.map((word) => /^-[A-Za-z]*p(\d+)$/.exec(word.value)?.[1]).find((each) => each);
  const count = Number(attached ?? value ?? Number.NaN);
  return Number.isInteger(count) ? Math.min(count, STRIPPED_MAX) : null;
}

/** As it stands and without its first folder; without as many as the line says, or without any. */
function waysToRead(path: string, stripped: number | null): readonly string[] {
  const names = path.split("/");
  const counts = [0, 1, stripped ?? names.length - 1];
  return counts.filter((count) => count < names.length).map((count) => names.slice(count).join("/"));
}
