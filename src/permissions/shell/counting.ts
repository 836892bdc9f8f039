/**
 * What a line counts with. Bash reads a variable that it counts with as an expression, in which an index is run as a line:
 * with `y='a[$(id)]'`, `$((y))` runs `id`. So only numbers may be in it.
 */
import type { Command, ParsedScript, PipelineNode, SyntaxNode, Word, WordPart } from "unbash";
import { hasOption } from "./option-words.js";
import { programName } from "./program-name.js";
import { VARIABLES } from "./shell-builtins.js";
import type { ShellWord } from "./shell-word.js";
import { assignedName, holdsAssignment } from "./variable-risk.js";

/** `$1`, `$@`: what a function or the line itself was given. */
const ARGUMENTS = "$1";

/** The shell itself puts texts into these: `_` is the last word of the command before. */
const OWN_TEXTS =
  "_ BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_EXECUTION_STRING BASH_REMATCH DIRSTACK MAPFILE OLDPWD OPTARG PWD REPLY".split(
    " ",
  );
const OWN_LISTS = "BASH_ARGC BASH_ARGV BASH_REMATCH COPROC DIRSTACK FUNCNAME GROUPS MAPFILE PIPESTATUS".split(
  " ",
);
/** Whatever these are given is counted with. */
const INTEGERS = ["RANDOM", "SRANDOM", "SECONDS", "LINENO", "HISTCMD"];

const COUNTED_LENGTH_MAX = 1_024;

export class Counting {
  private readonly counted = new Set<string>();
  private readonly texts = new Set<string>(OWN_TEXTS);
  /** Lists, and what a word of the shell gives one: `declare -a a='($(id))'` reads that as a list of its own. */
  private readonly lists = new Set<string>(OWN_LISTS);
  private readonly declared = new Set<string>();
  private problem: string | null = null;

  /** Why it may run something, when it may. `hasFunctions`: those are called with words. */
  risk(hasFunctions: boolean): string | null {
    if (hasFunctions) this.texts.add(ARGUMENTS);
    const list = [...this.declared].find((each) => this.lists.has(each) || this.lists.has("*"));
    if (list !== undefined) this.problem ??= `${list} may be read as a list, and run`;
    const name =
      INTEGERS.find((each) => this.texts.has(each)) ??
      [...this.counted].find((each) => this.texts.has(each) || this.texts.has("*"));
    return this.problem ?? (name === undefined ? null : `it counts with ${name}, which may be no number`);
  }

  /** Another shell, which may be given words of its own. */
  noteShell(): void {
    this.texts.add(ARGUMENTS);
  }

