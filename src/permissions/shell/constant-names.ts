/**
 * Variables whose value the line itself tells: `for f in a b` and `f=a`, when nothing else in the line can change it. Then
 * `"$f"` is as good as written out.
 */
import type { SimpleCommand } from "../../core/index.js";
import { programName } from "./program-name.js";
import type { ShellWord } from "./shell-word.js";
import { variableRisk } from "./variable-risk.js";

/** Which value each has at some place of the line. */
export type Constants = ReadonlyMap<string, ShellWord>;

export const NO_CONSTANTS: Constants = new Map();

/** Each is looked for in the whole line. */
const NAMES_MAX = 32;

/** Which variables of one shell have the value that its line gives them. */
export class ConstantNames {
  private readonly known = new Map<string, boolean>();

  /** `line`: all that the shell reads; null: nothing in it is taken for constant. */
  constructor(private readonly line: string | null) {}

  has(name: string): boolean {
    const known = this.known.get(name);
    const isSo = known ?? (this.line !== null && this.known.size < NAMES_MAX && isGivenOnce(name, this.line));
    this.known.set(name, isSo);
    return isSo;
  }

  /** Of another shell, which has a line and variables of its own. */
  ofShell(line: string): ConstantNames {
    return new ConstantNames(this.line === null ? null : line);
  }
}

/** `name`: that the line gives it a value. Every other place where it stands may only use it. */
function isGivenOnce(name: string, line: string): boolean {
  // A line that goes on may hide a name.
  if (/\w\\\n\w/.test(line)) return false;
  if (!/^[A-Za-z_]\w*$/.test(name) || variableRisk(name) === "risky") return false;
  // Whatever is counted with may be assigned to; `printf -vf` gives f a value.
  if (/\(\(|\$\[|\blet\b/.test(line) || new RegExp(`-\\w+${name}(?!\\w)`).test(line)) return false;
  let given = 0;
  for (const { index } of line.matchAll(new RegExp(`(?<!\\w)${name}(?!\\w)`, "g"))) {
    const end = index + name.length;
    const [before, after] = [textBefore(line, index), line.slice(end, end + NEAR_LENGTH)];
    if (isGiven(before, after)) given += 1;
    else if (!isUse(before, after)) return false;
  }
  return given === 1;
}

const NEAR_LENGTH = 40;

/** What stands near it is enough. What is cut off begins with a letter, and not as a line does. */
function textBefore(line: string, index: number): string {
  return index <= NEAR_LENGTH ? line.slice(0, index) : `_${line.slice(index - NEAR_LENGTH, index)}`;
}

function isGiven(before: string, after: string): boolean {
  return (
    (/(?:^|\s)for\s+$/.test(before) && /^\s+in\s/.test(after)) ||
    (/(?:^|[\s;&])$/.test(before) && after.startsWith("="))
  );
}

/** `$f`, `${f}`, `${f%.ts}`; or a part of another word. */
function isUse(before: string, after: string): boolean {
  return /(?:\$|[-./])$/.test(before) || (/\$\{#?$/.test(before) && /^(?:[}%#/^,]|:[^=])/.test(after));
}

/**
 * Whether some command may give a value to one of these variables, or to one whose name cannot be seen. None does that
 * plainly: the line would not have been taken for one that gives it once.
 */
export function mayGive({ words, unknown }: SimpleCommand, names: ReadonlySet<string>): boolean {
  const program = programName(words[0] ?? "");
  if (unknown[0] === 0) return true;
  if (program === "printf" && words[1]?.startsWith("-v") !== true) return unknown[0] === 1;
  return (
    (GIVES.has(program) || program === "printf") &&
    (unknown.length > 0 || words.some((word) => names.has(/^(?:-v)?(\w*)/.exec(word)?.[1] ?? "")))
  );
}

const GIVES = new Set(
  "read mapfile readarray getopts declare typeset local export readonly unset let wait eval source . exec".split(
    " ",
  ),
);
