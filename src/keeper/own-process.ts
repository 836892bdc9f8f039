/**
 * The agent's own process in a run. Without a wall that is the one that the keeper has started. Behind a wall the keeper has
 * started bubblewrap, whose child is the first process of a namespace of its own, and whose first child is the agent. They
 * are known by their place and never by a name: whatever an agent calls itself, it comes after those two.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { RunExit } from "../protocol/keeper.js";
import { isGone, type ProcessEntry, readProcess, startMarkOf } from "./process-table.js";

/** Orphans become children of the namespace's first process too, after the agent. */
const CHILDREN_LOOKED_AT_MAX = 8;
/** A program that a signal has ended is told by bubblewrap, as by a shell, with this and the signal's number. */
const ENDED_BY_SIGNAL = 128;

export class OwnProcess {
  /** Behind a wall, once it was seen. */
  private inner: { readonly pid: number; readonly start: string } | null = null;

  constructor(
    /** The run's process as everybody else knows it: it leads the session. */
    readonly leaderPid: number,
    private readonly isWalled: boolean,
  ) {}

  /** Null: it is not there any more, or its wall is still being built. Linux only. */
  read(): ProcessEntry | null {
    if (!this.isWalled) return readProcess(this.leaderPid);
    if (this.inner === null) {
      const found = innerOf(this.leaderPid);
      if (found !== null) this.inner = { pid: found.pid, start: startMarkOf(found) };
      return found;
    }
    const entry = readProcess(this.inner.pid);
    return entry !== null && startMarkOf(entry) === this.inner.start ? entry : null;
  }
}

/** What is told of the end of a run: behind a wall an end by a signal as what it was. */
export function exitThroughWall({ code, signal }: RunExit): RunExit {
  const number = (code ?? 0) - ENDED_BY_SIGNAL;
  const name = Object.entries(constants.signals).find(([, each]) => each === number)?.[0];
  return name === undefined ? { code, signal } : { code: null, signal: name };
}

/** The first program inside; null while there is none, or it is still bubblewrap that has not become it. */
function innerOf(leaderPid: number): ProcessEntry | null {
  const [first, ...others] = childrenOf(leaderPid);
  if (first === undefined || others.length > 0 || pidInside(first) !== 1) return null;
  const inside = childrenOf(first)
    .slice(0, CHILDREN_LOOKED_AT_MAX)
    .flatMap((pid) => ({ pid, number: pidInside(pid) ?? Infinity }))
    .toSorted((one, other) => one.number - other.number)[0];
  if (inside === undefined || inside.number === Infinity) return null;
  if (readText(`/proc/${inside.pid}/cmdline`) === readText(`/proc/${first}/cmdline`)) return null;
  return readProcess(inside.pid);
}

/** Its number in the innermost namespace; null: it is gone, or in ours. */
function pidInside(pid: number): number | null {
  const numbers = /^NSpid:\s+(.+)$/m.exec(readText(`/proc/${pid}/status`) ?? "")?.[1]?.split(/\s+/) ?? [];
  return numbers.length < 2 ? null : Number(numbers.at(-1));
}

/** Oldest first. */
export function childrenOf(pid: number): readonly number[] {
  const listed = readText(`/proc/${pid}/task/${pid}/children`)?.trim() ?? "";
  return listed === "" ? [] : listed.split(" ").map(Number);
}

/** Null: it is gone, or another user's. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isGone(error) || isForbidden(error)) return null;
    throw error;
  }
}

export function isForbidden(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
}
