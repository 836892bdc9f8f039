/** Finds an agent's program without starting a shell, and asks it for its version. */
import { spawn } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const VERSION_TIMEOUT_MS = 10_000;
const VERSION_OUTPUT_BYTES_MAX = 64 * 1024;
const WORDS_LENGTH_MAX = 200;

/** The absolute path of an executable file: `name` itself when it is absolute, else the first on `PATH`. */
export async function findProgram(name: string, env: Environment): Promise<string | null> {
  if (isAbsolute(name)) return (await isExecutable(name)) ? name : null;
  if (name === "" || name.includes("/")) return null;
  // An entry that is not absolute means a folder that depends on where somebody happens to stand.
  for (const folder of (env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return null;
}

/** An agent's program: the one that was configured, or its own. Rejects with `notInstalled` when its own is not there. */
export async function findAgent(
  configured: string | null | undefined,
  own: string,
  env: Environment,
  notInstalled: string,
): Promise<string> {
  const path = await findProgram(configured ?? own, env);
  if (path !== null) return path;
  if (configured === null || configured === undefined) throw new Error(notInstalled);
  throw new Error(
    `There is no program ${JSON.stringify(configured)}, which config.toml or the environment names; expected one on PATH, or an absolute path.`,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not ours to run: either way not the one.
    return false;
  }
}

export interface ProgramVersion {
  /** Such as `1.2.3`; a program without such a number has its first line. */
  readonly version: string | null;
  /** Why there is none. */
  readonly problem: string | null;
  /** It only took too long: nothing says that it is broken. */
  readonly isLate?: true;
}

/** Of a program that nobody asked. */
export const NOT_ASKED: ProgramVersion = { version: null, problem: null };

/** What the program says to `args`, such as `--version`. It is given 10 s, and 64 KiB to say it in. Never rejects. */
export async function readVersion(
  path: string,
  args: readonly string[],
  env: Environment,
  timeoutMs = VERSION_TIMEOUT_MS,
): Promise<ProgramVersion> {
  const { output, problem, isLate } = await runBriefly(path, args, env, timeoutMs);
  const version = problem === null ? versionIn(output) : null;
  if (version !== null) return { version, problem: null };
  const called = [path, ...args].join(" ");
  const words = firstLine(output);
  const said = words === null ? "" : `: ${words}`;
  const late = isLate ? ({ isLate } as const) : {};
  return { version: null, problem: `${called} ${problem ?? "told no version"}${said}`, ...late };
}

function versionIn(output: string): string | null {
  return /\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z]+)*/.exec(output)?.[0] ?? firstLine(output);
}

function firstLine(output: string): string | null {
  const line = output.split("\n").find((one) => one.trim() !== "");
  return line === undefined ? null : line.trim().slice(0, WORDS_LENGTH_MAX);
}

interface BriefRun {
  readonly output: string;
  /** Why it did not end well, or null. */
  readonly problem: string | null;
  readonly isLate: boolean;
}

/** Whatever it started ends with it: it has a process group of its own. */
function runBriefly(
  path: string,
  args: readonly string[],
  env: Environment,
  timeoutMs: number,
): Promise<BriefRun> {
  return new Promise<BriefRun>((resolve) => {
    const child = spawn(path, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    let problem: string | null = null;
    const end = () => {
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const giveUp = (why: string) => {
      problem ??= child.exitCode === 0 ? null : why;
      end();
      // Somebody who left the group may hold them open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = problem === null && child.exitCode !== 0;
      giveUp(`did not answer within ${timeoutMs / 1_000} s; the machine may be busy`);
    }, timeoutMs);
    const take = (piece: Buffer) => {
      pieces.push(piece);
      sizeBytes += piece.length;
      if (sizeBytes > VERSION_OUTPUT_BYTES_MAX) giveUp("said too much");
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("error", (error) => (problem ??= `could not be started (${error.message})`));
    child.once("exit", (code, signal) => {
      if (code !== 0) problem ??= `ended ${signal === null ? `with code ${String(code)}` : `by ${signal}`}`;
      end();
    });
    child.once("close", () => {
      clearTimeout(timer);
      resolve({ output: Buffer.concat(pieces).toString("utf8"), problem, isLate });
    });
  }).catch((error: unknown) => ({
    ...{ output: "", problem: `could not be started (${String(error)})`, isLate: false },
  }));
}

/** An empty group is no longer there; on macOS one of dead processes is not ours to signal. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
