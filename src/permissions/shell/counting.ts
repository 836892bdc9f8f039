/**
 * What a line counts with. Bash reads a variable that it counts with as an expression, in which an index is run as a line:
 * with `y='a[$(id)]'`, `$((y))` runs `id`. So only numbers may be in it.
 */
import type { SyntaxNode, Word, WordPart } from "unbash";
import type { ShellWord } from "./shell-word.js";
import { assignedName, holdsAssignment } from "./variable-risk.js";

/** `$1`, `$@`: what a function or the line itself was given. */
const ARGUMENTS = "$1";
/** The shell itself puts texts into these. */
const OWN_TEXTS =
  "_ BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_REMATCH DIRSTACK MAPFILE OLDPWD OPTARG PWD REPLY".split(" ");
/** Whatever these are given is counted with. */
const INTEGERS = ["RANDOM", "SRANDOM", "SECONDS", "LINENO", "HISTCMD"];
const GIVES = new Set(
  "declare env export getopts local mapfile printf read readarray readonly sudo typeset".split(" "),
);
const OWN_LISTS = "BASH_ARGC BASH_ARGV BASH_REMATCH COPROC DIRSTACK FUNCNAME GROUPS MAPFILE PIPESTATUS".split(
  " ",
);
const COUNTED_LENGTH_MAX = 1_024;

export class Counting {
  private readonly counted = new Set<string>();
  private readonly texts = new Set<string>(OWN_TEXTS);
  /** `declare a='($(id))'` reads that as a list of its own, where `a` is one. */
  private readonly lists = new Set<string>(OWN_LISTS);
  private readonly declared = new Set<string>();
  private problem: string | null = null;

  /** Why it may run something, when it may. `hasArguments`: functions or other shells are given words. */
  risk(hasArguments: boolean): string | null {
    if (hasArguments) this.texts.add(ARGUMENTS);
    const list = [...this.declared].find((each) => this.lists.has(each));
    if (list !== undefined) this.problem ??= `${list} may be read as a list, and run`;
    const name = [...INTEGERS, ...this.counted].find((each) => this.texts.has(each));
    return this.problem ?? (name === undefined ? null : `it counts with ${name}, which may be no number`);
  }

  /** One node; who visits all of them has seen everything. */
  note(node: SyntaxNode): void {
    switch (node.type) {
      case "ArithmeticWord":
        this.count(node.value, node.parts);
        return;
      case "ArithmeticCommandExpansion":
        this.problem ??= `it counts with what ${node.text} prints`;
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
        if (node.index || node.value.type === "ArrayValue") this.lists.add(node.name);
        if (node.value.type === "ArrayValue")
          for (const { value } of node.value.elements) this.countIndex(value);
        this.give(node.name, node.value.type === "Word" ? [node.value] : node.value.elements);
        return;
      case "For":
      case "Select":
        this.give(node.name.value, node.type === "For" ? node.wordlist : undefined);
        return;
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator) && pieces(node.operand.parts ?? []).some(isComputed))
          this.problem ??= `it counts with what is in ${node.operand.text}`;
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
  noteCommand(program: string, rest: readonly ShellWord[]): void {
    if (program === "let") for (const { value } of rest) this.count(value, undefined);
    if (program === "set" && rest.length > 0) this.texts.add(ARGUMENTS);
    if (!GIVES.has(program) || (program === "printf" && rest[0]?.value.startsWith("-v") !== true)) return;
    const isOther = program === "env" || program === "sudo";
    const isInteger = !isOther && program !== "read" && rest.some(({ value }) => /^-[A-Za-z]*i/.test(value));
    for (const { value, unknown, isList } of rest) {
      this.countIndex(value);
      const assigned = assignedName(value);
      const name = assigned ?? (isOther ? undefined : /^(?:-v)?([A-Za-z_]\w*)/.exec(value)?.[1]);
      if (name === undefined) continue;
      if (assigned !== null && unknown && !isList) this.declared.add(name);
      if (isInteger) this.counted.add(name);
      if (!/=[-+]?\d*$/.test(value)) this.texts.add(name);
    }
  }

  /** `b[x]` as a name, `[x]=` in a list: what is in it is counted with. */
  private countIndex(text: string): void {
    const index = /^(?:-v)?\w*\[(.*)\]/s.exec(text)?.[1];
    if (index !== undefined) this.count(index, undefined);
  }

  private give(name: string, values: readonly Word[] | undefined): void {
    if (!values?.every(isNumber)) this.texts.add(name);
  }

  private countWord(word: Word | undefined): void {
    if (word) this.count(word.value, word.parts);
  }

  private count(text: string, parts: readonly WordPart[] | undefined): void {
    if (text.length > COUNTED_LENGTH_MAX) this.problem ??= "it counts with a very long text";
    if (this.problem !== null) return;
    if (holdsAssignment(text)) this.problem = `${text} may change which program is run`;
    const printing = pieces(parts ?? []).find(({ type }) => type === "CommandExpansion");
    if (printing) this.problem ??= `it counts with what ${printing.text} prints`;
    // How many there are, or how long something is, is a number.
    const own = text.replaceAll(/\$\{#[^}]*\}/g, "");
    for (const [name] of own.matchAll(/[A-Za-z_]\w*/g)) this.counted.add(name);
    if (/\$\{?[\d@*]/.test(own)) this.counted.add(ARGUMENTS);
  }
}

function isComputed({ type }: WordPart): boolean {
  return type !== "Literal" && type !== "SingleQuoted";
}

function pieces(parts: readonly WordPart[]): readonly WordPart[] {
  return parts.flatMap((part): readonly WordPart[] => (part.type === "DoubleQuoted" ? part.parts : [part]));
}

const NUMBERS =
  /^\$\{?(?:#\w*|[?$!]|RANDOM|SECONDS|LINENO|BASHPID|PPID|UID|EUID|EPOCHSECONDS)\}?$|^\{-?\d+\.\.-?\d+\}$/;

function isNumber({ value, parts }: Word): boolean {
  if (!parts) return /^[-+]?\d*$/.test(value);
  return pieces(parts).every(
    ({ type, text }) => type === "ArithmeticExpansion" || NUMBERS.test(text) || /^[-+]?\d*$/.test(text),
  );
}
