/** Where the options of a command end. */
import type { ShellWord } from "./shell-word.js";

/** The options of a program that take a value of their own. */
export interface ValueOptions {
  /** `"ks"` for `-k 5 -s TERM`. */
  readonly letters?: string;
  /** Without dashes. */
  readonly long?: readonly string[];
  /** Letters whose value, if there is one, stands right behind them: `-j4`. */
  readonly attached?: string;
}

export interface Skipped {
  /** The first word that is no option and no value of one. */
  readonly index: number;
  /** False: a computed word stands before it, so that it may be another. */
  readonly isSure: boolean;
}

export function skipOptions(words: readonly ShellWord[], start: number, options: ValueOptions): Skipped {
  let index = start;
  let isSure = true;
  for (let word = words[index]; word; word = words[index]) {
    if (word.value === "--") return { index: index + 1, isSure };
    if (!word.unknown && !isOptionWord(word.value)) break;
    if (word.unknown) isSure = false;
    const value = takesNext(word.value, options) ? words[index + 1] : undefined;
    // Without quotes it may be several words.
    if (value?.unknown && !value.isOneWord) isSure = false;
    index += value ? 2 : 1;
  }
  return { index: Math.min(index, words.length), isSure };
}

export function isOptionWord(value: string): boolean {
  return value.startsWith("-") && value !== "-";
}

/** Whether the word after this option is its value. */
export function takesNext(option: string, { letters = "", long = [], attached = "" }: ValueOptions): boolean {
  if (option.startsWith("--")) {
    const name = option.slice(2);
    return name !== "" && !name.includes("=") && long.some((known) => known.startsWith(name));
  }
  const cluster = Array.from(option.slice(1));
  const at = cluster.findIndex((letter) => letters.includes(letter) || attached.includes(letter));
  return at !== -1 && at === cluster.length - 1 && letters.includes(cluster[at] ?? "");
}

/** Whether one of these options is there: letters in any group, long names shortened or with a value. */
export function hasOption(words: readonly ShellWord[], letters: string, long: readonly string[]): boolean {
  return words.some(({ value }) => {
    if (!isOptionWord(value)) return false;
    if (!value.startsWith("--")) return Array.from(value.slice(1)).some((letter) => letters.includes(letter));
    const [name = ""] = value.slice(2).split("=", 1);
    return name !== "" && long.some((known) => known.startsWith(name));
  });
}

/** The value of an option, written apart, attached or with `=`. Null when the option is not there. */
export function optionValue(words: readonly ShellWord[], letter: string, long: string): ShellWord | null {
  for (const [index, word] of words.entries()) {
    const { value } = word;
    if (value === `-${letter}` || value === `--${long}`) return words[index + 1] ?? null;
    if (value.startsWith(`--${long}=`)) return { ...word, value: value.slice(long.length + 3) };
    if (/^-[A-Za-z]+$/.test(value) && value.endsWith(letter)) return words[index + 1] ?? null;
  }
  return null;
}
