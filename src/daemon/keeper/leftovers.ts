/** What a dead keeper has left behind: run folders, and perhaps processes. Only for when no keeper answers. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { META_FILE, runFolder, runsFolder } from "../../keeper/paths.js";
import { signalGroup } from "../../keeper/process-group.js";
import { listProcesses, type ProcessEntry, readStartMark, ticksOfMark } from "../../keeper/process-table.js";
import { type RunMeta, runMetaSchema } from "../../protocol/keeper.js";

const KILL_AFTER_MS = 2_000;
const GIVE_UP_AFTER_MS = 5_000;
const POLL_MS = 50;

export interface Leftovers {
  readonly metas: readonly RunMeta[];
  /** Folders that do not say what ran: nothing can be ended by them. */
  readonly problems: readonly { readonly folder: string; readonly reason: string }[];
}

export interface EndedLeftover {
  readonly runId: string;
  /** `gone`: nothing of it lived. `stuck`: not even SIGKILL ended it. */
  readonly outcome: "gone" | "ended" | "stuck";
}

export async function listLeftovers(dataDir: string): Promise<Leftovers> {
  const metas: RunMeta[] = [];
  const problems: { folder: string; reason: string }[] = [];
  for (const name of await namesIn(runsFolder(dataDir))) {
    const folder = runFolder(dataDir, name);
    const meta = await readMeta(folder);
    if (typeof meta === "string") problems.push({ folder, reason: meta });
    else if (meta.runId === name) metas.push(meta);
    else problems.push({ folder, reason: `${META_FILE}: of the run ${meta.runId}` });
  }
  return { metas, problems };
}

/**
 * Ends what still lives of these runs, with everything in their process groups: SIGTERM, and after 2 s SIGKILL. Never
 * touches a process that only has the same pid.
 */
export async function endLeftovers(metas: readonly RunMeta[]): Promise<readonly EndedLeftover[]> {
  const living = await stillLiving(metas);
  for (const { pid } of living) signalGroup(pid, "SIGTERM");
  const stubborn = await waitForEnd(living, KILL_AFTER_MS);
  for (const { pid } of stubborn) signalGroup(pid, "SIGKILL");
  const stuck = await waitForEnd(stubborn, GIVE_UP_AFTER_MS);
  return metas.map((meta) => ({
    runId: meta.runId,
    outcome: stuck.includes(meta) ? "stuck" : living.includes(meta) ? "ended" : "gone",
  }));
}

/** Those that live after all that time. */
async function waitForEnd(metas: readonly RunMeta[], timeoutMs: number): Promise<readonly RunMeta[]> {
  const deadlineMs = performance.now() + timeoutMs;
  let living = metas;
  while (living.length > 0 && performance.now() < deadlineMs) {
    await sleep(POLL_MS);
    living = await stillLiving(living);
  }
  return living;
}

async function stillLiving(metas: readonly RunMeta[]): Promise<readonly RunMeta[]> {
  const processes = listProcesses();
  const lives = await Promise.all(
    metas.map(async (meta) =>
      process.platform === "linux" ? groupLives(meta, processes) : await leaderLives(meta),
    ),
  );
  return metas.filter((_, index) => lives[index]);
}

/**
 * A run's process led a session and a group, both of its own pid. While anybody is in that session, no new process gets
 * this pid. So a process with this pid that started at another time means that all of ours are gone.
 */
function groupLives({ pid, startMark }: RunMeta, processes: readonly ProcessEntry[]): boolean {
  const startTicks = ticksOfMark(startMark);
  if (startTicks === null) return false;
  const leader = processes.find((each) => each.pid === pid);
  if (leader !== undefined && leader.startTicks !== startTicks) return false;
  return processes.some(
    (each) => each.group === pid && each.session === pid && !each.zombie && each.startTicks >= startTicks,
  );
}

/** Elsewhere only the leader itself can be told from others. */
async function leaderLives({ pid, startMark }: RunMeta): Promise<boolean> {
  return startMark !== "" && (await readStartMark(pid)) === startMark && signalGroup(pid, 0);
}

/** The reason, when it cannot be read. */
async function readMeta(folder: string): Promise<RunMeta | string> {
  try {
    const text = await readFile(join(folder, META_FILE), "utf8");
    const parsed = runMetaSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : `${META_FILE}: ${parsed.error.issues[0]?.message ?? "invalid"}`;
  } catch (error) {
    return `${META_FILE}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
