/**
 * Denies and asks: whether a pattern is about a command, however that is written.
 *
 * - The program may be named by any path and in any case of letters: `rm`, `/bin/rm`, `RM`.
 * - The pattern's options must all be there, in any order, place and grouping: `rm -rf` is about `rm -r x -f`.
 * - The pattern's other words must be the first other words of the command. A word right behind an option may be that
 *   option's value, and is passed over when it does not match: `git push` is about `git -C dir push`.
 *
 * Words that the shell computes may be anything: then the answer is `maybe`.
 */
import { synonymsOf } from "./option-synonyms.js";
import type { Reach } from "./path-rule.js";
import { namesProgram } from "./rule-groups.js";
import { plainName, programBase, type PatternWord, type ShellPattern } from "./shell-pattern.js";
import { matchesTextGlob } from "./text-glob.js";
import { spend } from "./work.js";

/** Longer words with one dash (`-delete`, `-name`) are one option, not letters. */
const CLUSTER = /^-([A-Za-z0-9]{1,4})$/;

export function patternReaches(
  pattern: ShellPattern,
  words: readonly string[],
  unknown: readonly number[],
  values: readonly number[] = [],
): Reach {
  if (unknown.includes(0)) return "maybe";
  const name = plainName(words[0] ?? "");
  if (!namesProgram(pattern, name)) return "no";
  spend(words.length + (unknown.length >> 2));
  const rest = words.slice(1);
  const wanted = pattern.words.slice(1);
  const isUnknown = (index: number) => unknown.includes(index + 1);
  const isValue = (index: number) => values.includes(index + 1);
  const mayBeAny = (index: number) => isUnknown(index) && !isValue(index);
  const options = optionsReach(wanted, programBase(name), rest, mayBeAny);
  if (options === "no") return "no";
  // Without the values it is sure; with them, one of them may be the word that is meant.
  const bare = rest.filter((_, index) => !isValue(index));
  const places = rest.flatMap((_, index) => (isValue(index) ? [] : [index]));
  const sure = operandsReach(wanted, bare, (index) => isUnknown(places[index] ?? index));
  return lesser(options, sure === "no" && values.length > 0 ? operandsReach(wanted, rest, isUnknown) : sure);
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-" && word !== "--";
}

function lesser(one: Reach, other: Reach): Reach {
  if (one === "no" || other === "no") return "no";
  return one === "maybe" || other === "maybe" ? "maybe" : "yes";
}

function optionsReach(
  wanted: readonly PatternWord[],
  program: string,
  words: readonly string[],
  isUnknown: (index: number) => boolean,
): Reach {
  const given = words.filter((word, index) => isOption(word) && !isUnknown(index));
  const isThere = wanted
    .filter(({ glob }) => isOption(glob[0] ?? ""))
    .every(({ glob }) => hasOption(glob, program, given));
  if (isThere) return "yes";
  return words.some((_, index) => isUnknown(index)) ? "maybe" : "no";
}

function hasOption(glob: readonly string[], program: string, given: readonly string[]): boolean {
  spend(given.length);
  const [option = "", ...stars] = glob;
  if (given.some((word) => matchesTextGlob(glob, word))) return true;
  if (stars.length > 0 || option.includes("=")) return false;
  const letters = CLUSTER.exec(option)?.[1];
  const names = letters === undefined ? [option.replace(/^--?/, "")] : Array.from(letters);
  return names.every((name) => synonymsOf(program, name).some((same) => isGiven(same, given)));
}

/** Letters stand in any group (`-xrf`); long names may be shortened (`--recurs`) and have a value (`--force=yes`). */
function isGiven(name: string, given: readonly string[]): boolean {
  if (name.length === 1) return given.some((word) => !word.startsWith("--") && word.includes(name, 1));
  return given.some((word) => {
    const [option = ""] = word.split("=", 1);
    if (!option.startsWith("--")) return option === `-${name}`;
    return option.length > 2 && `--${name}`.startsWith(option);
  });
}

/** Walks the command's words once, with the set of all places of the pattern that may be next. */
function operandsReach(
  wanted: readonly PatternWord[],
  words: readonly string[],
  isUnknown: (index: number) => boolean,
): Reach {
  const operands = wanted.filter(({ isAny, glob }) => isAny || !isOption(glob[0] ?? ""));
  const afterAny = (place: number): number => (operands[place]?.isAny ? afterAny(place + 1) : place);
  let places = new Set([afterAny(0)]);
  if (places.has(operands.length)) return "yes";
  for (const [index, word] of words.entries()) {
    if (isUnknown(index)) return "maybe";
    if (isOption(word) || word === "--") continue;
    const mayBeValue = isOption(words[index - 1] ?? "");
    const next = new Set<number>();
    spend(places.size);
    for (const place of places) {
      const operand = operands[place];
      if (operand && matchesTextGlob(operand.glob, word)) next.add(afterAny(place + 1));
      if (mayBeValue || operands[place - 1]?.isAny) next.add(place);
    }
    if (next.has(operands.length)) return "yes";
    if (next.size === 0) return "no";
    places = next;
  }
  return "no";
}
