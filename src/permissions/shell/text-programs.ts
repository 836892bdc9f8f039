/** `sed` and `awk` have languages of their own, in which a program can be run. Only what is plainly harmless is seen. */
import { isPlainAwk } from "./awk-program.js";
import { isOptionWord, skipOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, type Unwrapped } from "./unwrapped.js";

export function unwrapTextProgram(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (name === "sed") return unwrapSed(words);
  return /^[mn]?awk$/.test(name) ? unwrapAwk(name, words) : null;
}

/** In brackets, what ends a pattern elsewhere is a letter like any other. */
const BRACKETS = String.raw`\[\^?\]?[^\]\\\n]*\]`;
const ADDRESS = String.raw`(?:\d+|\$|/(?:${BRACKETS}|[^/\\\n[]|\\.)*/I?)`;
const SUBSTITUTION = String.raw`s([/|,#:@%!])(?:${BRACKETS}|(?!\2)[^\\\n[]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2[gpiI0-9]*`;
/**
 * One command without blanks around it: an address or two, then printing, deleting or substituting, without `e`, `w` and
 * `r`. No two parts of it take the same blanks, so that it takes no longer than the text is long.
 */
const SED_COMMAND = new RegExp(
  String.raw`^(${ADDRESS}(?:\s*,\s*[+~]?${ADDRESS})?(?:\s*!)?\s*)?(?:[pdqPDgGhHxnN=]|${SUBSTITUTION})?$`,
);

/**
 * Text that is put in: all that follows, where a newline has a backslash before it. Backslashes in a row are read in more
 * than one way.
 */
const SED_TEXT = new RegExp(
  String.raw`^\s*(?:${ADDRESS}\s*!?\s*)?[aic](?:\\\n|\\[ \t]*(?=[^\\\s])|[ \t]+(?=[^\\\s]))(?:[^\n\\]|\\[^\\])*$`,
);
/** Names that a star makes; none of them begins with a dash. */
const FILE_GLOB = /^[\w.][\w./*?-]*$/;

function unwrapSed(words: readonly ShellWord[]): Unwrapped | null {
  if (words.length === 2 && /^--(?:version|help)$/.test(words[1]?.value ?? "")) return null;
  const scripts = sedScripts(words);
  if (scripts?.every((script) => !script.unknown && isPlainSed(script.value))) return null;
  return hides("a program of sed can run others and write files", [glimpse(words.slice(1))]);
}

function isPlainSed(script: string): boolean {
  // A substitution may hold a semicolon of its own: then the pieces do not read as commands, and a person is asked.
  return SED_TEXT.test(script) || isSedCommand(script) || script.split(/[;\n]/).every(isSedCommand);
}

function isSedCommand(text: string): boolean {
  return SED_COMMAND.test(text.trim());
}

/** Null when they are in a file, or cannot be told from file names. */
function sedScripts(words: readonly ShellWord[]): readonly ShellWord[] | null {
  const scripts: ShellWord[] = [];
  let first: ShellWord | null = null;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    const value = word?.value ?? "";
    if (word?.unknown && (first || scripts.length > 0) && FILE_GLOB.test(value)) continue;
    if (!word || word.unknown) return null;
    if (value === "-e" || value === "--expression" || /^-[nErsuz]+e$/.test(value)) {
      index += 1;
      scripts.push(words[index] ?? word);
    } else if (
      /^-(?:[nErsuzi]+|i\S*|-in-place(?:=.*)?|-quiet|-silent|-regexp-extended|-posix|-debug)$/.test(value)
    )
      continue;
    else if (isOptionWord(value)) return null;
    // On macOS `-i ''` keeps no copy, and the next word is the program; elsewhere this one is.
    else if (value === "" && words[index - 1]?.value === "-i") scripts.push(word, words[index + 1] ?? word);
    else first ??= word;
  }
  if (scripts.length > 0) return scripts;
  return first ? [first] : [];
}

function unwrapAwk(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const { index, isSure } = skipOptions(words, 1, { letters: "Fv", long: ["field-separator", "assign"] });
  const options = words.slice(1, index).filter((word) => isOptionWord(word.value));
  const isPlain = options.every(({ value }) =>
    /^-(?:F.*|v.*|-field-separator.*|-assign.*|-posix|-)$/s.test(value),
  );
  const program = words[index];
  if (isSure && isPlain && program && !program.unknown && isPlainAwk(program.value)) return null;
  return hides(`a program of ${name} can run others and write files`, [glimpse(words.slice(1))]);
}
