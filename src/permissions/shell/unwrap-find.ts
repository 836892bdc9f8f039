/** `find`: what it runs and deletes. */
import { literalWord, UNKNOWN_WORD, type ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Inner, type Unwrapped } from "./unwrapped.js";

const RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const RUNS_MAX = 16;

/** Each command is a command of its own; `{}` is a name that only find knows. */
export function unwrapFind(words: readonly ShellWord[]): Unwrapped | null {
  if (words.filter((word) => RUNS.has(word.value)).length > RUNS_MAX)
    return hides(`find runs more than ${RUNS_MAX} commands`, [glimpse(words.slice(1))]);
  const inner = words.flatMap((word, index) => (RUNS.has(word.value) ? [commandAt(words, index + 1)] : []));
  // What it would take to do the same by hand, so that a deny of rm is about it too.
  if (words.some(({ value }) => value === "-delete"))
    inner.push({ type: "words", words: [literalWord("rm"), literalWord("-rf"), ...startingPoints(words)] });
  const opaque = whyHidden(words);
  if (opaque !== null) return hides(opaque, [...inner, glimpse(words.slice(1))]);
  return inner.length === 0 ? null : runs(inner);
}

/** What is computed may be `-exec`, unless it stands in quotes behind a test; `-execdir` runs it in other folders. */
function whyHidden(words: readonly ShellWord[]): string | null {
  if (words.some(({ value }) => /^-(?:exec|ok)dir$/.test(value))) return "find runs it in other folders";
  const isSafe = (word: ShellWord, before: string) =>
    !word.unknown || word.isPattern === true || (word.isOneWord === true && /^-[a-z]+$/.test(before));
  const isSeen = words.slice(1).every((word, at) => isSafe(word, words[at]?.value ?? ""));
  return isSeen ? null : "it cannot be seen what find runs";
}

function commandAt(words: readonly ShellWord[], start: number): Inner {
  const end = words.findIndex(
    (word, index) =>
      index >= start && (word.value === ";" || (word.value === "+" && words[index - 1]?.value === "{}")),
  );
  const command = words.slice(start, end === -1 ? words.length : end);
  // A name that find gives begins with where it looks, so that it is no option.
  const fill = (value: string) => value.replaceAll("{}", `./${UNKNOWN_WORD.value}`);
  return {
    type: "words",
    words: command.map((word) =>
      word.value.includes("{}") ? { ...UNKNOWN_WORD, value: fill(word.value) } : word,
    ),
  };
}

/** Where it looks; by itself, in the folder that it runs in. */
function startingPoints(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words.findIndex(({ value }, index) => index > 0 && !/^-(?:[HLP]|O\d*|-)$/.test(value));
  const end = words.findIndex((word, index) => index >= start && /^[-(!]/.test(word.value));
  return start === -1 ? [] : words.slice(start, end === -1 ? words.length : end);
}
