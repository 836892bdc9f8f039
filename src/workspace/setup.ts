/** Runs what a project wants done in a new workspace, and keeps what it said. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { killGroup } from "./git.js";
import { rememberIgnored } from "./loose.js";
import type { Hands } from "./place.js";

const OUTPUT_BYTES_MAX = 1024 * 1024;
const TIMEOUT_MS = 30 * 60_000;
const PROCESS = "setup-process.json";
export const SETUP_OUTPUT = "setup.log";

/** Gives its code; what a signal ended has 128 and more. */
export async function runSetup(hands: Hands, stop: AbortSignal): Promise<number> {
  const { setup, path } = hands.place;
  if (setup === null) return 0;
  await mkdir(hands.place.ownDir, { recursive: true, mode: 0o700 });
  await endEarlier(hands);
  const { command, args, env } = await hands.tools.shell(hands.place, setup);
  const output = await open(hands.own(SETUP_OUTPUT), "w", 0o600);
  try {
    hands.tools.pass("before setup");
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: path,
        env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (child.pid !== undefined)
        writeFileSync(hands.own(PROCESS), JSON.stringify({ pid: child.pid, start: startOf(child.pid) }));
      const end = (): void => killGroup(child.pid);
      const timer = setTimeout(end, TIMEOUT_MS);
      if (stop.aborted) end();
      stop.addEventListener("abort", end, { once: true });
      let bytes = 0;
      let writing: Promise<unknown> = Promise.resolve();
      const keep = (chunk: Buffer): void => {
        const room = Math.max(0, OUTPUT_BYTES_MAX - bytes);
        bytes += chunk.length;
        if (room > 0) writing = writing.then(() => output.write(chunk.subarray(0, room)));
      };
      child.stdout.on("data", keep);
      child.stderr.on("data", keep);
      const settle = (): void => {
        clearTimeout(timer);
        stop.removeEventListener("abort", end);
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
    hands.tools.pass("after setup");
    await rememberIgnored(hands);
    return code;
  } finally {
    await output.close();
    await rm(hands.own(PROCESS), { force: true });
  }
}

/** The beginning of what the last one said. */
export async function setupOutput(ownDir: string, maxBytes: number): Promise<string> {
  const text = await readFile(`${ownDir}/${SETUP_OUTPUT}`).catch(() => Buffer.alloc(0));
  return text.subarray(Math.max(0, text.length - maxBytes)).toString("utf8");
}

/** One that a daemon before us has started goes first: two at once would write over each other. */
async function endEarlier(hands: Hands): Promise<void> {
  const earlier = (await hands.readOwn(PROCESS)) as {
    readonly pid: number;
    readonly start: string | null;
  } | null;
  if (!earlier?.start || startOf(earlier.pid) !== earlier.start) return;
  killGroup(earlier.pid);
}

/** When a process was started; numbers are given again. */
function startOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
