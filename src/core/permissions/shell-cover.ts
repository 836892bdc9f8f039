/** Allows and grants: whether a pattern covers a command. Word by word, in this order, nothing left over. */
import type { PatternWord, ShellPattern } from "./shell-pattern.js";
import type { SimpleCommand } from "./shell-analysis.js";
import { matchesTextGlob } from "./text-glob.js";
import { spend } from "./work.js";

/**
 * A word that the shell computes may be anything, and several words: only a star that stands alone covers it, or comes
 * before it at the end of a pattern. So it is with a name that means another file than where the rule was made.
 */
export function patternCovers({ words: pattern, isOpen }: ShellPattern, command: SimpleCommand): boolean {
  // Most rules are about another program: that is seen at the first word.
  const [first] = pattern;
  const firstWord = command.assignments[0] ?? command.words[0] ?? "";
  if (first && !first.isAny && first.glob.length === 1 && first.glob[0] !== firstWord) return false;

  const assigned = command.assignments.length;
  const words = assigned === 0 ? command.words : [...command.assignments, ...command.words];
  const fits = ({ glob }: PatternWord, index: number): boolean =>
    !command.unknown.includes(index - assigned) &&
    !command.elsewhere.includes(index - assigned) &&
    matchesTextGlob(glob, words[index] ?? "");

  // As with every star: take as few words as possible, and one more with the newest star whenever that fails.
  let at = 0;
  let anyAt = -1;
  let resumeAt = 0;
  let index = 0;
  while (index < words.length) {
    spend(1);
    const one = pattern[at];
    if (one?.isAny) {
      anyAt = at;
      resumeAt = index;
      at += 1;
    } else if (one && fits(one, index)) {
      if (isOpen && at === pattern.length - 1) return true;
      at += 1;
      index += 1;
    } else if (anyAt >= 0) {
      at = anyAt + 1;
      resumeAt += 1;
      index = resumeAt;
    } else return false;
  }
  while (pattern[at]?.isAny) at += 1;
  return at === pattern.length;
}
