/** What is known of a line while it is read. It only grows, and it has bounds. */
import type { Hint, ShellAnalysis, ShellFile, ShellHost, SimpleCommand } from "../../core/index.js";
import { Counting } from "./counting.js";
import type { NamedHost, NamedPath } from "./named-words.js";
import { programName } from "./program-name.js";
import { HARMLESS_DEVICE } from "./redirections.js";
import { pathIn, type Folders } from "./working-folders.js";

const COMMANDS_MAX = 400;
const FILES_MAX = 1_000;
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
  /** A shell of its own, which may be given words. */
  hasShell = false;
  /** A line that is run later, in whichever folder it is then. */
  hasTrap = false;
  /** It may go to another folder. */
  isMoving = false;

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
    else this.files.set(`${file.category}${file.demand}${file.certain}${file.command}\0${file.path}`, file);
  }

  /** A name among the words of a command, in every folder that may be meant: as if it were read, and written. */
  addNamed(
    { path, exact, isOfText }: NamedPath,
    folders: Folders,
    command: number | null,
    isOnlyRead: boolean,
  ): void {
    if (exact && HARMLESS_DEVICE.test(path)) return;
    for (const folder of /^(?:~|\/(?!\/*proc\b))/.test(path) ? [""] : folders) {
      const file = { path: pathIn(folder, path), exact, demand: "watch", command } as const;
      // What is about reading a file is about writing it, too.
      this.addFile({ ...file, category: isOnlyRead ? "Read" : "Write", certain: !isOfText });
    }
  }

  addHosts(hosts: readonly NamedHost[], command: number | null): void {
    if (this.hosts.length + hosts.length > FILES_MAX) this.hide(`it names more than ${FILES_MAX} hosts`);
    else this.hosts.push(...hosts.map((host) => ({ ...host, command })));
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

  finish(line: string): ShellAnalysis {
    const shadowed = this.commands.find(({ words }) => this.functions.has(words[0] ?? ""));
    if (shadowed) this.hide(`it defines what ${shadowed.words[0] ?? ""} means`);
    // It is run wherever the line is when a program is missing.
    if (this.functions.has("command_not_found_handle")) this.hide("it says what is run instead of a program");
    const opened = [...this.files.values()].filter(({ demand }) => demand === "allow");
    const written = this.commands.find((command) => isWritten(command, opened));
    if (written) this.hide(`it writes ${written.words[0] ?? ""}, and runs it`);
    const counting = this.counting.risk(this.functions.size > 0 || this.hasShell);
    if (counting !== null) this.hide(counting);
    if (this.hasTrap && this.isMoving) this.hide("a trap may run in another folder");
    const makesLinks = this.commands.some(({ words }) => programName(words[0] ?? "") === "ln");
    if (makesLinks && (opened.length > 0 || this.commands.length > 1))
      this.hide("it makes links, and opens files that may be behind them");
    // What cannot be read is at least looked through.
    if (this.opaque !== null) this.addGlimpse(line);
    const { commands, hosts, glimpses, hints, opaque } = this;
    return { commands, files: [...this.files.values()], hosts, glimpses, hints, opaque };
  }
}

/** Whether a program, or the script of a shell, is a file that the line itself writes. */
function isWritten({ words, needsAllow }: SimpleCommand, opened: readonly ShellFile[]): boolean {
  const [program = ""] = words;
  if (!program.includes("/") && needsAllow) return false;
  return opened.some(
    ({ category, path }) => category === "Write" && programName(path) === programName(program),
  );
}
