/** Shells that a command starts, and the words of the shell that read a line again. */
import { isOptionWord, optionValue, skipOptions } from "./option-words.js";
import { programName } from "./program-name.js";
import { isInputName } from "./redirections.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Inner, type Unwrapped } from "./unwrapped.js";

/** Shells whose language we read. */
const READ = new Set("bash sh dash ash rbash".split(" "));
/** Shells whose language we do not. */
const FOREIGN = new Set(
  "zsh fish csh tcsh ksh mksh yash posh rc es sash pwsh powershell nu xonsh elvish".split(" "),
);

/** Shells whose language is near enough to ours to see what is denied. */
const SIMILAR = new Set("zsh fish ksh mksh yash posh".split(" "));

export function isShell(name: string): boolean {
  return READ.has(name) || FOREIGN.has(name) || name === "eval";
}

const OWN_FILES = /^--(?:rcfile|init-file)/;

export function unwrapShell(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (name === "eval") return readAgain(words.slice(1), "eval");
  if (name === "trap") return unwrapTrap(words);
  if (FOREIGN.has(name)) {
    const inner = SIMILAR.has(name) ? unwrapKnownShell(name, words).inner : [];
    return hides(`${name} has a language of its own`, [glimpse(words.slice(1)), ...inner]);
  }
  return READ.has(name) ? unwrapKnownShell(name, words) : null;
}

/**
 * A shell among the words of a program that we know nothing of: whatever that is, it will run it. Names of shells are
 * also names of packages, so that a name alone does not count, and a path or a name with `-c` does.
 */