  /** One node; who visits all of them has seen everything. */
  note(node: SyntaxNode): void {
    switch (node.type) {
      case "ArithmeticWord":
        this.count(node.value, node.parts);
        return;
      case "ArithmeticCommandExpansion":
        if (!printsNumber(node.script)) this.problem ??= `it counts with what ${node.text} prints`;
        return;
      case "Coproc":
        if (node.name) this.lists.add(node.name.value);
        return;
      case "ParameterExpansion":
        this.countWord(node.index);
        if (node.index) this.lists.add(node.parameter);
        if (node.operation?.type === "Slice") {
          this.countWord(node.operation.offset);
          this.countWord(node.operation.length);
        }
        if (node.operation?.type === "Default" && node.operation.operator.endsWith("="))
          this.give(node.parameter, [node.operation.operand]);
        return;
      case "Assignment":
        this.countWord(node.index);
        if (node.index) this.lists.add(node.name);
        if (node.value.type === "ArrayValue") this.noteList(node.name, node.value.elements);
        this.give(node.name, node.value.type === "Word" ? [node.value] : node.value.elements);
        return;
      case "For":
      case "Select":
        this.give(node.name.value, node.type === "For" ? node.wordlist : undefined);
        return;
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator)) this.countIndex(node.operand.value, isComputed(node.operand));
        return;
      case "Redirect":
        if (node.descriptor?.type === "FileDescriptorVariable") this.countIndex(node.descriptor.name, false);
        return;
      case "TestBinary":
        if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
        this.countWord(node.left);
        this.countWord(node.right);
        return;
      default:
    }
  }

  /** Words of the shell that give variables a value, and programs that hand on some. */
  noteCommand([name, ...rest]: readonly ShellWord[]): void {
    const program = programName(name?.value ?? "");
    if (VARIABLES.has(program)) for (const { value } of rest) this.countIndex(value, false);
    switch (program) {
      case "[":
      case "test":
        for (const [at, { value, unknown }] of rest.entries())
          if (/^-[vR]$/.test(rest[at - 1]?.value ?? "")) this.countIndex(value, unknown);
        return;
      case "env":
      case "sudo":
        this.giveNamed(rest.filter(({ value }) => assignedName(value) !== null));
        return;
      case "let":
        for (const { value } of rest) this.count(value, undefined);
        return;
      case "set":
        if (rest.length > 0) this.texts.add(ARGUMENTS);
        return;
      case "printf":
        if (rest[0]?.value.startsWith("-v")) this.giveNamed(rest.slice(0, 2));
        return;
      case "declare":
      case "export":
      case "local":
      case "mapfile":
      case "read":
      case "readarray":
      case "readonly":
      case "typeset":
        this.giveNamed(rest);
        this.noteDeclared(program, rest);
        return;
      default:
    }
  }

  private noteDeclared(program: string, rest: readonly ShellWord[]): void {
    const isList = hasOption(rest, "aA", []) || /^(?:mapfile|readarray)$/.test(program);
    const isInteger = program !== "read" && hasOption(rest, "i", []);
    for (const { value, unknown, isList: isRead } of rest) {
      const name = assignedName(value) ?? /^[A-Za-z_]\w*$/.exec(value)?.[0];
      if (name === undefined) continue;
      const given = value.slice(name.length);
      if (isList) this.lists.add(name);
      if (isInteger) this.counted.add(name);
      if (isInteger) this.count(given, undefined);
      if (!isRead && /^\+?=/.test(given) && (unknown || /^\+?=\s*\(/.test(given))) this.declared.add(name);
    }
  }

  private noteList(name: string, elements: readonly Word[]): void {
    this.lists.add(name);
    for (const { value } of elements) this.countIndex(value, false);
  }

  /** `b[x]` as a name, `[x]=` in a list: what is in it is counted with. */
  private countIndex(text: string, isUnknown: boolean): void {
    const [, name, index] = /^(?:-v)?(\w*)\[(.*)\]/s.exec(text) ?? [];
    if (name !== undefined) this.lists.add(name);
    if (index !== undefined) this.count(index, undefined);
    else if (isUnknown) this.problem ??= `it counts with what is in ${text}`;
  }

  private giveNamed(words: readonly ShellWord[]): void {
    for (const { value, unknown } of words) {
      const name = assignedName(value) ?? /^(?:-v)?([A-Za-z_]\w*)(?:\[.*\])?$/s.exec(value)?.[1];
      if (unknown && assignedName(value) === null) this.texts.add("*");
      // What is assigned has been noted by its own node, which knows what is a number.
      if (name !== undefined && !(unknown && assignedName(value) !== null) && !/=[-+]?\d*$/.test(value))
        this.texts.add(name);
    }
  }

  private give(name: string, values: readonly Word[] | undefined): void {
    if (!values?.every(isNumber)) this.texts.add(name);
  }

  private countWord(word: Word | undefined): void {
    if (word) this.count(word.value, word.parts);
  }

  private count(text: string, parts: readonly WordPart[] | undefined): void {
    if (text.length > COUNTED_LENGTH_MAX) {
      this.problem ??= "it counts with a very long text";
      return;
    }
    if (holdsAssignment(text)) this.problem ??= `${text} may change which program is run`;
    const printing = pieces(parts ?? []).find(
      (part) => part.type === "CommandExpansion" && !printsNumber(part.script),
    );
    if (printing) this.problem ??= `it counts with what ${printing.text} prints`;
    // How many there are, or how long something is, is a number; and what a command is called is not counted with.
    const own = text.replaceAll(/\$\{#[^}]*\}|\$\(.*\)|`.*`/gs, "");
    for (const [name] of own.matchAll(/[A-Za-z_]\w*/g)) this.counted.add(name);
    if (/\$\{?[\d@*]/.test(own)) this.counted.add(ARGUMENTS);
  }
}

function pieces(parts: readonly WordPart[]): readonly WordPart[] {
  return parts.flatMap((part): readonly WordPart[] => (part.type === "DoubleQuoted" ? part.parts : [part]));
}

const NUMBERS = /^\$\{?(?:[#?$!]|RANDOM|SRANDOM|SECONDS|LINENO|BASHPID|PPID|UID|EUID|EPOCHSECONDS)\}?$/;

function isNumber({ value, parts }: Word): boolean {
  if (!parts) return /^[-+]?\d*$/.test(value);
  return pieces(parts).every((part) => {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return /^[-+]?\d*$/.test(part.value);
      case "ArithmeticExpansion":
        return true;
      case "CommandExpansion":
        return printsNumber(part.script);
      case "SimpleExpansion":
        return NUMBERS.test(part.text);
      case "ParameterExpansion":
        return part.prefix === "#" || NUMBERS.test(part.text);
      case "BraceExpansion":
        return /^\{[-+]?\d+\.\.[-+]?\d+(?:\.\.[-+]?\d+)?\}$/.test(part.text);
      default:
        return false;
    }
  });
}

/** Programs that print nothing but numbers, when they are called so. */
const PRINTS_NUMBERS: Readonly<Record<string, (rest: readonly string[]) => boolean>> = {
  date: (rest) =>
    rest.every((word) => /^(?:-u|--utc|\+%[sNYmdHMSju]+)$/.test(word)) &&
    rest.some((word) => word.startsWith("+")),
  git: (rest) => rest[0] === "rev-list" && rest.includes("--count"),
  // With other letters or names it prints those of files.
  grep: (rest) =>
    rest.every((word) => !word.startsWith("-") || /^(?:-[cEFGPiovwxq]+|--count)$/.test(word)) &&
    rest.some((word) => /^-(?:[a-zA-Z]*c|-count$)/.test(word)) &&
    operandsIn(rest) <= 1,
  id: (rest) => rest.length === 1 && /^-[ug]$/.test(rest[0] ?? ""),
  nproc: () => true,
  seq: (rest) => rest.every((word) => /^-?\d+$/.test(word)),
  stat: (rest) =>
    /^(?:-c|-f|--format)$/.test(rest[0] ?? "") &&
    /^%[sYXZiugz]$/.test(rest[1] ?? "") &&
    rest.slice(2).every((word) => !word.startsWith("-")),
  wc: (rest) => operandsIn(rest) === 0,
};

function operandsIn(words: readonly string[]): number {
  return words.filter((word) => !word.startsWith("-")).length;
}

/** Whether what the last of its commands prints can only be a number. */
function printsNumber(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  if (!statement || more.length > 0 || statement.background || statement.command.type === "AndOr")
    return false;
  const last = lastOf(statement.command);
  if (!last?.name || last.name.parts || last.prefix.length > 0) return false;
  const rest = last.args.map((arg) => (arg.type === "Word" && !isComputed(arg) ? arg.value : "computed"));
  const name = programName(last.name.value);
  return Object.hasOwn(PRINTS_NUMBERS, name) && PRINTS_NUMBERS[name]?.(rest) === true;
}

function lastOf(node: PipelineNode): Command | null {
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  return last?.type === "Command" ? last : null;
}

function isComputed({ parts }: Word): boolean {
  return pieces(parts ?? []).some(({ type }) => type !== "Literal" && type !== "SingleQuoted");
}
