import { createRequire } from "node:module";
import type * as Headless from "@xterm/headless";

/** Loaded with the first command: it is large, and most turns have none. */
const load = createRequire(import.meta.url);

const COLS = 120;
const ROWS = 10;
const INTERVAL_MS = 50;

/** The newest of what a command prints, as a terminal of ten rows would show it; told at most every 50 ms. */
export class ShellPreview {
  private readonly terminal = new (load("@xterm/headless") as typeof Headless).Terminal({
    cols: COLS,
    rows: ROWS,
    scrollback: 0,
    convertEol: true,
    allowProposedApi: true,
  });
  private timer: NodeJS.Timeout | null = null;
  private shown = "";

  constructor(private readonly show: (lines: readonly string[]) => void) {}

  write(text: string): void {
    this.terminal.write(text);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.tell();
    }, INTERVAL_MS);
  }

  /** Tells what it shows at last. */
  async close(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    await new Promise<void>((resolve) => {
      this.terminal.write("", resolve);
    });
    this.tell();
    this.terminal.dispose();
  }

  private tell(): void {
    const { active } = this.terminal.buffer;
    const lines = Array.from(
      { length: ROWS },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
    while (lines.at(-1) === "") lines.pop();
    const now = lines.join("\n");
    if (now === this.shown) return;
    this.shown = now;
    this.show(lines);
  }
}
