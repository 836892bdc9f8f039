import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { UnreachableError } from "../client/signalbox-error.js";
import { clientOf } from "./client-options.js";
import { CommandFailure } from "./command.js";
import { isAlive } from "./daemon-files.js";
import { findDaemon, needDaemon, type RunningDaemon } from "./daemon-process.js";
import { EXIT } from "./exit-codes.js";

/** Longer than the time that agents have to end. */
const STOP_TIMEOUT_MS = 15_000;
const POLL_DELAY_MS = 25;

/** Ends the daemon and waits until it is gone. Its agents go on. False when it did not run. */
export async function stopDaemon(dataDir: string): Promise<boolean> {
  const daemon = await findDaemon(dataDir);
  if (daemon === null) return false;
  await terminate(daemon);
  return true;
}

/** Ends every agent, the keeper and the daemon. False when there was nothing to end. */
export async function stopEverything(dataDir: string): Promise<boolean> {
  // Agents outlive the daemon, and only a daemon can end them.
  if (!existsSync(dataDir)) return false;
  const daemon = await needDaemon(dataDir);
  try {
    await clientOf(daemon).shutdown({ agents: true });
  } catch (error) {
    // It may be gone before its answer is out.
    if (!(error instanceof UnreachableError)) throw error;
  }
  if (!(await isGone(daemon.pid))) await terminate(daemon);
  return true;
}

async function terminate({ pid, dataDir }: RunningDaemon): Promise<void> {
  if (isAlive(pid)) process.kill(pid, "SIGTERM");
  if (await isGone(pid)) return;
  throw new CommandFailure(
    `the daemon (process ${pid}) does not end`,
    `See ${dataDir}/daemon.log; kill -9 ${pid} ends it for certain, and its agents go on.`,
    EXIT.failure,
  );
}

async function isGone(pid: number): Promise<boolean> {
  const untilMs = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (Date.now() >= untilMs) return false;
    await delay(POLL_DELAY_MS);
  }
  return true;
}
