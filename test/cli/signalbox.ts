/** Runs the real, built program. */
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import { builtProgram } from "../built-program.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const PROGRAM = builtProgram("cli/main.js");

/** Builds what is not up to date. `npm test` has done that before the tests. */
export function buildSignalbox(): void {
  if (process.env["SIGNALBOX_BUILT"] === "1") return;
  execFileSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, "-b", `${ROOT}src/cli`], {
    stdio: "inherit",
  });
  execFileSync(process.execPath, [`${ROOT}scripts/build-programs.mjs`], { stdio: "inherit" });
}

export function startSignalbox(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } });
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runSignalbox(
  args: readonly string[],
  input: string | Buffer = "",
  env: NodeJS.ProcessEnv = {},
) {
  return new Promise<Ended>((resolve, reject) => {
    const child = startSignalbox(args, env);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
    // It may end without reading: that is for the test to judge.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

export function parseLines(stdout: string): readonly unknown[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}
