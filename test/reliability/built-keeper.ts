/** What tests of a real keeper have in common. */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SpoolReader } from "../../src/daemon/keeper/spool-reader.js";
import { runFolder } from "../../src/keeper/paths.js";
import { builtProgram } from "../built-program.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const READ_BYTES = 64 * 1024;

export const KEEPER = builtProgram("keeper/main.js");

/** `npm test` has built everything already. */
export function buildKeeper(): void {
  if (process.env["SIGNALBOX_BUILT"] === "1") return;
  execFileSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, "-b", `${ROOT}src/keeper`]);
  execFileSync(process.execPath, [`${ROOT}scripts/build-programs.mjs`]);
}

/** A run of a shell script, as the keeper is asked for it. */
export function shellRun(runId: string, script: string, cwd: string) {
  return programRun(runId, cwd, "sh", "-c", script);
}

export function programRun(runId: string, cwd: string, command: string, ...args: readonly string[]) {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  return { runId, effectId: "1.0", command, args: [...args], cwd, env, hooks: false };
}

const SIGNALS = "HUP,INT,QUIT,TERM,USR1,USR2";
const WALL = [
  ...["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL", "--die-with-parent"],
  // So that whoever is inside, root too, can have namespaces of its own.
  ...["--unshare-user", "--cap-add", "CAP_SETFCAP"],
];

/** Only on Linux, and where it is installed. */
export const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0;

/** The same run behind a wall that hides nothing: for what a wall is to the keeper. */
export function walledRun<T extends { readonly command: string; readonly args: readonly string[] }>(run: T) {
  const inside = ["env", `--default-signal=${SIGNALS}`, run.command, ...run.args];
  const args = [`--ignore-signal=${SIGNALS}`, "bwrap", ...WALL, "--", ...inside];
  return { ...run, command: "env", args, walled: true };
}

/** All that a run has printed so far and that is still kept. */
export async function outputOf(dataDir: string, runId: string): Promise<string> {
  const reader = new SpoolReader(runFolder(dataDir, runId));
  try {
    const pieces: Buffer[] = [];
    for (let offset = 0; ; offset += pieces.at(-1)?.length ?? 0) {
      const piece = await reader.read(offset, READ_BYTES);
      if (piece.length === 0) return Buffer.concat(pieces).toString();
      pieces.push(piece);
    }
  } finally {
    await reader.close();
  }
}

/** Not there, or only waiting to be buried. */
export function isDead(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state === "" || state.startsWith("Z");
}
