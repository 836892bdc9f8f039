/**
 * A shell that waits for scripts of git's, inside one wall: to build a wall and to start a shell takes as long as what most
 * scripts do. It is kept for a minute after its last use, and a few at most are.
 *
 * What is asked and told goes through files of ours, so that nothing that git prints is taken for a word of the shell's.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { lstat, readFile, stat, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import {
  GitError,
  SAFE_FUNCTION,
  failureOf,
  gitEnvironment,
  killGroup,
  needGit,
  type GitPlace,
  type GitResult,
} from "./git.js";
import { wallGit, type GitWall } from "./git-wall.js";

const IDLE_MS = 60_000;
const OPEN_MAX = 8;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const WORDS_LENGTH_MAX = 4_096;
const NAME = ["script"];

/** In a script: asks whoever runs it, and waits; then `$said` is what was said. */
export const ASK = "echo asked >&6 && read -r said";

/** Descriptor 6 is for the shell's own words. Each script has a shell of its own, so that none leaves something to the next. */
const LOOP = String.raw`exec 6>&1
while read -r next; do
  ( . "$SIGNALBOX_SHELL/script" ) >"$SIGNALBOX_SHELL/out" 2>"$SIGNALBOX_SHELL/err"
  echo "ended $?"
done`;

export interface ShellPlace {
  readonly place: Extract<GitPlace, { readonly gitDir: string }> & { readonly workTree: string };
  readonly indexFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly inside: GitWall | null;
  /** Ours, and nobody else's; the wall lets it be written. */
  readonly folder: string;
  /** While these are the same directories, what the wall shows is what is there. */
  readonly watched: readonly string[];
}

export interface ScriptOptions {
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  /** What is said to `ASK`: one word. */
  readonly answer?: () => Promise<string>;
}

/** Those that run, the one that was used last at the end. */
const open = new Set<GitShell>();

export class GitShell {
  private running: RunningShell | null = null;
  private idle: NodeJS.Timeout | null = null;

  constructor(private readonly where: ShellPlace) {}

  file(name: string): string {
    return join(this.where.folder, name);
  }

  /** One at a time. Any code but 0 is a failure; after one that did not end by itself, the next has another shell. */
  async run(script: string, options: ScriptOptions): Promise<Buffer> {
    await needGit();
    const { signal } = options;
    const running = await this.needed();
    const stop = (): void => running.end();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    running.hold(true);
    try {
      const code = await this.converse(running, script, options);
      const result = await this.resultOf(code, options.maxBytes ?? OUTPUT_BYTES_MAX);
      this.rest(running);
      if (code === 0) return result.stdout;
      throw failureOf(NAME, result);
    } catch (error) {
      if (this.idle === null) this.close();
      if (signal.aborted) throw new GitError("aborted", "git was stopped.", NAME);
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    if (this.idle) clearTimeout(this.idle);
    this.idle = null;
    open.delete(this);
    this.running?.end();
    this.running = null;
  }

  private async converse(running: RunningShell, script: string, options: ScriptOptions): Promise<number> {
    const variables = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${quoted(value)}`);
    const text = [...variables, SAFE_FUNCTION, script, ""].join("\n");
    await writeFile(this.file("script"), text, { mode: 0o600 });
    let word = await running.say("next");
    while (word === "asked") word = await running.say((await options.answer?.()) ?? "");
    const ended = /^ended (\d+)$/.exec(word);
    if (!ended) throw new GitError("not_run", `git could not be run: ${word}`, NAME);
    return Number(ended[1]);
  }

  private async resultOf(code: number, maxBytes: number): Promise<GitResult> {
    const { size } = await stat(this.file("out"));
    if (size > maxBytes)
      throw new GitError("output_too_large", `git printed more than ${maxBytes} bytes.`, NAME);
    const stderr = code === 0 ? "" : await readFile(this.file("err"), "utf8");
    return { code, stdout: await readFile(this.file("out")), stderr };
  }

  private rest(running: RunningShell): void {
    running.hold(false);
    this.idle = setTimeout(() => this.close(), IDLE_MS);
    this.idle.unref();
  }

  /** The one that runs, if it still shows what is there. */
  private async needed(): Promise<RunningShell> {
    const seen = await this.look();
    if (this.running?.isAlive !== true || this.running.seen !== seen) this.close();
    if (this.idle) clearTimeout(this.idle);
    this.idle = null;
    open.delete(this);
    for (const other of open) if (open.size >= OPEN_MAX && other.isIdle) other.close();
    open.add(this);
    this.running ??= new RunningShell(this.where, seen);
    return this.running;
  }

  private get isIdle(): boolean {
    return this.idle !== null;
  }

  private async look(): Promise<string> {
    const founds = await Promise.all(
      this.where.watched.map((path) => lstat(path, { bigint: true }).catch(() => null)),
    );
    return founds.map((found) => (found ? `${found.dev}:${found.ino}` : "none")).join(" ");
  }
}

class RunningShell {
  private readonly child: ChildProcess;
  private heard = "";
  private errors = "";
  private listener: ((word: string) => void) | null = null;
  isAlive = true;

  constructor(
    { place, indexFile, env: given, inside, folder }: ShellPlace,
    /** What the directories were when it was started. */
    readonly seen: string,
  ) {
    const env = gitEnvironment({ ...place, indexFile, env: { ...given, SIGNALBOX_SHELL: folder } });
    const cwd = place.workTree;
    const plain = { command: "/bin/sh", args: ["-c", LOOP] };
    const { command, args } = inside === null ? plain : wallGit(plain, { cwd, env }, inside);
    // A group of its own: what git has started ends with it.
    this.child = spawn(command, args, { cwd, env, detached: true, stdio: "pipe" });
    this.child.stdout?.on("data", (chunk: Buffer) => this.hear(chunk));
    this.child.stderr?.on("data", (chunk: Buffer) => {
      if (this.errors.length < WORDS_LENGTH_MAX) this.errors += chunk.toString("utf8");
    });
    this.child.on("error", (error) => this.ended(error.message));
    this.child.on("close", () => this.ended(this.errors.trim()));
    // It has ended then, and that is told.
    this.child.stdin?.on("error", () => undefined);
  }

  /** Resolves with the next word of the shell; another one than it knows when it has ended. */
  say(word: string): Promise<string> {
    return new Promise((resolve) => {
      if (!this.isAlive) {
        resolve(this.errors);
        return;
      }
      this.listener = resolve;
      this.child.stdin?.write(`${word}\n`);
    });
  }

  end(): void {
    killGroup(this.child.pid);
  }

  /** Whether this process waits for it. */
  hold(isHeld: boolean): void {
    const { child } = this;
    for (const each of [child, child.stdin, child.stdout, child.stderr]) {
      if (each === null || !(each instanceof Socket || each === child)) continue;
      if (isHeld) each.ref();
      else each.unref();
    }
  }

  private hear(chunk: Buffer): void {
    this.heard += chunk.toString("utf8");
    const end = this.heard.indexOf("\n");
    if (end === -1) return;
    const word = this.heard.slice(0, end);
    this.heard = this.heard.slice(end + 1);
    this.listener?.(word);
    this.listener = null;
  }

  private ended(words: string): void {
    this.isAlive = false;
    this.errors = words === "" ? "it has ended" : words;
    this.listener?.(this.errors);
    this.listener = null;
  }
}

/** One word for a shell, whatever is in it. */
export function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
