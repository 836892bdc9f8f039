import { createRequire } from "node:module";
import type * as Serialize from "@xterm/addon-serialize";
import type * as Headless from "@xterm/headless";
import { screenOf, type Screen } from "../../core/index.js";
import type { TerminalSize } from "../../protocol/terminal-frames.js";
import { parseMark, type ShellMark } from "./shell-mark.js";
import { UnfinishedTail } from "./unfinished-tail.js";
import {
  boundRepeats,
  cellsOf,
  ChangedRows,
  cutAlternate,
  isCursorHidden,
  restOfState,
} from "./xterm-internals.js";

type Terminal = Headless.Terminal;
type SerializeAddon = Serialize.SerializeAddon;

/** Loaded with the first terminal: it is large, and who has none starts without it. */
const load = createRequire(import.meta.url);

/** What is kept above the screen: so many rows, but no more cells than this. A cell takes 12 bytes. */
const SCROLLBACK_ROWS_MAX = 1_000;
const SCROLLBACK_CELLS_MAX = 96_000;
const TITLE_LENGTH_MAX = 1_000;
const ESC = 0x1b;
const NEWLINE = 0x0a;
const ENTER_ALTERNATE = "\x1b[?1049h\x1b[H";
const PASTE_MODE = 2004;
/** Shells tell where they are in two ways: the usual one, and that of VS Code. */
const MARK_CODES = [133, 633];
/** Programs ask for the colours of text, background and cursor; an emulator without a window has to say something. */
const COLOURS: ReadonlyMap<number, string> = new Map([
  [10, "d8d8/d8d8/d8d8"],
  [11, "1818/1818/1818"],
  [12, "d8d8/d8d8/d8d8"],
]);

/** All that a terminal needs to look like this one. */
export interface Snapshot extends TerminalSize {
  /** To be written to an empty terminal of this size. */
  readonly data: string;
  /** Of the first byte that is not in it. */
  readonly offset: number;
  /** The bytes from there on that have not changed the screen yet. */
  readonly tail: Buffer;
}

/** What bytes do besides changing the screen. Called while they are written. */
export interface EmulatorOwner {
  /** The program has asked the terminal something: what it is to read. */
  answered(text: string): void;
  marked(mark: ShellMark): void;
}

/** What a terminal shows after all bytes up to `offset`. */
export class Emulator {
  private terminal: Terminal;
  private serializer: SerializeAddon;
  private title = "";
  private changes: ChangedRows;
  /** The screen as it was last looked at. */
  private shown: Screen | null = null;
  /** What comes first may be the rest of something whose beginning is gone. */
  private isHeadBroken: boolean;
  private readonly tail = new UnfinishedTail();
  private isPasteModeTold: boolean;

  constructor(
    size: TerminalSize,
    public offset: number,
    private readonly owner: EmulatorOwner,
  ) {
    [this.terminal, this.serializer] = this.emulate(size);
    this.changes = new ChangedRows(this.terminal);
    this.isHeadBroken = offset > 0;
    this.isPasteModeTold = offset === 0;
  }

  get size(): TerminalSize {
    return { cols: this.terminal.cols, rows: this.terminal.rows };
  }

  /** The program wants to be told what is pasted and what is typed; null: it may have said so before what is kept. */
  get takesPastes(): boolean | null {
    return this.isPasteModeTold ? this.terminal.modes.bracketedPasteMode : null;
  }

  /** The program has the whole screen to itself. */
  get isFullScreen(): boolean {
    return this.terminal.buffer.active.type === "alternate";
  }

  /** The program says that what is shown is not finished. */
  get isDrawing(): boolean {
    return this.terminal.modes.synchronizedOutputMode;
  }

  /** Takes the bytes at `offset`, at once. Gives the error when the emulator broke: the rest of them is not shown. */
  write(chunk: Buffer): unknown {
    const shown = this.isHeadBroken ? chunk.subarray(brokenHeadBytes(chunk)) : chunk;
    this.isHeadBroken = false;
    this.offset += chunk.length;
    this.tail.push(shown);
    try {
      writeNow(this.terminal, shown);
      return null;
    } catch (error) {
      this.replace();
      return error;
    }
  }

