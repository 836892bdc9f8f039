/** Where things are in the data folder. The daemon and the keeper both ask here. */
import { createHash } from "node:crypto";
import { join } from "node:path";

/**
 * Systems allow 103 bytes or more for the path of a socket; the keeper first listens at a name that is up to 9 bytes
 * longer than this one.
 */
const SOCKET_PATH_BYTES_MAX = 92;

/** Not `os.tmpdir()`: two shells with different settings must find the same keeper. */
const SHORT_FOLDER = "/tmp";

/** `dataDir` must be absolute and without links, so that everybody gets the same answer. */
export function keeperSocketPath(dataDir: string): string {
  return socketPath(dataDir, "keeper.sock", ".sock");
}

/** By which commands of this machine reach a daemon that listens elsewhere, or with TLS. */
export function daemonSocketPath(dataDir: string): string {
  return socketPath(dataDir, "daemon.sock", ".daemon");
}

/** In the data folder, or in a short one of this user's when its path would be too long. */
export function socketPath(dataDir: string, name: string, shortSuffix: string): string {
  const path = join(dataDir, name);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return path;
  return join(shortFolder(), `${shortName(dataDir)}${shortSuffix}`);
}

function shortFolder(): string {
  return join(SHORT_FOLDER, `signalbox-${process.getuid?.() ?? 0}`);
}

function shortName(dataDir: string): string {
  return createHash("sha256").update(dataDir).digest("hex").slice(0, 32);
}

/** Below it the name of a run and of its socket must have room. */
const AGENT_SOCKETS_BYTES_MAX = 64;

/** Where each run behind a wall has a folder with the socket of its agent: all of one data folder in one place. */
export function agentSocketsFolder(dataDir: string): string {
  const path = join(dataDir, "agents");
  if (Buffer.byteLength(path) <= AGENT_SOCKETS_BYTES_MAX) return path;
  return join(shortFolder(), `${shortName(dataDir)}.agents`);
}

export function keeperLogPath(dataDir: string): string {
  return join(dataDir, "keeper.log");
}

/** Only for people and tests: who has the socket is the keeper. */
export function keeperPidPath(dataDir: string): string {
  return join(dataDir, "keeper.pid");
}

export function runsFolder(dataDir: string): string {
  return join(dataDir, "runs");
}

export function runFolder(dataDir: string, runId: string): string {
  return join(runsFolder(dataDir), runId);
}

/** The files of a run, besides the segments of its spool. */
export const META_FILE = "meta.json";
export const HOOKS_FILE = "hooks";
/** Who is frozen while something is typed: there only as long as somebody may be. */
export const HOLD_FILE = "hold.json";
/** The newest of what the agent wrote to stderr; what it wrote before that is in the other one. */
export const STDERR_FILE = "err";
export const STDERR_OLD_FILE = "err.old";
