/** The other end of a connection, when it is a process of this machine: by the number of its socket. */
import { execFile } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { isIPv4, isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** `elsewhere`: it is not of this machine, or the system does not tell. `gone`: it was, and has let go of the socket. */
export type LocalPeer =
  | { readonly type: "socket"; readonly inode: number }
  | { readonly type: "gone" }
  | { readonly type: "elsewhere" };

const ELSEWHERE: LocalPeer = { type: "elsewhere" };
const GONE: LocalPeer = { type: "gone" };
const SS_TIMEOUT_MS = 2_000;
const SS_BYTES_MAX = 16 * 1024 * 1024;

export async function localPeer(connection: Duplex): Promise<LocalPeer> {
  if (process.platform !== "linux") return ELSEWHERE;
  const socket = connection as Socket;
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined)
    return socket.destroyed ? GONE : unixPeer(socket);
  const ends = { near: [remoteAddress, remotePort], far: [localAddress ?? "", localPort] } as const;
  return tcpPeer(["/proc/net/tcp", "/proc/net/tcp6"].map(readTable), ends);
}

interface Ends {
  readonly near: readonly [address: string, port: number];
  readonly far: readonly [address: string, port: number];
}

/** By the kernel's tables of connections: the row whose own end is the other end of ours. */
export function tcpPeer(tables: readonly (string | null)[], { near, far }: Ends): LocalPeer {
  if (tables.every((table) => table === null)) return ELSEWHERE;
  const nearPort = hexPort(near[1]);
  const farPort = hexPort(far[1]);
  const address = plainAddress(near[0]);
  for (const line of tables.flatMap((table) => table?.split("\n") ?? [])) {
    const [, own = "", other = "", , , , , , , inode = ""] = line.trim().split(/\s+/);
    if (!own.endsWith(nearPort) || !other.endsWith(farPort)) continue;
    if (kernelAddress(own.slice(0, -nearPort.length)) !== address) continue;
    return Number(inode) > 0 ? { type: "socket", inode: Number(inode) } : GONE;
  }
  // Whoever calls over loopback is here, or was.
  return isLoopback(address) ? GONE : ELSEWHERE;
}

function hexPort(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** An IPv4 address in the clothes of IPv6 is itself. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? (isIPv6(address) ? canonicalIpv6(address) : address);
}

function canonicalIpv6(address: string): string {
  const [bare = ""] = address.split("%");
  return new URL(`http://[${bare}]/`).hostname.slice(1, -1);
}

/** As `/proc/net` has it: words of four bytes, each in the order of this machine, which is the little one. */
function kernelAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  const isMapped = groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";
  return isMapped && isIPv4(bytes.slice(12).join("."))
    ? bytes.slice(12).join(".")
    : canonicalIpv6(groups.join(":"));
}

function readTable(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A system without it, or without IPv6: then nobody can tell.
    return null;
  }
}

/** Which two sockets of the file system belong together only `ss` tells. */
async function unixPeer(socket: Socket): Promise<LocalPeer> {
  const own = inodeOf(socket);
  const table = own === null ? null : await listUnixSockets();
  if (table === null) return ELSEWHERE;
  return unixPeerIn(table, own ?? 0);
}

/** The sockets that are connected to those at this path. */
export async function peersAt(path: string): Promise<readonly number[]> {
  const table = process.platform === "linux" ? await listUnixSockets() : null;
  return (table?.split("\n") ?? []).flatMap((line) => {
    const [, , , , at, , , peer] = line.trim().split(/\s+/);
    return at !== undefined && (at === path || at.startsWith(`${path}.`)) && Number(peer) > 0
      ? [Number(peer)]
      : [];
  });
}

/** In lines of `ss -xnH`: own address and inode, then those of the peer. */
export function unixPeerIn(table: string, own: number): LocalPeer {
  for (const line of table.split("\n")) {
    const [inode, peer] = (/\s(\d+)\s+\S+\s+(\d+)\s*$/.exec(line) ?? []).slice(1).map(Number);
    if (inode === own) return peer !== undefined && peer > 0 ? { type: "socket", inode: peer } : GONE;
  }
  return GONE;
}

function inodeOf(socket: Socket): number | null {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: number } | null };
  if (handle?.fd === undefined || handle.fd < 0) return null;
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${handle.fd}`))?.[1];
    return inode === undefined ? null : Number(inode);
  } catch {
    // It has been closed just now.
    return null;
  }
}

function listUnixSockets(): Promise<string | null> {
  return new Promise((resolve) => {
    execFile("ss", ["-xnH"], { timeout: SS_TIMEOUT_MS, maxBuffer: SS_BYTES_MAX }, (error, stdout) =>
      resolve(error ? null : stdout),
    );
  });
}
