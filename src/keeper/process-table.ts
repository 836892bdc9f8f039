/** What the system says about processes. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessEntry {
  readonly pid: number;
  /** Of its program, as far as the system keeps it: 15 letters. */
  readonly name: string;
  readonly parent: number;
  /** Dead, and only waiting for its parent to notice. */
  readonly zombie: boolean;
  /** By a signal; one that a debugger has stopped is none of those. */
  readonly stopped: boolean;
  readonly group: number;
  readonly session: number;
  /** The number of its terminal, as that of a device; 0: it has none. */
  readonly terminalDevice: number;
  /** The process group in the foreground of its terminal; not above 0 where there is none. */
  readonly foregroundGroup: number;
  /** When it started, in the system's own unit, since the system started. */
  readonly startTicks: number;
}

/** A process as Linux lists it; null when it is not there. */
export function readProcess(pid: number): ProcessEntry | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
  // The second field is the program's name in brackets, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
    parent: Number(fields[1]),
    zombie: fields[0] === "Z" || fields[0] === "X",
    stopped: fields[0] === "T",
    group: Number(fields[2]),
    session: Number(fields[3]),
    terminalDevice: Number(fields[4]),
    foregroundGroup: Number(fields[5]),
    startTicks: Number(fields[19]),
  };
}

/** Every process; only Linux can say. */
export function listProcesses(): readonly ProcessEntry[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

/**
 * Tells a process from a later one with the same pid, also after the machine started again. Empty when there is no such
 * process any more. On Linux it is read before this function first waits.
 */
export async function readStartMark(pid: number): Promise<string> {
  if (process.platform !== "linux") return await readStartTime(pid);
  const entry = readProcess(pid);
  return entry === null ? "" : startMarkOf(entry);
}

/** Of a process as Linux lists it. */
export function startMarkOf({ startTicks }: ProcessEntry): string {
  return `${startTicks}@${bootId()}`;
}

/** The ticks in a mark of this start of the machine; null for any other mark. */
export function ticksOfMark(mark: string): number | null {
  const [ticks, boot] = mark.split("@");
  return boot === bootId() && ticks !== undefined && /^[0-9]+$/.test(ticks) ? Number(ticks) : null;
}

let knownBootId: string | null = null;

function bootId(): string {
  knownBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return knownBootId;
}

async function readStartTime(pid: number): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile("ps", ["-o", "lstart=", "-p", String(pid)], (error, stdout) => {
      // It exits with 1 when there is no such process.
      if (error !== null && error.code !== 1) reject(new Error("cannot run ps", { cause: error }));
      else resolve(stdout.trim());
    });
  });
}

export function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");
}
