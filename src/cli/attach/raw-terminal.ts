/** The person's terminal while a program has it: raw, and put back however we end. */
import { writeSync } from "node:fs";
import { constants } from "node:os";
import { terminalSize } from "../terminal-size.js";

/** All that a program may have changed and not changed back. */
const RESET = [
  // Ends what was cut off in the middle.
  "\u001b\\",
  // Keys in their plain forms; each screen has a stack of its own.
  "\u001b[<9u\u001b[>4m",
  "\u001b[?1049l",
  "\u001b[<9u",
  // Mouse, focus, pastes, drawing at once, colours and sizes told.
  ...["9", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016"].map(off),
  ...["2004", "2026", "2031", "2048"].map(off),
  // A link, colours, margins, origin, wrapping, character set, cursor keys, keypad, the cursor's look.
  "\u001b]8;;\u001b\\\u001b[0m\u001b[r\u001b[?6l\u001b[?7h\u001b[4l\u001b(B\u000f\u001b[?1l\u001b>\u001b[0 q\u001b[?25h",
].join("");

/** Below everything that is shown. */
const BOTTOM = "\u001b[999;1H\r\n";
const CLEAR = "\u001b[H\u001b[2J";
const ENDING = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

function off(mode: string): string {
  return `\u001b[?${mode}l`;
}

export class RawTerminal {
  private isRaw = false;
  private readonly restore = () => this.leave();
  private readonly goOn = () => {
    // Whoever stopped us may have made it ordinary.
    process.stdin.setRawMode(false);
    process.stdin.setRawMode(true);
  };
  private readonly end = (signal: NodeJS.Signals) => {
    this.leave();
    process.exit(128 + constants.signals[signal]);
  };

  get size(): { readonly cols: number; readonly rows: number } {
    const { cols, rows } = terminalSize(process.stdout);
    return { cols: Math.max(2, cols), rows };
  }

  enter(): void {
    this.isRaw = true;
    process.on("exit", this.restore);
    // Before Node prints why it ends, which is then readable.
    process.on("uncaughtExceptionMonitor", this.restore);
    process.on("SIGCONT", this.goOn);
    for (const signal of ENDING) process.on(signal, this.end);
    process.stdin.setRawMode(true);
    // What was on the screen goes up, and is not painted over.
    process.stdout.write("\n".repeat(this.size.rows) + CLEAR);
  }

  /** As a new terminal would be, for a snapshot to be shown in. */
  clear(): void {
    process.stdout.write(RESET + CLEAR);
  }

  /** In the last line, over whatever is there. */
  notice(text: string): void {
    const line = ` ${text} `.slice(0, this.size.cols - 1);
    process.stdout.write(`\u001b7\u001b[999;1H\u001b[7m${line}\u001b[0m\u001b[K\u001b8`);
  }

  leave(): void {
    if (!this.isRaw) return;
    this.isRaw = false;
    process.off("exit", this.restore);
    process.off("uncaughtExceptionMonitor", this.restore);
    process.off("SIGCONT", this.goOn);
    for (const signal of ENDING) process.off(signal, this.end);
    try {
      process.stdin.setRawMode(false);
      // Past whatever still waits in the stream, and at once: we may be about to crash.
      writeSync(process.stdout.fd, RESET + BOTTOM);
    } catch {
      // The terminal is gone: there is nothing to put back.
    }
  }
}
