/** `up --foreground`: this very process becomes the daemon, so that whoever ends it has ended the daemon. */
import { mkdirSync } from "node:fs";
import { OPEN_FILES_MIN, TOO_FEW_FILES, type DaemonProgram } from "../protocol/daemon-program.js";
import { CommandFailure } from "./command.js";
import type { RunningDaemon } from "./daemon-process.js";
import { EXIT } from "./exit-codes.js";
import { completeArguments, limitOf } from "./start-daemon.js";

/** Loaded by its address: nothing else of the daemon is ever part of the command line's program. */
const PROGRAM = new URL("../daemon/run-daemon.js", import.meta.url);

/** Never resolves: the process ends with the daemon, and with its status. */
export async function becomeDaemon(
  dataDir: string,
  args: readonly string[],
  onReady: (daemon: RunningDaemon) => Promise<void>,
): Promise<never> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if ((limitOf("self") ?? Infinity) < OPEN_FILES_MIN)
    throw new CommandFailure(TOO_FEW_FILES.message, TOO_FEW_FILES.hint, EXIT.unavailable);
  const { runDaemon } = (await import(PROGRAM.href)) as DaemonProgram;
  try {
    await runDaemon(completeArguments(dataDir, args), {
      ready: onReady,
      failed: ({ message, hint }) =>
        process.stderr.write(`signalbox: the daemon did not start: ${message}\n${hint}\n`),
      waiting: (why) => process.stderr.write(`signalbox: ${why}\n`),
    });
  } catch (error) {
    // Nobody could be told that it is ready: it ends, and with the status that this error means.
    process.kill(process.pid, "SIGTERM");
    throw error;
  }
  return new Promise<never>(() => {
    // The daemon ends the process.
  });
}
