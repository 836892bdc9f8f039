/** Runs a command of a project in a workspace, as an agent there would: one at a time of each name, and ended with us. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { killGroup } from "./git.js";
import type { Hands } from "./place.js";

const TIMEOUT_MS = 30 * 60_000;

export interface ShellRun {
  /** Two of one name never run at once. */
  readonly name: "setup" | "check";
  readonly command: string;
  readonly stop: AbortSignal;
  /** In order; what it is given is written before the code is. */
  readonly onOutput: (chunk: Buffer) => Promise<unknown> | undefined;
}

/** Gives its code; what a signal ended has 128 and more. */
export async function runShell(hands: Hands, run: ShellRun): Promise<number> {
  await mkdir(hands.place.ownDir, { recursive: true, mode: 0o700 });
  await endEarlier(hands, run.name);
  const wanted = await hands.tools.shell(hands.place, run.command);
  try {
    return await new Promise<number>((resolve, reject) => {
      const child = spawn(wanted.command, wanted.args, {
        cwd: hands.place.path,
        env: wanted.env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (child.pid !== undefined)
        writeFileSync(
          hands.own(fileOf(run.name)),
          JSON.stringify({ pid: child.pid, start: startOf(child.pid) }),
        );
      const end = (): void => killGroup(child.pid);
      const timer = setTimeout(end, TIMEOUT_MS);
      if (run.stop.aborted) end();
      run.stop.addEventListener("abort", end, { once: true });
      let writing: Promise<unknown> = Promise.resolve();
      const keep = (chunk: Buffer): void => {
        writing = writing.then(() => run.onOutput(chunk));
      };
      child.stdout.on("data", keep);
      child.stderr.on("data", keep);
      const settle = (): void => {
        clearTimeout(timer);
        run.stop.removeEventListener("abort", end);
      };
      child.on("error", (error) => {
        settle();
        reject(error);
      });
      child.on("close", (ended, signal) => {
        settle();
        writing.then(() => resolve(ended ?? (signal === "SIGKILL" ? 137 : 143)), reject);
      });
    });
  } finally {
    await wanted.release?.();
    await rm(hands.own(fileOf(run.name)), { force: true });
  }
}

/** One that a daemon before us has started goes first: two at once would write over each other. */
export async function endEarlier(hands: Hands, name: ShellRun["name"]): Promise<void> {
  const earlier = (await hands.readOwn(fileOf(name))) as {
    readonly pid: number;
    readonly start: string | null;
  } | null;
  if (!earlier?.start || startOf(earlier.pid) !== earlier.start) return;
  killGroup(earlier.pid);
}

function fileOf(name: ShellRun["name"]): string {
  return `${name}-process.json`;
}

/** When a process was started; numbers are given again. */
function startOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
