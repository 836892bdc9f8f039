/** What a process has cost so far, as Linux counts it. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** Elsewhere there is nothing to read. */
export const HAS_PROCESS_COSTS = existsSync("/proc/self/smaps_rollup");

let ticksPerSecond: number | null = null;

/** Processor time of all its threads, those that have ended too. */
export function cpuMs(pid: number): number {
  ticksPerSecond ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before it may hold anything. Of what follows, the 12th and 13th are the ticks of user and system.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/**
 * Memory that is its own: heaps and stacks. What it has in common with other programs of the machine, such as Node itself,
 * counts for none of them, so that their coming and going changes nothing here.
 */
export function memoryBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Anonymous:\s+(\d+) kB$/m.exec(rollup)?.[1]) * 1024;
}
