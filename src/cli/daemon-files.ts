/** What a daemon writes into its data folder, so that commands find it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unusableFolder } from "./data-folder.js";

export interface DaemonFiles {
  readonly url: string;
  /** Where commands of this machine reach it; absent where that is simply the address. */
  readonly socket?: string;
  readonly pid: number;
  readonly token: string;
}

/** Null when no daemon has been here, or what it wrote makes no sense. */
export function readDaemonFiles(dataDir: string): DaemonFiles | null {
  try {
    const address = parseAddress(readIfThere(join(dataDir, "daemon.json")));
    const token = readIfThere(join(dataDir, "token"))?.trim();
    return address && token ? { ...address, token } : null;
  } catch (error) {
    throw unusableFolder(dataDir, error);
  }
}

/** Whether a process of ours has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function parseAddress(text: string | null): Omit<DaemonFiles, "token"> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("url" in value) || !("pid" in value)) return null;
    const { url, pid } = value;
    if (typeof url !== "string" || typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return null;
    const socket = "socket" in value && typeof value.socket === "string" ? { socket: value.socket } : {};
    return { url, ...socket, pid };
  } catch {
    // Half written: as good as not there.
    return null;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
