/** What is known of a line while it is read. It only grows, and it has bounds. */
import type { SyntaxNode } from "unbash";
import type { Hint, ShellAnalysis, ShellFile, ShellHost, SimpleCommand } from "../../core/index.js";
import { linkMakers } from "./carried-links.js";
import { mayGive } from "./constant-names.js";
import { Counting } from "./counting.js";
import { programName } from "./program-name.js";

const COMMANDS_MAX = 400;
const FILES_MAX = 400;
/** Over all glimpses of a line. */
const GLIMPSE_WORDS_MAX = 4_000;

const HINTS_MAX = 64;
const HINT_WORDS_MAX = 200;

/** The words of a text, without the signs of any language. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/\b(?:exec|system|shell|npm|jsr):/gi, " ")
    .split(/[\s;&|<>(){}[\]`"'$\\,=!]+/)
    .filter((word) => word !== "");
}

export class AnalysisDraft {
  private readonly commands: SimpleCommand[] = [];
  private readonly files = new Map<string, ShellFile>();
  private readonly hosts: ShellHost[] = [];
  private readonly glimpses: (readonly string[])[] = [];
  private readonly hints: Hint[] = [];
  private opaque: string | null = null;
  /** Names of functions that the line defines. */
  readonly functions = new Set<string>();
  readonly counting = new Counting();
  /** A line that is run later, in whichever folder it is then. */
  hasTrap = false;
  /** It may go to another folder. */
  isMoving = false;
  /** Variables whose values were taken for known. */
  readonly constants = new Set<string>();
  /** Every place that gives a variable a value, by its name. */
  private readonly givers = new Map<string, Set<SyntaxNode>>();

  /** Whether that may be wrong: something may have given them others, or not everything was seen. */
  get isInDoubt(): boolean {
    const { constants } = this;
    return (
      constants.size > 0 &&
      (this.opaque !== null ||
        this.commands.some((command) => mayGive(command, constants)) ||
        [...constants].some((name) => (this.givers.get(name)?.size ?? 0) > 1))
    );
  }

  addGiver(name: string, node: SyntaxNode): void {
    const known = this.givers.get(name);
    if (known) known.add(node);
    else this.givers.set(name, new Set([node]));
  }

  /** The first reason is told; one is enough. */
  hide(reason: string): void {
    this.opaque ??= reason;
  }

  /** Its index, or null when there are too many. */
  addCommand(command: SimpleCommand): number | null {
    if (this.commands.length >= COMMANDS_MAX) {
      this.hide(`it has more than ${COMMANDS_MAX} commands`);
      return null;
    }
    this.commands.push(command);
    return this.commands.length - 1;
  }

  addFile(file: ShellFile): void {
    if (this.files.size >= FILES_MAX) this.hide(`it names more than ${FILES_MAX} files`);
    else this.files.set(JSON.stringify(file), file);
  }

  addHost(host: ShellHost): void {
    if (this.hosts.length >= FILES_MAX) this.hide(`it names more than ${FILES_MAX} files or hosts`);
    else this.hosts.push(host);
  }

  /** A text in which a command may be hidden: its words, without the signs of any language. */
  addGlimpse(text: string): void {
    const words = wordsOf(text);
    if (words.length === 0) return;
    const room = GLIMPSE_WORDS_MAX - this.glimpses.flat().length;
    if (words.length > room) this.hide("it is too long to be looked through");
    if (room > 0) this.glimpses.push(words.slice(0, room));
  }

  /** Words of a program that may run them, or may not. Only the first of many are looked at. */
  addHint(words: readonly string[], isText: boolean): void {
    const plain = isText ? words.flatMap(wordsOf) : words;
    if (plain.length > 0 && this.hints.length < HINTS_MAX)
      this.hints.push({ words: plain.slice(0, HINT_WORDS_MAX), isText });
  }

  /** What another reading of the same line found, for denies and asks alone; and what kept it from being allowed. */
  alsoSee({ commands, files, hosts, opaque }: AnalysisDraft): void {
    if (opaque !== null) this.hide(opaque);
    for (const command of commands) this.addCommand({ ...command, outer: null, needsAllow: false });
    for (const file of files.values()) this.addFile({ ...file, demand: "watch", command: null });
    for (const host of hosts) this.addHost({ ...host, command: null });
  }

  finish(line: string): ShellAnalysis {
    const shadowed = this.commands.find(({ words }) => this.functions.has(words[0] ?? ""));
    if (shadowed) this.hide(`it defines what ${shadowed.words[0] ?? ""} means`);
    // It is run wherever the line is when a program is missing.
    if (this.functions.has("command_not_found_handle")) this.hide("it says what is run instead of a program");
    const written = this.commands.find((command) => this.isWritten(command));
    if (written) this.hide(`it writes ${written.words[0] ?? ""}, and runs it`);
    const counting = this.counting.risk(this.functions.size > 0);
    if (counting !== null) this.hide(counting);
    if (this.hasTrap && this.isMoving) this.hide("a trap may run in another folder");
    const isLinker = linkMakers(this.commands);
    const isApart = ({ command }: ShellFile) =>
      !this.commands.some((each, at) => at === command && isLinker(each));
    if (this.commands.some(isLinker) && [...this.files.values()].some(isApart))
      this.hide("it makes links, and opens files that may be behind them");
    // What cannot be read is at least looked through.
    if (this.opaque !== null) this.addGlimpse(line);
    const { commands, hosts, glimpses, hints, opaque } = this;
    return { commands, files: [...this.files.values()], hosts, glimpses, hints, opaque };
  }

  /** Whether a program, or the script of an interpreter, is a file that the line itself writes. */
  private isWritten({ words, needsAllow }: SimpleCommand): boolean {
    const [program = ""] = words;
    const isFile = program.includes("/") || !needsAllow;
    const name = programName(program);
    return (
      isFile &&
      [...this.files.values()].some(
        (file) => file.category === "Write" && file.certain && programName(file.path) === name,
      )
    );
  }
}
