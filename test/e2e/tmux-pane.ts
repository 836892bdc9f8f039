/** A tmux of its own with one pane: a real terminal that can be typed into and looked at. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";

export const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;

const PATIENT = { timeout: 60_000, interval: 100 };

export interface PaneOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class TmuxPane {
  private readonly folder = mkdtempSync(join(tmpdir(), "signalbox-tmux-"));

  constructor({ cols = 80, rows = 24, env = {} }: PaneOptions = {}) {
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const size = ["-x", String(cols), "-y", String(rows)];
    this.tmux("-f", "/dev/null", "new-session", "-d", ...size, ...variables, "env PS1='$ ' ENV= sh");
    this.tmux("set-option", "-g", "status", "off");
    this.tmux("resize-window", ...size);
  }

  /** Text as it is, without Enter. */
  type(text: string): void {
    this.tmux("send-keys", "-l", text);
  }

  /** By tmux's names: `Enter`, `C-c`, `Up`. */
  press(...keys: readonly string[]): void {
    this.tmux("send-keys", ...keys);
  }

  enter(line: string): void {
    this.type(line);
    this.press("Enter");
  }

  resize(cols: number, rows: number): void {
    this.tmux("resize-window", "-x", String(cols), "-y", String(rows));
  }

  /** What is on the screen, line by line, without empty ones at the end. */
  lines(): readonly string[] {
    return this.tmux("capture-pane", "-p").trimEnd().split("\n");
  }

  screen(): string {
    return this.lines().join("\n");
  }

  /** With colours and what else there is of looks. */
  look(): string {
    return this.tmux("capture-pane", "-p", "-e");
  }

  /** Of tmux's own variables: `alternate_on`, `mouse_any_flag`, `cursor_flag`. */
  value(name: string): string {
    return this.tmux("display-message", "-p", `#{${name}}`).trim();
  }

  async shows(text: string | RegExp): Promise<void> {
    const matcher = expect.poll(() => this.screen(), PATIENT);
    await (typeof text === "string" ? matcher.toContain(text) : matcher.toMatch(text));
  }

  async showsNot(text: string): Promise<void> {
    await expect.poll(() => this.screen(), PATIENT).not.toContain(text);
  }

  close(): void {
    this.tmux("kill-server");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", join(this.folder, "socket"), ...args], { encoding: "utf8" });
  }
}