  resize({ cols, rows }: TerminalSize): void {
    this.terminal.options.scrollback = scrollbackRows(cols);
    this.terminal.resize(cols, rows);
    cutAlternate(this.terminal);
    this.shown = null;
  }

  /** Only what has changed is looked at. */
  screen(): Screen {
    const { shown } = this;
    const changed = this.changes.take();
    const told = { title: this.title, cursorVisible: !isCursorHidden(this.terminal) };
    const before = shown && { screen: shown, changed };
    this.shown = screenOf(this.terminal, told, before, cellsOf(this.terminal));
    return this.shown;
  }

  snapshot(): Snapshot {
    const { bytes } = this.tail;
    return { ...this.size, data: this.data(), offset: this.offset - bytes.length, tail: bytes };
  }

  dispose(): void {
    this.terminal.dispose();
  }

  private data(): string {
    // The serializer takes the alternate screen for one that begins without colours.
    const content = this.serializer.serialize().replace(ENTER_ALTERNATE, `\x1b[0m${ENTER_ALTERNATE}`);
    return content + restOfState(this.terminal);
  }

  /** An emulator that broke in the middle takes nothing more: another goes on from what it shows. */
  private replace(): void {
    const broken = this.terminal;
    const data = this.data();
    [this.terminal, this.serializer] = this.emulate(this.size);
    this.changes = new ChangedRows(this.terminal);
    this.shown = null;
    broken.dispose();
    writeNow(this.terminal, data);
  }

  private emulate({ cols, rows }: TerminalSize): [Terminal, SerializeAddon] {
    const headless = load("@xterm/headless") as typeof Headless;
    const serialize = load("@xterm/addon-serialize") as typeof Serialize;
    const terminal = new headless.Terminal({
      cols,
      rows,
      scrollback: scrollbackRows(cols),
      allowProposedApi: true,
      logLevel: "off",
    });
    const serializer = new serialize.SerializeAddon();
    terminal.loadAddon(serializer);
    boundRepeats(terminal);
    terminal.onData((text) => {
      // Nothing is what we ourselves put in, so that bytes are shown at once.
      if (text !== "") this.owner.answered(text);
    });
    terminal.onTitleChange((title) => (this.title = title.slice(0, TITLE_LENGTH_MAX)));
    for (const final of ["h", "l"])
      terminal.parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
        this.isPasteModeTold ||= modes.includes(PASTE_MODE);
        return false;
      });
    for (const code of MARK_CODES)
      terminal.parser.registerOscHandler(code, (data) => {
        const mark = parseMark(data);
        if (mark) this.owner.marked(mark);
        return true;
      });
    for (const [code, colour] of COLOURS)
      terminal.parser.registerOscHandler(code, (data) => {
        if (data === "?") this.owner.answered(`\x1b]${code};rgb:${colour}\x1b\\`);
        return false;
      });
    return [terminal, serializer];
  }
}

function scrollbackRows(cols: number): number {
  return Math.min(SCROLLBACK_ROWS_MAX, Math.floor(SCROLLBACK_CELLS_MAX / cols));
}

/**
 * What is written right after a person's input is parsed at once, and not from a timer. So the screen is never between
 * two states, and an error comes to us: thrown in a timer it would end the daemon, and what agents print can cause it.
 */
function writeNow(terminal: Terminal, data: string | Buffer): void {
  const written = { bytes: 0 };
  terminal.input("");
  terminal.write(data, () => (written.bytes = data.length));
  if (written.bytes !== data.length) throw new Error("this version of xterm.js does not write at once");
}

/** How much to leave out of output that begins anywhere, so that no sequence is shown as text. */
function brokenHeadBytes(chunk: Buffer): number {
  const index = chunk.findIndex((byte) => byte === ESC || byte === NEWLINE);
  if (index < 0) return 0;
  return chunk[index] === NEWLINE ? index + 1 : index;
}
