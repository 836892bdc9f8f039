/**
 * Files that may change at any time, as they are now. Before each use the file is looked at, so that no edit is missed and
 * nothing has to be started again; it is read only when it is another one than before.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  statSync,
  type BigIntStats,
} from "node:fs";
import { lookAt as lookAtItself } from "../look-at.js";

export type FileContent<T> =
  | { readonly type: "missing" }
  | { readonly type: "unreadable"; readonly why: string }
  /** `hash`: SHA-256 of the bytes, in hexadecimal. `value`: what was made of them. */
  | { readonly type: "file"; readonly hash: string; readonly value: T };

export type FileBytes = FileContent<Buffer>;

export const FILE_SIZE_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 2_000;
/** Of the coarsest clock of a file system: a file that changed so lately may change again without a trace. */
export const SETTLING_MS = 3_000;

const MISSING = { type: "missing" } as const;

interface Known<T> {
  readonly stamp: string;
  readonly isSettled: boolean;
  readonly content: FileContent<T>;
}

/** What was made of files, each by its own path. */
export class FileCache<T> {
  private readonly known = new Map<string, Known<T>>();
  /** Which were not there the last time: a guess of what to ask first, and nothing more. */
  private readonly missing = new Set<string>();

  constructor(
    private readonly nowMs: () => number = Date.now,
    /** What tells one state of a file from another, as finely as its file system does. */
    private readonly stampOf: (stats: BigIntStats) => string = wholeStamp,
  ) {}

  /** `make` is called only when the bytes are others than before; for one path it must always do the same. */
  read(path: string, make: (bytes: Buffer) => T): FileContent<T> {
    // Most files are never there, and that is seen at once when it is asked first.
    if (this.missing.has(path) && lookAtItself(path) === "none") return MISSING;
    const stats = lookAt(path);
    if ("type" in stats) {
      if (stats.type === "missing") this.remember(path);
      return stats;
    }
    const known = this.known.get(path);
    const stamp = this.stampOf(stats);
    if (known?.isSettled === true && known.stamp === stamp) return known.content;
    const content = again(known?.content, readFile(path), make);
    const ageMs = this.nowMs() - Number(stats.ctimeMs);
    this.known.delete(path);
    this.known.set(path, { stamp, isSettled: ageMs > SETTLING_MS, content });
    const [oldest] = this.known.keys();
    if (this.known.size > FILES_MAX && oldest !== undefined) this.known.delete(oldest);
    return content;
  }

  private remember(path: string): void {
    if (this.missing.size >= FILES_MAX) this.missing.clear();
    this.missing.add(path);
  }
}

function again<T>(
  before: FileContent<T> | undefined,
  read: FileBytes,
  make: (bytes: Buffer) => T,
): FileContent<T> {
  if (read.type !== "file") return read;
  if (before?.type === "file" && before.hash === read.hash) return before;
  return { ...read, value: make(read.value) };
}

type Absent = Exclude<FileBytes, { readonly type: "file" }>;

function lookAt(path: string): BigIntStats | Absent {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats) return stats;
    if (!lstatSync(path, { throwIfNoEntry: false })) return MISSING;
    return { type: "unreadable", why: "a link that leads nowhere" };
  } catch (error) {
    return absence(error);
  }
}

function wholeStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/** The bytes as they are now. */
export function readFile(path: string): FileBytes {
  const stats = lookAt(path);
  if ("type" in stats) return stats;
  if (!stats.isFile()) return { type: "unreadable", why: "not a file" };
  try {
    // Without waiting: a pipe that took its place would keep us for ever.
    return readOpen(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  } catch (error) {
    return absence(error);
  }
}

function readOpen(fd: number): FileBytes {
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { type: "unreadable", why: "not a file" };
    const bytes = Buffer.alloc(Math.min(stats.size, FILE_SIZE_BYTES_MAX) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(fd, bytes, length, bytes.length - length, null);
    // A file that grew while it was read is looked at again before the next use.
    if (length > FILE_SIZE_BYTES_MAX)
      return { type: "unreadable", why: `larger than ${FILE_SIZE_BYTES_MAX} bytes` };
    const value = bytes.subarray(0, length);
    return { type: "file", hash: createHash("sha256").update(value).digest("hex"), value };
  } finally {
    closeSync(fd);
  }
}

function absence(error: unknown): Absent {
  if (!(error instanceof Error) || !("code" in error)) throw error;
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return MISSING;
  return { type: "unreadable", why: error.message };
}
