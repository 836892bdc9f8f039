/** Commands that make links, or move and copy them as they are: afterwards a name leads elsewhere than we followed it. */
import type { SimpleCommand } from "../../core/index.js";
import { isOptionWord, skipOptions } from "./option-words.js";
import { programName } from "./program-name.js";
import type { ShellWord } from "./shell-word.js";
import { GIT_GLOBAL } from "./unwrap-git.js";

const LINKERS = new Set(["ln", "link", "mount"]);

/** Whether a command of this line makes links. What one tar packs, links too, another one of the line unpacks. */
export function linkMakers(commands: readonly SimpleCommand[]): (command: SimpleCommand) => boolean {
  const tars = commands.filter(isTar);
  const isRepacking = tars.some((tar) => hasMode(tar, PACKS)) && tars.some((tar) => hasMode(tar, UNPACKS));
  return (command) =>
    LINKERS.has(programName(command.words[0] ?? "")) ||
    copiesAsLinks(command) ||
    (isRepacking && isTar(command));
}

function copiesAsLinks({ words }: SimpleCommand): boolean {
  return programName(words[0] ?? "") === "cp" && words.some((word) => /^(?:-[A-Za-z]*s|--sy)/.test(word));
}

const PACKS = /^-[A-Za-z]*[cru]|^--(?:cr|ap|up)/;
const UNPACKS = /^-[A-Za-z]*x|^--(?:ext|ge)/;

function isTar({ words }: SimpleCommand): boolean {
  return programName(words[0] ?? "") === "tar";
}

/** Its first letters may stand without a dash. */
function hasMode({ words }: SimpleCommand, mode: RegExp): boolean {
  return words.slice(1).some((word, at) => mode.test(at === 0 && !word.startsWith("-") ? `-${word}` : word));
}

const NONE: ReadonlySet<string> = new Set();

/** Options with which copies of links are links. */
const KEEPS_LINKS = /^(?:-[A-Za-z]*[PdaRrl]|--(?:no-d|ar|rec?|pres|links?))/;

/** The names of what is moved or copied, where a link stays a link. */
export function carriedPaths(program: string, words: readonly ShellWord[]): ReadonlySet<string> {
  switch (program) {
    case "mv":
      return namesOf(words.slice(1));
    case "cp":
    case "rsync":
      return words.some(({ value }) => KEEPS_LINKS.test(value)) ? namesOf(words.slice(1)) : NONE;
    case "git": {
      const { index } = skipOptions(words, 1, GIT_GLOBAL);
      return words[index]?.value === "mv" ? namesOf(words.slice(index + 1)) : NONE;
    }
    default:
      return NONE;
  }
}

/** All but the last, which says where to; unless an option does. */
function namesOf(words: readonly ShellWord[]): ReadonlySet<string> {
  const operands = words.filter(({ value, unknown }) => unknown || !isOptionWord(value));
  const isNamedBefore = words.some(({ value }) => /^(?:-[A-Za-z]*t|--target)/.test(value));
  return new Set((isNamedBefore ? operands : operands.slice(0, -1)).map(({ path }) => path));
}
