/** `find`: what it runs, deletes and writes. */
import { escapePath } from "../../core/permissions/path-glob.js";
import { hidesOption, takesFindValue } from "./computed-options.js";
import { literalWord, UNKNOWN_WORD, type ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Inner, type Unwrapped } from "./unwrapped.js";

export const RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

const RUNS_MAX = 16;

/** Each command is a command of its own; `{}` is a name that only find knows. */
export function unwrapFind(words: readonly ShellWord[]): Unwrapped | null {
  const inner: Inner[] = [];
  if (words.filter((word) => RUNS.has(word.value)).length > RUNS_MAX)
    return hides(`find runs more than ${RUNS_MAX} commands`, [glimpse(words.slice(1))]);
  const firstDelete = words.findIndex(({ value }) => value === "-delete");
  for (const [index, word] of words.entries()) {
    if (RUNS.has(word.value)) inner.push(...commandsAt(words, index + 1));
    // Once says it all.
    if (index === firstDelete) inner.push({ type: "words", words: removal(words) });
  }
  // What is computed, and what xargs adds, may be `-exec`.
  if (hidesOption("find", words.slice(1)))
    return hides("it cannot be seen what find runs", [...inner, glimpse(words.slice(1))]);
  return inner.length === 0 ? null : runs(inner);
}

/** What it would take to do the same by hand, so that a deny of rm is about it too. */
function removal(words: readonly ShellWord[]): readonly ShellWord[] {
  const options = deletedNames(words) ? [] : [literalWord("-rf")];
  return [literalWord("rm"), ...options, ...startingPoints(words)];
}

/**
 * The names of what is deleted, as patterns; null when that may be all there is. Every way through the tests must ask for
 * a name before it deletes. A folder that is not empty is never deleted.
 */
export function deletedNames(words: readonly ShellWord[]): readonly string[] | null {
  if (words.some(({ value, unknown }) => unknown || value === "!" || value === "-not")) return null;
  const ways: ShellWord[][] = [[]];
  for (const word of withoutValues(words)) {
    if (/^(?:-o|-or|,)$/.test(word.value)) ways.push([]);
    else ways.at(-1)?.push(word);
  }
  const names = ways.map((way) => {
    const end = way.findIndex((word) => word.value === "-delete");
    const at = way.findIndex(({ value }) => value === "-name" || value === "-iname");
    const name = way[at + 1]?.value ?? "";
    const isBefore = at !== -1 && (end === -1 || at + 1 < end);
    return isBefore && /[A-Za-z0-9]/.test(name.replace(/\[[^\]]*\]/g, "")) ? name : null;
  });
  return names.every((name) => name !== null) ? names : null;
}

/** Without the values of its options, which may look like tests; but for names. */
function withoutValues(words: readonly ShellWord[]): readonly ShellWord[] {
  const kept: ShellWord[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!word) continue;
    kept.push(word);
    const name = words[index + 1];
    if (/^-i?name$/.test(word.value) && name) kept.push(name);
    if (takesFindValue(word.value)) index += 1;
    else if (word.value === "-fprintf") index += 2;
  }
  return kept;
}

function commandsAt(words: readonly ShellWord[], start: number): readonly Inner[] {
  const end = words.findIndex(
    (word, index) =>
      index >= start && (word.value === ";" || (word.value === "+" && words[index - 1]?.value === "{}")),
  );
  const command = words.slice(start, end === -1 ? words.length : end);
  const isMoving = words[start - 1]?.value.endsWith("dir") === true;
  const isNamed = !isMoving && !words.some(isList);
  const given = command.map((word) => (word.value.includes("{}") ? foundWord(word, isNamed) : word));
  return isMoving ? movedCommands(given, startingPoints(words)) : [{ type: "words", words: given }];
}

const STARTS_MAX = 4;

/**
 * `-execdir` runs a command in the folder of each file that is found: in one below where find looks, or above that for the
 * place itself. A name means a file at any depth; dots in front lead out of a folder whose name does not matter.
 */
function movedCommands(words: readonly ShellWord[], starts: readonly ShellWord[]): readonly Inner[] {
  const places = starts.slice(0, STARTS_MAX).map(({ path }) => path);
  const from = places.length > 0 ? places : ["."];
  const [name, ...rest] = words;
  const below = rest.map((word) => {
    const isName = word.exact && !/^[-/~]|(?:^|\/)\.\.(?:\/|$)/.test(word.path);
    return isName ? { ...word, path: `**/${escapePath(word.path)}`, exact: false } : word;
  });
  return [
    {
      type: "words",
      words: name ? [name, ...below] : [],
      folders: from.flatMap((place) => [place, `${place}/…`, `${place}/…/…`]),
    },
    { type: "words", words, isSeen: true, folders: from.map((place) => `${place}/..`) },
  ];
}

/** A name that find gives begins with where it looks, so that it is no option. Not everywhere, where it moves there first. */
function foundWord({ value }: ShellWord, isNamed: boolean): ShellWord {
  return { ...UNKNOWN_WORD, value: value.replaceAll("{}", isNamed ? "./…" : UNKNOWN_WORD.value) };
}

/** A file that says where it looks. */
function isList({ value }: ShellWord): boolean {
  return /^-files0-from|^-f$/.test(value);
}

/** `fd -x rm`: what stands behind the option, and the names that it finds. */
export function unwrapFd(words: readonly ShellWord[]): Unwrapped | null {
  const inner = words.flatMap(({ value, unknown }, index): readonly Inner[] => {
    const [, letter, name] = /^(?:-[A-Za-wyz]*[xX](.*)|--exec(?:-batch)?(?:=(.*))?)$/s.exec(value) ?? [];
    if (unknown || !/^(?:-[A-Za-wyz]*[xX]|--exec)/.test(value)) return [];
    const attached = letter ?? name ?? "";
    const first = attached === "" ? [] : [literalWord(attached)];
    return [{ type: "words", words: [...first, ...words.slice(index + 1), UNKNOWN_WORD], isSeen: true }];
  });
  return inner.length === 0 ? null : runs(inner.slice(0, RUNS_MAX));
}

/** Where it looks; by itself, in the folder that it runs in. */
export function startingPoints(words: readonly ShellWord[]): readonly ShellWord[] {
  let start = 1;
  while (/^-(?:[HLP]|O\d*|D|-)$/.test(words[start]?.value ?? ""))
    start += words[start]?.value === "-D" ? 2 : 1;
  const end = words.findIndex((word, index) => index >= start && /^[-(!]/.test(word.value));
  return words.slice(start, end === -1 ? words.length : end);
}
