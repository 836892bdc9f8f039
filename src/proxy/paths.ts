/** Where things of the proxy are. The daemon asks here too. `dataDir` is absolute and without links. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { socketPath } from "../keeper/paths.js";

/** Systems allow 103 bytes or more for the path of a socket. */
const SOCKET_PATH_BYTES_MAX = 100;
/** In a run's folder: what speaks HTTP. */
export const HTTP_SOCKET = "http";
/** In a run's folder: where what leads to its own ports connects. */
export const PUBLISH_SOCKET = "publish";

export function proxySocketPath(dataDir: string): string {
  return socketPath(dataDir, "proxy.sock", ".proxy");
}

export function proxySecretPath(dataDir: string): string {
  return join(dataDir, "proxy.secret");
}

export function proxyLogPath(dataDir: string): string {
  return join(dataDir, "proxy.log");
}

/** Only for people and tests: who has the socket is the proxy. */
export function proxyPidPath(dataDir: string): string {
  return join(dataDir, "proxy.pid");
}

/** What each run may reach. */
export function policiesFolder(dataDir: string): string {
  return join(dataDir, "proxy");
}

export function policyPath(dataDir: string, runId: string): string {
  return join(policiesFolder(dataDir), `${shortName(runId)}.json`);
}

/** The folder that is shown to a run: its own sockets, and nothing else. */
export function runSocketsFolder(dataDir: string, runId: string): string {
  const name = shortName(runId);
  const folder = join(policiesFolder(dataDir), name);
  const longest = join(folder, serviceSocket("127.255.255.255:65535"));
  if (Buffer.byteLength(longest) <= SOCKET_PATH_BYTES_MAX) return folder;
  return `${socketPath(dataDir, "x".repeat(SOCKET_PATH_BYTES_MAX), ".net")}/${name}`;
}

/** In a run's folder: what leads to one service, byte by byte. */
export function serviceSocket(service: string): string {
  return service.replace(/[^A-Za-z0-9.]/g, "-");
}

function shortName(runId: string): string {
  return createHash("sha256").update(runId).digest("hex").slice(0, 16);
}
