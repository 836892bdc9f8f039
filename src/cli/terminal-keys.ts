/** Single keys from a terminal in raw mode. */
import type { ReadStream } from "node:tty";

export type Key = "enter" | "tab" | "escape" | "interrupt" | "retry";

/** After an Esc: the rest of what an arrow or a function key sends follows at once. */
const ESCAPE_DELAY_MS = 50;
const CTRL_C = "\u0003";

const KEYS: Readonly<Record<string, Key>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u001b": "escape",
  [CTRL_C]: "interrupt",
  "\u0004": "interrupt",
  r: "retry",
  R: "retry",
};

/**
 * Only a key that comes alone is one: text that is pasted runs nothing, even when it has line ends. While it is stopped,
 * and after it, the terminal is as it was; Node itself restores it when the process ends, however that comes about.
 */
export class TerminalKeys {
  private escape: NodeJS.Timeout | null = null;
  private readonly take = (chunk: Buffer): void => this.read(chunk.toString("latin1"));

  constructor(
    private readonly input: ReadStream,
    private readonly onKey: (key: Key) => void,
  ) {}

  start(): void {
    this.input.setRawMode(true);
    this.input.on("data", this.take).resume();
  }

  stop(): void {
    this.dropEscape();
    this.input.off("data", this.take).pause();
    this.input.setRawMode(false);
  }

  private read(chunk: string): void {
    // What follows an Esc at once is the rest of another key.
    const isRest = this.dropEscape();
    const key = chunk.includes(CTRL_C) ? "interrupt" : KEYS[chunk];
    if (key === undefined || (isRest && key !== "interrupt" && key !== "escape")) return;
    if (key !== "escape") this.onKey(key);
    else
      this.escape = setTimeout(() => {
        this.escape = null;
        this.onKey("escape");
      }, ESCAPE_DELAY_MS);
  }

  private dropEscape(): boolean {
    if (this.escape === null) return false;
    clearTimeout(this.escape);
    this.escape = null;
    return true;
  }
}
