/** Finds the daemon, and starts it when a command needs it. The daemon is another process, never a part of this one. */
import { createBareClient } from "../client/bare-client.js";
import type { Fetch, Health } from "../client/client.js";
import { SignalboxError, UnreachableError } from "../client/signalbox-error.js";
import { isAlive, readDaemonFiles, type DaemonFiles } from "./daemon-files.js";
import { httpFetch } from "./http-fetch.js";

const HEALTH_TIMEOUT_MS = 2_000;

export interface RunningDaemon {
  readonly url: string;
  /** Instead of the address, for us. */
  readonly socket?: string;
  readonly token: string;
  readonly pid: number;
  readonly dataDir: string;
}

/** The daemon of this data folder, when it runs. */
export async function findDaemon(dataDir: string): Promise<(RunningDaemon & { health: Health }) | null> {
  const files = readDaemonFiles(dataDir);
  // A process of somebody else on that port must not get the token.
  if (files === null || !isAlive(files.pid)) return null;
  const health = await readHealth(files);
  return health?.pid === files.pid ? { ...files, dataDir, health } : null;
}

/** The daemon of this data folder; it is started when it does not run. */
export async function needDaemon(dataDir: string): Promise<RunningDaemon> {
  const found = await findDaemon(dataDir);
  if (found) return found;
  const { daemonArguments, startDaemon } = await import("./start-daemon.js");
  const started = await startDaemon(dataDir, daemonArguments({}));
  if (process.stderr.isTTY) process.stderr.write(`signalbox: started the daemon at ${started.url}\n`);
  return started;
}

async function readHealth({ url, socket }: DaemonFiles): Promise<Health | null> {
  const fetch: Fetch = (address, init) => httpFetch(address, init, socket);
  try {
    return await createBareClient({ url, fetch, timeoutMs: HEALTH_TIMEOUT_MS }).health();
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof SignalboxError) return null;
    throw error;
  }
}
