/**
 * What folders hold, by as few looks as can be. On the usual file systems a folder's own times change whenever a name in it
 * comes, goes or becomes something else: while they are the same, so is what was seen of its names.
 */
import { statfsSync, type Stats } from "node:fs";
import { lookAt } from "../look-at.js";
import { RecentMap } from "../recent-map.js";
import { SETTLING_MS } from "./file-cache.js";

/** One state of a folder. The next one has another stamp, because this one has lasted for a while. */
export interface FolderStamp {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
}

/** What a name stands for by itself. `other`: a link, or something that may not be looked at. */
export type FolderEntry = "none" | "folder" | "file" | "other";

const ENTRIES_MAX = 1_024;
const DEVICES_MAX = 64;

/** Linux's numbers of file systems that are known to keep the times of folders: ext4, xfs, btrfs, tmpfs, overlayfs, zfs, f2fs. */
const KEEPING_TIMES = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010,
]);

export class FolderLooks {
  private readonly entries = new RecentMap<{ readonly stamp: FolderStamp; readonly entry: FolderEntry }>(
    ENTRIES_MAX,
  );
  private readonly devices = new Map<number, boolean>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  /** Null: it changed just now, or its file system is not known; nothing can be told from its times. */
  stampOf(folder: string, { dev, ino, ctimeMs }: Stats): FolderStamp | null {
    const isSettled = this.nowMs() - ctimeMs > SETTLING_MS;
    return isSettled && this.keepsTimes(folder, dev) ? { dev, ino, ctimeMs } : null;
  }

  /** `stamp`: of the folder, from a look just now. */
  entryOf(folder: string, name: string, stamp: FolderStamp | null): FolderEntry {
    const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
    if (stamp === null) return lookAtEntry(path);
    const known = this.entries.get(path);
    if (known && isSameStamp(known.stamp, stamp)) return known.entry;
    const entry = lookAtEntry(path);
    this.entries.set(path, { stamp, entry });
    return entry;
  }

  private keepsTimes(folder: string, dev: number): boolean {
    const known = this.devices.get(dev);
    if (known !== undefined) return known;
    if (this.devices.size >= DEVICES_MAX) this.devices.clear();
    const keeps = process.platform === "linux" && KEEPING_TIMES.has(fileSystemOf(folder));
    this.devices.set(dev, keeps);
    return keeps;
  }
}

export function isSameStamp(one: FolderStamp | null, other: FolderStamp | null): boolean {
  if (one === null || other === null) return false;
  return one.ctimeMs === other.ctimeMs && one.ino === other.ino && one.dev === other.dev;
}

export function folderAt(path: string): Stats | null {
  const seen = lookAt(path);
  return typeof seen === "object" && seen.isDirectory() ? seen : null;
}

function lookAtEntry(path: string): FolderEntry {
  const seen = lookAt(path);
  if (typeof seen === "string") return seen === "none" ? "none" : "other";
  if (seen.isDirectory()) return "folder";
  return seen.isFile() ? "file" : "other";
}

function fileSystemOf(folder: string): number {
  try {
    return statfsSync(folder).type;
  } catch {
    // Gone meanwhile, or forbidden: then it is looked at each time.
    return 0;
  }
}