export function unwrapHandedShell(words: readonly ShellWord[]): Unwrapped | null {
  const index = words.findIndex(({ value, unknown }, at) => {
    if (at === 0 || unknown) return false;
    const name = programName(value);
    return isShell(name) && (/^\/.*\/|^\/bin\//.test(value) || /^-[a-z]*c$/.test(words[at + 1]?.value ?? ""));
  });
  if (index !== -1) return runs([{ type: "words", words: words.slice(index) }]);
  const holder = words.find(({ value }, at) => at > 0 && SHELL_INSIDE.test(value));
  return holder
    ? hides("a shell is among the words of a program that may run it", [glimpse(words.slice(1))])
    : null;
}

/** `exec:/bin/sh,pty`, `--command=/bin/sh`, `'/bin/sh -s'` */
const SHELL_INSIDE =
  /[^\w./-]\/(?:usr\/)?(?:local\/)?bin\/(?:ba|da|z|k|c|tc|fi|a)?sh\b|^\/(?:usr\/)?bin\/(?:ba|da|z|k)?sh\s/;

function unwrapKnownShell(name: string, words: readonly ShellWord[]): Unwrapped {
  const { index, isSure } = skipOptions(words, 1, { letters: "oO", long: ["rcfile", "init-file"] });
  const options = words.slice(1, index).filter((word) => isOptionWord(word.value));
  const operands = words.slice(index);
  if (!isSure)
    return hides(`it cannot be seen what ${name} runs`, [glimpse(words.slice(1)), ...likelyLine(words)]);
  const isInteractive = options.some(({ value }) => OWN_FILES.test(value) || /^-[a-z]*i/.test(value));
  if (isInteractive) return hides(`${name} reads a file of its own first`, [glimpse(words.slice(1))]);
  const [script] = operands;
  // `+O name` is an option as well.
  if (script?.value.startsWith("+")) return hides(`it cannot be seen what ${name} runs`, [glimpse(operands)]);
  if (options.some(({ value }) => /^-[A-Za-z]*c/.test(value))) return runLine(name, script);
  if (!script || isInputName(script.path) || options.some(({ value }) => /^-[A-Za-z]*s/.test(value)))
    return options.length > 0 && options.every(({ value }) => /^--(?:version|help)$/.test(value))
      ? runs([])
      : hides(`${name} runs what it reads`);
  return runs([{ type: "words", words: operands, isSeen: true, isScript: true }]);
}

/** A word that is computed may be an option more. Most often it is the line. */
function likelyLine(words: readonly ShellWord[]): readonly Inner[] {
  const option = words.findIndex(({ value, unknown }) => !unknown && /^-[A-Za-z]*c$/.test(value));
  const line = option === -1 ? undefined : words[option + 1];
  return line ? [lineOf([line])] : [];
}

function runLine(name: string, script: ShellWord | undefined): Unwrapped {
  if (!script) return hides(`it cannot be seen what ${name} runs`);
  const inner: Inner = {
    type: "script",
    text: script.value,
    isAll: true,
    ...(name === "bash" ? {} : { isPosix: true }),
  };
  if (script.unknown) return hides(`it cannot be seen what ${name} runs`, [inner]);
  return { isTransparent: true, inner: [inner], opaque: null };
}

/** What is computed in it is computed when it is read again: the rest can be seen. */
function lineOf(words: readonly ShellWord[]): Inner {
  return { type: "script", text: words.map((word) => word.value).join(" ") };
}

/** `eval` puts its words together and reads them as a line. */
function readAgain(words: readonly ShellWord[], name: string): Unwrapped {
  const inner = [lineOf(words)];
  if (words.some((word) => word.unknown))
    return hides(`it cannot be seen what ${name} runs`, [...inner, glimpse(words)]);
  return { isTransparent: true, inner, opaque: null };
}

/** `trap 'line' EXIT` */
function unwrapTrap(words: readonly ShellWord[]): Unwrapped | null {
  const operands = words.slice(1).filter((word, index) => index > 0 || word.value !== "--");
  const [line] = operands;
  if (!line || isOptionWord(line.value) || line.value === "-") return null;
  return readAgain([line], "trap");
}

const LINE_RUNNERS: Readonly<Record<string, readonly [letter: string, long: string]>> = {
  su: ["c", "command"],
  runuser: ["c", "command"],
  script: ["c", "command"],
  flock: ["c", "command"],
};

/** Programs that hand a line to a shell with `-c`, or run the words after their operand. */
export function unwrapLineRunner(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (name === "watch") return unwrapWatch(words);
  if (name === "hyperfine") return unwrapHyperfine(words);
  const option = Object.hasOwn(LINE_RUNNERS, name) ? LINE_RUNNERS[name] : undefined;
  if (!option) return null;
  const line = optionValue(words.slice(1), ...option);
  if (line?.unknown)
    return hides(`it cannot be seen what ${name} runs`, [lineOf([line]), glimpse(words.slice(1))]);
  const lines: readonly Inner[] = line ? [{ type: "script", text: line.value }] : [];
  if (name === "su" || name === "runuser") return line ? runs(lines) : hides(`${name} starts a shell`);
  const { index } = skipOptions(words, 1, {
    letters: "wEIOTtmB",
    long: ["wait", "timeout", "conflict-exit-code"],
  });
  // The first operand is a file of its own; an option behind it is its own, too.
  const command = words.slice(index + 1);
  const isCommand = command.length > 0 && !isOptionWord(command[0]?.value ?? "");
  const inner = isCommand ? [...lines, { type: "words", words: command } as const] : lines;
  if (inner.length > 0) return runs(inner);
  return name === "script" ? hides("script starts a shell") : null;
}

/** Each of its operands is a line, and so are the values of most of its options. */
function unwrapHyperfine(words: readonly ShellWord[]): Unwrapped {
  const lines = words
    .slice(1)
    .map(({ value, ...word }) => ({ ...word, value: value.replace(/^--[a-z-]+=/, "") }));
  const given = lines.filter(({ value }) => !isOptionWord(value) && !/^[\d.]+$/.test(value));
  return given.some((word) => word.unknown)
    ? hides("it cannot be seen what hyperfine runs", [...given.map((word) => lineOf([word])), glimpse(words)])
    : runs(given.map((word) => lineOf([word])));
}

/** `watch` gives its words to a shell, unless told not to: then they are a command. Both are looked at as a line. */
function unwrapWatch(words: readonly ShellWord[]): Unwrapped | null {
  const { index, isSure } = skipOptions(words, 1, { letters: "nq", long: ["interval", "equexit"] });
  const unsure = words.findIndex((word) => word.unknown);
  const rest = words.slice(isSure ? index : unsure);
  if (rest.length === 0) return null;
  if (!isSure || rest.some((word) => word.unknown))
    return hides("it cannot be seen what watch runs", [lineOf(rest), glimpse(rest)]);
  return runs([lineOf(rest)]);
}
