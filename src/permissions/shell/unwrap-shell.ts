/** Shells that a command starts, and the words of the shell that read a line again. */
import { isOptionWord, optionValue, skipOptions } from "./option-words.js";
import { programName } from "./program-name.js";
import { isInputName } from "./redirections.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, lineOf, runs, type Inner, type Unwrapped } from "./unwrapped.js";

/** Shells whose language we read. */
const READ = new Set("bash sh dash ash rbash".split(" "));
/** Shells whose language we do not; of most it is near enough to see what is denied. */
const FOREIGN = new Set("zsh fish csh tcsh ksh mksh yash pwsh powershell nu xonsh elvish".split(" "));

export function isShell(name: string): boolean {
  return READ.has(name) || FOREIGN.has(name);
}

export function unwrapShell(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (name === "eval") return readAgain(words.slice(1), "eval");
  if (name === "trap") return unwrapTrap(words);
  if (FOREIGN.has(name))
    return hides(`${name} has a language of its own`, [
      glimpse(words.slice(1)),
      ...unwrapKnownShell(name, words).inner,
    ]);
  return READ.has(name) ? unwrapKnownShell(name, words) : unwrapLineRunner(name, words);
}

/**
 * A shell among the words of a program that we know nothing of: whatever that is, it will run it. Names of shells are
 * also names of packages, so that a name alone does not count, and a path or a name with `-c` does.
 */
export function unwrapHandedShell(words: readonly ShellWord[]): Unwrapped | null {
  const index = words.findIndex(({ value, unknown }, at) => {
    if (at === 0 || unknown || !isShell(programName(value))) return false;
    return value.startsWith("/") || /^-[a-z]*c$/.test(words[at + 1]?.value ?? "");
  });
  return index === -1 ? null : runs([{ type: "words", words: words.slice(index) }]);
}

function unwrapKnownShell(name: string, words: readonly ShellWord[]): Unwrapped {
  const { index, isSure } = skipOptions(words, 1, { letters: "oO", long: ["rcfile", "init-file"] });
  const options = words.slice(1, index).filter((word) => isOptionWord(word.value));
  const operands = words.slice(index);
  const has = (option: RegExp) => options.some(({ value }) => option.test(value));
  const isKeyword = words.slice(1, index).some(({ value }) => /^-[A-Za-z]*k|^keyword$/.test(value));
  const [script] = operands;
  // `+O name` is an option as well.
  if (!isSure || script?.value.startsWith("+"))
    return hides(`it cannot be seen what ${name} runs`, [glimpse(words.slice(1)), ...likelyLine(words)]);
  if (has(/^--(?:rcfile|init-file)|^-[a-z]*i/))
    return hides(`${name} reads a file of its own first`, [glimpse(words.slice(1))]);
  if (isKeyword) return hides("words behind a command are assignments", [lineOf(operands)]);
  if (has(/^-[A-Za-z]*c/)) return runLine(name, script);
  if (script && !isInputName(script.path) && !has(/^-[A-Za-z]*s/))
    return runs([{ type: "words", words: operands, isSeen: true, isScript: true }]);
  const onlyTells = options.length > 0 && options.every(({ value }) => /^--(?:version|help)$/.test(value));
  return onlyTells ? runs([]) : hides(`${name} runs what it reads`);
}

/** A word that is computed may be an option more. Most often it is the line. */
function likelyLine(words: readonly ShellWord[]): readonly Inner[] {
  const option = words.findIndex(({ value, unknown }) => !unknown && /^-[A-Za-z]*c$/.test(value));
  const line = option === -1 ? undefined : words[option + 1];
  return line ? [lineOf([line])] : [];
}

function runLine(name: string, script: ShellWord | undefined): Unwrapped {
  if (!script) return hides(`it cannot be seen what ${name} runs`);
  const inner: Inner = { type: "script", text: script.value, ...(name === "bash" ? {} : { isPosix: true }) };
  if (script.unknown) return hides(`it cannot be seen what ${name} runs`, [inner]);
  return { isTransparent: true, inner: [inner], opaque: null };
}

/** `eval` puts its words together and reads them as a line. */
function readAgain(words: readonly ShellWord[], name: string): Unwrapped {
  if (words.some((word) => word.unknown))
    return hides(`it cannot be seen what ${name} runs`, [lineOf(words), glimpse(words)]);
  return { isTransparent: true, inner: [lineOf(words)], opaque: null };
}

/** `trap 'line' EXIT` */
function unwrapTrap(words: readonly ShellWord[]): Unwrapped | null {
  const [line] = words.slice(1).filter((word, index) => index > 0 || word.value !== "--");
  if (!line || isOptionWord(line.value) || line.value === "-") return null;
  return readAgain([line], "trap");
}

/** Programs that hand a line to a shell with `-c`, or run the words after their operands: so many are their own. */
const LINE_RUNNERS: Readonly<Record<string, number>> = { su: 1, runuser: 1, script: 1, flock: 1, watch: 0 };

function unwrapLineRunner(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const operands = Object.hasOwn(LINE_RUNNERS, name) ? LINE_RUNNERS[name] : undefined;
  if (operands === undefined) return null;
  const line = name === "watch" ? null : optionValue(words.slice(1), "c", "command");
  const letters = name === "watch" ? "nq" : "wEc";
  const { index } = skipOptions(words, 1, { letters, long: ["wait", "timeout", "interval", "command"] });
  const rest = words.slice(index + operands);
  // An option behind its operand is its own, too.
  const isCommand = rest.length > 0 && !isOptionWord(rest[0]?.value ?? "");
  const lines = [...(line ? [lineOf([line])] : []), ...(isCommand ? [lineOf(rest)] : [])];
  if (words.some((word) => word.unknown))
    return hides(`it cannot be seen what ${name} runs`, [...lines, glimpse(words.slice(1))]);
  if (lines.length === 0)
    return name === "flock" || name === "watch" ? null : hides(`${name} starts a shell`);
  return runs(lines);
}
