/** A program in a real PTY, seen through an emulator. */
import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { SerializeAddon } from "@xterm/addon-serialize";
import headless, { type Terminal } from "@xterm/headless";
import { spawn, type IPty } from "@lydell/node-pty";
import { screenOf, type Screen } from "../../src/core/index.js";
import { cutAlternate } from "../../src/terminal/emulator/xterm-internals.js";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A file for all that it prints: a line for each piece, with the milliseconds since its start. */
  readonly record?: string;
}

const POLL_MS = 50;
const BETWEEN_KEYS_MS = 15;

export class LiveTerminal {
  private readonly terminal: Terminal;
  private readonly serializer = new SerializeAddon();
  private readonly pty: IPty;
  private title = "";
  private cursorVisible = true;
  private lastOutputAtMs = Date.now();
  private readonly startedAtMs = Date.now();
  private readonly pieces: string[] = [];

  constructor(
    private readonly launch: Launch,
    size: Size,
  ) {
    this.terminal = new headless.Terminal({
      ...size,
      scrollback: 500,
      allowProposedApi: true,
      logLevel: "off",
    });
    this.terminal.loadAddon(this.serializer);
    this.terminal.onTitleChange((title) => (this.title = title));
    for (const [final, visible] of [
      ["h", true],
      ["l", false],
    ] as const) {
      this.terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(25)) this.cursorVisible = visible;
        return false;
      });
    }
    this.pty = spawn(launch.program, [...launch.args], {
      ...size,
      name: "xterm-256color",
      cwd: launch.cwd,
      env: launch.env,
    });
    this.pty.onData((data) => {
      this.lastOutputAtMs = Date.now();
      if (launch.record !== undefined)
        this.pieces.push(JSON.stringify([this.lastOutputAtMs - this.startedAtMs, data]));
      this.terminal.write(data);
    });
    // Programs ask the terminal what it can do, and some wait for the answer.
    this.terminal.onData((answer) => this.pty.write(answer));
  }

  screen(): Screen {
    return screenOf(this.terminal, { title: this.title, cursorVisible: this.cursorVisible });
  }

  text(): string {
    return this.screen().rows.join("\n");
  }

  /** What makes an empty terminal of this size look like this one. */
  serialized(): string {
    const title = `\x1b]0;${this.title}\x07`;
    const cursor = this.cursorVisible ? "" : "\x1b[?25l";
    return title + this.serializer.serialize({ scrollback: 0 }) + cursor;
  }

  resize(size: Size): void {
    this.terminal.resize(size.cols, size.rows);
    cutAlternate(this.terminal);
    this.pty.resize(size.cols, size.rows);
  }

  press(keys: string): void {
    this.pty.write(keys);
  }

  /** As a person types: agents take a burst for a paste. */
  async type(text: string): Promise<void> {
    for (const key of text) {
      this.press(key);
      await pause(BETWEEN_KEYS_MS);
    }
  }

  async until(what: RegExp, timeoutMs = 30_000): Promise<void> {
    await this.holds((text) => what.test(text), `${what}`, timeoutMs);
  }

  async gone(what: RegExp, timeoutMs = 30_000): Promise<void> {
    await this.holds((text) => !what.test(text), `no ${what}`, timeoutMs);
  }

  /** Until nothing has been printed for a while; spinners never let that happen, so not for ever. */
  async settled(quietMs = 500, timeoutMs = 5_000): Promise<void> {
    const endsAtMs = Date.now() + timeoutMs;
    while (Date.now() - this.lastOutputAtMs < quietMs && Date.now() < endsAtMs) await pause(POLL_MS);
  }

  /** Ends the program and all that it started in this terminal. */
  close(): void {
    try {
      process.kill(-this.pty.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
    this.terminal.dispose();
    if (this.launch.record !== undefined) writeFileSync(this.launch.record, `${this.pieces.join("\n")}\n`);
  }

  private async holds(check: (text: string) => boolean, what: string, timeoutMs: number): Promise<void> {
    const endsAtMs = Date.now() + timeoutMs;
    while (!check(this.text())) {
      if (Date.now() > endsAtMs) throw new Error(`waited in vain for ${what}; the screen:\n${this.text()}`);
      await pause(POLL_MS);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return setTimeout(ms);
}
