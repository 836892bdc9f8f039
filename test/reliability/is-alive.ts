/** Whether a process is there; one that has ended and was not yet reaped is not. */
import { readFileSync } from "node:fs";

export function isAlive(pid: number): boolean {
  // To the system 0 and less are groups: ours would always answer.
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    // No such file system here, or gone meanwhile; the signal has decided.
    return false;
  }
}
