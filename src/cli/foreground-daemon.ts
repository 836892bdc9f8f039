/** The daemon as a child in the foreground: it ends with us, and we end as it does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import type { RunningDaemon } from "./daemon-process.js";
import { DAEMON_PROGRAM, daemonCommand, firstLine, parseReady, strangeLine } from "./start-daemon.js";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves with the daemon's exit status. */
export async function runForeground(
  dataDir: string,
  args: readonly string[],
  onReady: (daemon: RunningDaemon) => Promise<void>,
  program = DAEMON_PROGRAM,
): Promise<number> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // A process group of its own: Ctrl-C reaches it once, through us.
  const child = spawn(process.execPath, daemonCommand(program, dataDir, args), {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    const exit = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const ready = await Promise.race([firstLine(child), exit.then(() => null)]);
    if (ready !== null) {
      const daemon = parseReady(ready, dataDir);
      if (daemon === null) throw strangeLine(ready, dataDir);
      await onReady(daemon);
    }
    const [code, signal] = await exit;
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    // When nobody could be told that it is ready.
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}
