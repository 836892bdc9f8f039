import { readFileSync } from "node:fs";
import { childrenOf } from "../../src/keeper/own-process.js";

/**
 * The pid of a process of a run, by what it calls itself: behind a wall it has another number. Never signal a number that
 * was told from inside: outside it is somebody else's.
 */
export function hostPidOf(runPid: number, pidInside: number): number {
  const found = withDescendants(runPid).find((pid) => ownNumber(pid) === pidInside);
  if (found === undefined) throw new Error(`nobody in the run calls itself ${pidInside}`);
  return found;
}

function withDescendants(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)];
}

function ownNumber(pid: number): number | null {
  try {
    const numbers = /^NSpid:\s+(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(numbers?.split(/\s+/).at(-1));
  } catch {
    // It has just ended.
    return null;
  }
}
