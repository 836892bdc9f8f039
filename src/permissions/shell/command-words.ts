/** The words and assignments of one command. */
import type { Assignment, Command, Word, WordPart } from "unbash";
import { literalWord, readWord, type ShellWord } from "./shell-word.js";
import { assignmentRisk, holdsAssignment, holdsSubstitution, variableRisk } from "./variable-risk.js";

export interface Assigned {
  readonly name: string;
  /** `NAME=value`, quotes resolved. */
  readonly text: string;
  /** The shell computes the value. */
  readonly isUnknown: boolean;
  /** The value is a text that the shell may run when the variable is used. */
  readonly isRunnable: boolean;
}

export interface CommandWords {
  /** Empty when the line only assigns. */
  readonly words: readonly ShellWord[];
  readonly assigned: readonly Assigned[];
}

/** Of more, only the first are read: who reads the line hides it then. */
export const WORDS_MAX = 1_000;

export function readCommand({ name, prefix, args }: Command): CommandWords {
  const all = prefix
    .slice(0, WORDS_MAX)
    .filter((each) => each.type === "Assignment")
    .map(readAssignment);
  const words = name ? readWord(name) : [];
  const assigned = all.filter((each) => !isHarmlessFor(words, each));
  const rest = args
    .slice(0, WORDS_MAX)
    .flatMap((arg) => (arg.type === "Word" ? readOperand(arg) : [asWord(arg)]));
  return { words: [...words, ...rest], assigned };
}

/** What is set for one command only, and says nothing about what that runs. */
function isHarmlessFor([name]: readonly ShellWord[], assigned: Assigned): boolean {
  if (!name || assigned.isRunnable) return false;
  // How `read` parts a line is its own affair.
  if (assigned.name === "IFS" && name.value === "read" && !name.unknown) return true;
  return (
    !assigned.isUnknown &&
    variableRisk(assigned.name) !== "harmless" &&
    assignmentRisk(assigned.text) === "harmless"
  );
}

function readOperand(word: Word): readonly ShellWord[] {
  const words = readWord(word);
  const [only, ...more] = words;
  if (!only || more.length > 0) return words;
  // What is behind it has no name that a rule could be about.
  if (word.parts?.length === 1 && word.parts[0]?.type === "ProcessSubstitution")
    return [{ ...only, path: "/dev/fd/63", exact: true }];
  const folder = only.unknown ? IN_FOLDER.exec(only.value) : null;
  const known = folder ? { ...only, path: `.${folder[1] ?? ""}`, exact: true } : only;
  return [word.parts?.every(isWhole) ? { ...known, isOneWord: true } : known];
}

/** The only part that is computed is the folder itself. */
const IN_FOLDER = /^\$\(pwd\)((?:\/[\w.-]+)*\/?)$/;

/** Whether this part of a word cannot make several of it. */
function isWhole(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true;
    case "DoubleQuoted":
      return part.parts.every(({ type, text }) => type === "Literal" || !/^\$(?:@|\{[^}]*@)/.test(text));
    default:
      return false;
  }
}

function readAssignment({ name, append, value, text }: Assignment): Assigned {
  if (value.type === "ArrayValue")
    return {
      name,
      text,
      isUnknown: true,
      isRunnable: value.elements.some((word) => isRunnable(readWord(word))),
    };
  const words = readWord(value);
  const written = words.map((word) => word.value).join(" ");
  return {
    name,
    text: `${name}${append ? "+=" : "="}${written}`,
    isUnknown: words.some((word) => word.unknown),
    isRunnable: isRunnable(words),
  };
}

function isRunnable(words: readonly ShellWord[]): boolean {
  return words.some(({ unknown, value }) => !unknown && (holdsSubstitution(value) || holdsAssignment(value)));
}

/** `export NAME=value`: to the shell a word like any other. */
function asWord(assignment: Assignment): ShellWord {
  const { text, isUnknown } = readAssignment(assignment);
  return {
    ...literalWord(text),
    unknown: isUnknown,
    exact: !isUnknown,
    ...(isUnknown ? { path: "/**" } : {}),
    ...(assignment.value.type === "ArrayValue" ? { isList: true } : {}),
  };
}
