import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";

/**
 * Beside the program waits a shell that reads from us what never comes. When we are gone, however we went, it reads the
 * end, and ends the whole group: a command must not outlive the agent that would have told of it.
 */
const WATCHED = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$0" "$@"';

export interface GroupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: readonly ["ignore" | "pipe", "pipe", "ignore" | "pipe"];
}

/** A program in a process group of its own. Who spawns it ends the group once the program has ended. */
export function spawnGroup(
  program: string,
  args: readonly string[],
  { cwd, env, stdio }: GroupOptions,
): ChildProcess {
  const pipes: StdioOptions = [...stdio, "pipe"];
  const child = spawn("/bin/sh", ["-c", WATCHED, program, ...args], {
    cwd,
    env,
    detached: true,
    stdio: pipes,
  });
  // It breaks when the group ends, which is what it is for.
  child.stdio[3]?.on("error", () => undefined);
  return child;
}

/** False when there is nobody left, or nobody of ours: on macOS a group of dead processes is not. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
    return false;
  }
}
