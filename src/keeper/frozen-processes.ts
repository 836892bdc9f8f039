/** Who could read a terminal after the death of the program in front of it; stopped, and continued. Linux only. */
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenIn } from "./foreground.js";
import { isForbidden } from "./own-process.js";
import { signalProcess } from "./process-group.js";
import { isGone, type ProcessEntry, readProcess, startMarkOf } from "./process-table.js";

/** A process, told from a later one with the same pid. */
export interface MarkedProcess {
  readonly pid: number;
  readonly start: string;
}

/** Shells that were started by shells: deeper than this nobody hides. */
const DEPTH_MAX = 32;
/** A process that does not stop by then is in the middle of something that the system cannot interrupt. */
const STOPS_WITHIN_MS = 1_000;
const SHELLS: ReadonlySet<string> = new Set([
  "ash",
  "bash",
  "busybox",
  "csh",
  "dash",
  "fish",
  "ksh",
  "mksh",
  "nu",
  "rbash",
  "sh",
  "tcsh",
  "xonsh",
  "zsh",
]);

export interface Bystanders {
  /** Those to freeze, from the terminal's leader downwards: a shell must not see that one below it was stopped. */
  readonly shells: readonly MarkedProcess[];
  /** The addressee; and, where that is a script of a shell, the program that it waits for. */
  readonly witnesses: readonly MarkedProcess[];
}

/** `leader` is the run's own process, inside its wall. Null: the addressee is not there. */
export function bystandersOf(leader: ProcessEntry, addresseePid: number): Bystanders | null {
  const addressee = readProcess(addresseePid);
  if (addressee === null) return null;
  const scripts = scriptsFrom(addressee);
  const shells = [...ancestorsOf(addressee, leader), ...scripts.shells];
  return {
    // Who is stopped already is not ours to continue.
    shells: shells.filter((shell) => !shell.zombie && !shell.stopped).map(marked),
    witnesses: [addressee, ...scripts.programs].map(marked),
  };
}

/** From the leader down to the addressee's parent, without those of the addressee's own group. */
function ancestorsOf(addressee: ProcessEntry, leader: ProcessEntry): readonly ProcessEntry[] {
  const ancestors: ProcessEntry[] = [];
  let at: ProcessEntry = addressee;
  while (at.pid !== leader.pid && ancestors.length < DEPTH_MAX) {
    const parent = readProcess(at.parent);
    if (parent?.session !== leader.session) break;
    ancestors.unshift(parent);
    at = parent;
  }
  // Of an orphan the leader is no ancestor, and reads what it leaves all the same.
  if (at.pid !== leader.pid) ancestors.unshift(leader);
  return ancestors.filter(({ group }) => group !== addressee.group);
}

/** A script of a shell goes on when its program is dead, and may read then. */
function scriptsFrom(addressee: ProcessEntry): {
  readonly shells: readonly ProcessEntry[];
  readonly programs: readonly ProcessEntry[];
} {
  const shells: ProcessEntry[] = [];
  let at: ProcessEntry = addressee;
  while (shells.length < DEPTH_MAX && isShell(at.pid)) {
    const children = childrenIn(addressee.group, at.pid);
    const child = children.length === 1 ? readProcess(children[0] ?? 0) : null;
    if (child === null) return { shells, programs: shells.length > 0 ? [at] : [] };
    shells.push(at);
    at = child;
  }
  return { shells, programs: shells.length > 0 ? [at] : [] };
}

function isShell(pid: number): boolean {
  try {
    return SHELLS.has(basename(readlinkSync(`/proc/${pid}/exe`)));
  } catch (error) {
    // Another user's process does not say what it is; it could not be frozen either.
    if (isGone(error) || isForbidden(error)) return false;
    throw error;
  }
}

function marked(entry: ProcessEntry): MarkedProcess {
  return { pid: entry.pid, start: startMarkOf(entry) };
}

/** Null: it is gone, or another process has its pid now. */
export function findMarked({ pid, start }: MarkedProcess): ProcessEntry | null {
  const entry = readProcess(pid);
  return entry !== null && startMarkOf(entry) === start ? entry : null;
}

/** Whether it lives and goes on. */
export function isRunning(process: MarkedProcess): boolean {
  const entry = findMarked(process);
  return entry !== null && !entry.zombie && !entry.stopped;
}

/** One after the other, each only when the one before has stopped. False: one of them does not, or may not be stopped. */
export async function freeze(processes: readonly MarkedProcess[]): Promise<boolean> {
  const deadlineMs = performance.now() + STOPS_WITHIN_MS;
  for (const process of processes) {
    if (findMarked(process) === null) continue;
    if (!signalProcess(process.pid, "SIGSTOP")) return false;
    while (isRunning(process)) {
      if (performance.now() > deadlineMs) return false;
      await sleep(1);
    }
  }
  return true;
}

/** From below: a shell that goes on finds everybody whom it has started as it was. */
export function thaw(processes: readonly MarkedProcess[]): void {
  for (const process of processes.toReversed()) {
    if (findMarked(process) !== null) signalProcess(process.pid, "SIGCONT");
  }
}
