/**
 * The one way in which Signalbox runs git.
 *
 * Bounded: in time, in what it may print, and in what of the repository's own settings it obeys. No hook, no fsmonitor, no
 * pager, no editor and no prompt is ever run. A filter or a merge driver that a repository's configuration names still is:
 * where an agent may have written that configuration, it is run `inside` a wall without a network.
 */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import type { FileHandle } from "node:fs/promises";
import { wallGit, type GitWall } from "./git-wall.js";

/** Either a folder in which git looks for itself, or what to take, by our own record. A bare one has no work tree. */
export type GitPlace =
  | { readonly cwd: string; readonly gitDir?: never; readonly workTree?: never }
  | { readonly gitDir: string; readonly workTree: string | null; readonly cwd?: never };

export type GitOptions = GitPlace & {
  readonly input?: Buffer | string;
  /** Over what git is given of this process's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Of what is printed; more is a failure, never a cut. */
  readonly maxBytes?: number;
  /** Instead of the repository's own, which is not touched then. */
  readonly indexFile?: string;
  /** Takes what is printed, instead of `stdout`. Whoever opened it closes it. */
  readonly output?: FileHandle;
  /** Absent: git runs as this process does. */
  readonly inside?: GitWall | null;
  /** The person's own credential helpers and keys may be used, and nobody is asked for any. */
  readonly withCredentials?: boolean;
  readonly signal?: AbortSignal;
  /** Of the process, as soon as there is one. */
  readonly onStart?: (pid: number) => void;
};

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  /** Its beginning, as text. */
  readonly stderr: string;
}

export type GitErrorCode =
  /** There is none, or one that is too old. */
  | "no_git"
  | "timed_out"
  | "output_too_large"
  | "aborted"
  /** It could not be started, or a signal ended it. */
  | "not_run"
  /** It ended with another code than was expected. */
  | "failed"
  /** Another process holds the index or a ref: nothing was changed. */
  | "locked"
  | "disk_full";

export class GitError extends Error {
  override readonly name = "GitError";
  constructor(
    readonly code: GitErrorCode,
    message: string,
    /** What it was asked to do. */
    readonly args: readonly string[],
    readonly result: GitResult | null = null,
  ) {
    super(message);
  }
}

/** 2.30. */
export const GIT_VERSION_MIN = [2, 30] as const;

const TIMEOUT_MS = 120_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const STDERR_BYTES_MAX = 64 * 1024;
const MESSAGE_LENGTH_MAX = 2_000;

/** Over whatever the repository, the person or the system has configured. */
const SAFE_CONFIG: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=",
  "core.editor=true",
  "core.pager=cat",
  "core.askPass=true",
  "core.quotePath=false",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.ext.allow=never",
  "submodule.recurse=false",
  "advice.detachedHead=false",
  "rerere.enabled=false",
].flatMap((setting) => ["-c", setting]);

/** Unless it speaks to a remote for the person. */
const NO_CREDENTIALS = ["-c", "credential.helper="] as const;
const CREDENTIAL_VARIABLES = [
  "SSH_AUTH_SOCK",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GITLAB_TOKEN",
  "GH_CONFIG_DIR",
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "NO_PROXY",
  "no_proxy",
  "SSL_CERT_FILE",
] as const;

/** The same for a script of a shell: none of the settings has a character that it would read. */
export const SAFE_FUNCTION = `git() { command git ${[...SAFE_CONFIG, ...NO_CREDENTIALS].join(" ")} "$@"; }`;

/** The rest of the environment could say which repository git takes, and what it runs. */
const KEPT_VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
] as const;

/** Resolves with whatever code git ended with. Rejects with a `GitError` when it did not end by itself. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  await needGit();
  return run(args, options);
}

/** The same, and any code but 0 is a failure. */
export async function git(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const result = await runGit(args, options);
  if (result.code !== 0) throw failureOf(args, result);
  return result.stdout;
}

/** One line that it prints, as `rev-parse` does. */
export async function gitLine(args: readonly string[], options: GitOptions): Promise<string> {
  return (await git(args, options)).toString("utf8").trim();
}

/** What a code other than 0 means, in git's own words. */
export function failureOf(args: readonly string[], result: GitResult): GitError {
  const words = result.stderr.trim().slice(0, MESSAGE_LENGTH_MAX);
  const message = words === "" ? `git ${args[0] ?? ""} ended with ${result.code}` : words;
  return new GitError(codeOf(words), message, args, result);
}

