/** Signals to an agent and everything it started. A run's process leads a group, and a session, of its own. */

/** Whether there was somebody to signal. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  return send(-leaderPid, signal);
}

/** Whether it was there, and ours to signal. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  return send(pid, signal);
}

/**
 * Ends who is left of a group whose leader is dead and buried. While a member lives, the system gives the leader's pid to
 * nobody else: if there is a process with that pid, then all of ours are gone and the group is somebody else's.
 */
export function signalOrphans(leaderPid: number, signal: NodeJS.Signals): boolean {
  return !send(leaderPid, 0) && signalGroup(leaderPid, signal);
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    // EPERM: only processes that are not ours, or, on macOS, only dead ones.
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) {
      return false;
    }
    throw error;
  }
}
