/** Processes that live in a home folder: the daemon's, and all that came of it, however they were started. */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

const LOOK_DELAY_MS = 100;
const LOOKS_MAX = 50;

/** Those that are still there after a while. Only where the system shows what a process was started with. */
export async function processesOf(home: string): Promise<readonly FoundProcess[]> {
  let found = await look(home);
  for (let looks = 1; found.length > 0 && looks < LOOKS_MAX; looks += 1) {
    await sleep(LOOK_DELAY_MS);
    found = await look(home);
  }
  return found;
}

async function look(home: string): Promise<readonly FoundProcess[]> {
  const pids = (await namesIn("/proc")).filter((name) => /^\d+$/.test(name));
  const found: FoundProcess[] = [];
  for (const pid of pids) {
    const environment = await textOf(`/proc/${pid}/environ`);
    if (!environment.split("\0").includes(`HOME=${home}`)) continue;
    const command = (await textOf(`/proc/${pid}/cmdline`)).replaceAll("\0", " ").trim();
    // One that has ended and was not yet reaped has no words left.
    if (command !== "") found.push({ pid: Number(pid), command: `${pid} ${command}` });
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // No such file system here.
    return [];
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Gone meanwhile, or somebody else's.
    return "";
  }
}
