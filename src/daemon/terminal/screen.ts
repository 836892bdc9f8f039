import { SerializeAddon } from "@xterm/addon-serialize";
import headless, { type Terminal } from "@xterm/headless";
import { boundRepeats } from "./bound-repeats.js";
import { restOfState } from "./rest-of-state.js";
import type { TerminalSize } from "./terminal-frames.js";
import { UnfinishedTail } from "./unfinished-tail.js";

const SCROLLBACK_ROWS = 1_000;
const ESC = 0x1b;
const NEWLINE = 0x0a;
const ENTER_ALTERNATE = "\x1b[?1049h\x1b[H";

/** All that a terminal needs to look like this one. */
export interface Snapshot extends TerminalSize {
  /** To be written to an empty terminal of this size. */
  readonly data: string;
  /** Of the first byte that is not in it. */
  readonly offset: number;
  /** The bytes from there on that have not changed the screen yet. */
  readonly tail: Buffer;
}

/** What a terminal shows after all bytes up to `offset`. */
export class Screen {
  private terminal: Terminal;
  private serializer: SerializeAddon;
  /** What comes first may be the rest of something whose beginning is gone. */
  private isHeadBroken: boolean;
  private readonly tail = new UnfinishedTail();

  constructor(
    size: TerminalSize,
    public offset: number,
  ) {
    [this.terminal, this.serializer] = emulate(size);
    this.isHeadBroken = offset > 0;
  }

  get size(): TerminalSize {
    return { cols: this.terminal.cols, rows: this.terminal.rows };
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
    this.terminal.resize(cols, rows);
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
    [this.terminal, this.serializer] = emulate(this.size);
    broken.dispose();
    writeNow(this.terminal, data);
  }
}

function emulate({ cols, rows }: TerminalSize): [Terminal, SerializeAddon] {
  const terminal = new headless.Terminal({
    cols,
    rows,
    scrollback: SCROLLBACK_ROWS,
    allowProposedApi: true,
    logLevel: "off",
  });
  const serializer = new SerializeAddon();
  terminal.loadAddon(serializer);
  boundRepeats(terminal);
  return [terminal, serializer];
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
