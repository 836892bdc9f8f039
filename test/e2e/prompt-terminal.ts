/** A program in a real terminal, and what a person sees of it. */
import { spawn, type IPty } from "@lydell/node-pty";
import headless, { type Terminal } from "@xterm/headless";
import { expect } from "vitest";

const COLS = 100;
const ROWS = 60;

export class PromptTerminal {
  readonly exit: Promise<number>;
  private readonly pty: IPty;
  private readonly emulator: Terminal = new headless.Terminal({
    cols: COLS,
    rows: ROWS,
    scrollback: 1_000,
    allowProposedApi: true,
  });

  constructor(
    command: string,
    args: readonly string[],
    where: { readonly cwd: string; readonly env: Record<string, string> },
  ) {
    this.pty = spawn(command, [...args], { cols: COLS, rows: ROWS, ...where });
    this.pty.onData((data) => this.emulator.write(data));
    // Some shells ask the terminal what it is, and wait.
    this.emulator.onData((data) => this.pty.write(data));
    this.exit = new Promise((resolve) => {
      this.pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  /** Every line that is or was on the screen, without those that are empty. */
  get lines(): readonly string[] {
    const { active } = this.emulator.buffer;
    return Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    ).filter((line) => line !== "");
  }

  /** How many lines have this. */
  count(text: string): number {
    return this.lines.filter((line) => line.includes(text)).length;
  }

  async shows(text: string, times = 1): Promise<void> {
    await expect.poll(() => (this.count(text) >= times ? text : this.lines.join("\n"))).toBe(text);
  }

  type(text: string): void {
    this.pty.write(text);
  }

  end(): void {
    this.pty.kill("SIGKILL");
  }
}