function codeOf(words: string): GitErrorCode {
  if (/No space left on device|Disk quota exceeded/.test(words)) return "disk_full";
  // It could not make its lock, and nobody else holds it.
  if (/Read-only file system|Permission denied|unable to create directory/.test(words)) return "failed";
  if (/\.lock': File exists|Unable to create '.*\.lock'|index file open failed|cannot lock ref/.test(words))
    return "locked";
  return "failed";
}

/** What NUL-separated output names, as bytes: a name need not be UTF-8. */
export function splitNul(output: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = output.indexOf(0, start);
    if (end === -1) break;
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  if (start < output.length) parts.push(output.subarray(start));
  return parts;
}

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A name for a person: what is no UTF-8 is shown as `\xNN`, and no other name is shown the same. */
export function nameOf(bytes: Buffer): string {
  try {
    const text = STRICT.decode(bytes);
    return text.includes("\\x") ? escaped(bytes) : text;
  } catch {
    return escaped(bytes);
  }
}

/** Byte for byte where it must be; runs of valid UTF-8 stay as they are. */
function escaped(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes, at, size));
    const byte = bytes[at] ?? 0;
    if (length === undefined || byte === 0x5c) {
      text += `\\x${byte.toString(16).padStart(2, "0")}`;
      at += 1;
    } else {
      text += bytes.toString("utf8", at, at + length);
      at += length;
    }
  }
  return text;
}

function isUtf8(bytes: Buffer, at: number, size: number): boolean {
  try {
    STRICT.decode(bytes.subarray(at, at + size));
    return true;
  } catch {
    return false;
  }
}

let found: Promise<GitError | null> | null = null;

/** Looked at once, unless it is not there: it may be installed meanwhile. */
export async function needGit(): Promise<void> {
  found ??= lookForGit();
  const problem = await found;
  if (problem === null) return;
  found = null;
  throw problem;
}

async function lookForGit(): Promise<GitError | null> {
  const args = ["--version"];
  try {
    const { stdout } = await run(args, { cwd: "/" });
    const words = stdout.toString("utf8").trim();
    const [major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(words)?.slice(1).map(Number) ?? [];
    const [wantedMajor, wantedMinor] = GIT_VERSION_MIN;
    if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return null;
    return new GitError("no_git", `git 2.30 or newer is needed; this is ${words}.`, args);
  } catch (error) {
    if (error instanceof GitError) return error;
    throw error;
  }
}

export function gitEnvironment(options: GitOptions): Record<string, string> {
  const names =
    options.withCredentials === true ? [...KEPT_VARIABLES, ...CREDENTIAL_VARIABLES] : KEPT_VARIABLES;
  const kept = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { gitDir, workTree, indexFile } = options;
  return {
    HOME: homedir(),
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ASKPASS: "true",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_PAGER: "cat",
    GIT_ATTR_NOSYSTEM: "1",
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
    ...(typeof workTree === "string" ? { GIT_WORK_TREE: workTree } : {}),
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
    ...options.env,
  };
}

function run(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const credentials = options.withCredentials === true ? [] : NO_CREDENTIALS;
  const plain = { command: "git", args: [...SAFE_CONFIG, ...credentials, ...args] };
  const env = gitEnvironment(options);
  const cwd = options.cwd ?? options.workTree ?? options.gitDir;
  const { inside = null } = options;
  const { command, args: all } = inside === null ? plain : wallGit(plain, { cwd, env }, inside);
  const stdio: ("pipe" | number)[] = ["pipe", options.output?.fd ?? "pipe", "pipe"];
  return new Promise<GitResult>((resolve, reject) => {
    // A group of its own: what git has started ends with it.
    const child = spawn(command, all, { cwd, env, detached: true, stdio });
    if (child.pid !== undefined) options.onStart?.(child.pid);
    let failure: GitError | null = null;
    const end = (code: GitErrorCode, message: string): void => {
      failure ??= new GitError(code, message, args);
      killGroup(child.pid);
    };
    const { timeoutMs = TIMEOUT_MS, maxBytes = OUTPUT_BYTES_MAX, signal } = options;
    const name = `git ${args[0] ?? ""}`;
    const timer = setTimeout(() => end("timed_out", `${name} took longer than ${timeoutMs} ms.`), timeoutMs);
    const abort = (): void => end("aborted", `${name} was stopped.`);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const stdout = gathered(child.stdout, (kept) => {
      if (kept <= maxBytes) return true;
      end("output_too_large", `${name} printed more than ${maxBytes} bytes.`);
      return false;
    });
    const stderr = gathered(child.stderr, (kept) => kept <= STDERR_BYTES_MAX);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      settle();
      reject(notStarted(error, args, inside !== null));
    });
    child.on("close", (code, by) => {
      settle();
      const words = stderr().toString("utf8");
      if (failure !== null) reject(failure);
      else if (code === null)
        reject(new GitError("not_run", `${name} was ended by ${by ?? "a signal"}.`, args));
      else resolve({ code, stdout: stdout(), stderr: words });
    });
    // It may end without having read all: its code says why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
  });
}

/** What a stream gives, as long as it `fits`. */
function gathered(stream: NodeJS.ReadableStream | null, fits: (bytes: number) => boolean): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (fits(bytes)) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks);
}

function notStarted(error: NodeJS.ErrnoException, args: readonly string[], isWalled: boolean): GitError {
  if (error.code === "ENOENT" && !isWalled && error.path === "git")
    return new GitError(
      "no_git",
      "git is not installed, or not in PATH. Workspaces need git 2.30 or newer.",
      args,
    );
  return new GitError("not_run", `git could not be started: ${error.message}`, args);
}

/** A process that leads a group, and all that it has started. One that has ended is none. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
