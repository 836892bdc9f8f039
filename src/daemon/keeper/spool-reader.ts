import { type FileHandle, open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { HOOKS_FILE, STDERR_FILE, STDERR_OLD_FILE } from "../../keeper/paths.js";
import { spoolSegmentName, spoolSegmentStart } from "../../protocol/keeper-format.js";

const READ_BYTES_MAX = 1024 * 1024;

/** What should be at this offset was deleted, or never written. */
export class SpoolGap extends Error {
  override readonly name = "SpoolGap";
  constructor(
    readonly folder: string,
    readonly offset: number,
  ) {
    super(`The spool in ${folder} has nothing at ${offset}, and should.`);
  }
}

/**
 * Reads what a run has printed, by offset. It needs only the run's folder, whether or not its keeper lives. One call at
 * a time.
 */
export class SpoolReader {
  private segment: { readonly start: number; readonly file: FileHandle } | null = null;

  constructor(private readonly folder: string) {}

  /**
   * The bytes from `offset` on, at most `lengthMax` of them; it may be fewer, and none only at the end. Rejects with
   * `SpoolGap`.
   */
  async read(offset: number, lengthMax: number): Promise<Buffer> {
    const inOpen = await this.readOpen(offset, lengthMax);
    if (inOpen.length > 0 || lengthMax === 0) return inOpen;
    if (!(await this.openSegmentAt(offset))) return inOpen;
    return await this.readOpen(offset, lengthMax);
  }

  /** How far the spool reaches by what is on disk; 0 when nothing is left of it, or nothing was printed. */
  async end(): Promise<number> {
    const start = (await this.segmentStarts()).at(-1);
    if (start === undefined) return 0;
    const file = await open(join(this.folder, spoolSegmentName(start)));
    try {
      return start + (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  /** How far the hooks' file reaches; 0 where there is none. */
  async hooksEnd(): Promise<number> {
    const found = await stat(join(this.folder, HOOKS_FILE)).catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    return found?.size ?? 0;
  }

  /** The same for what hooks have written. */
  async readHooks(offset: number, lengthMax: number): Promise<Buffer> {
    const file = await open(join(this.folder, HOOKS_FILE));
    try {
      return await readAt(file, offset, lengthMax);
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {
    const { segment } = this;
    this.segment = null;
    await segment?.file.close();
  }

  private async readOpen(offset: number, lengthMax: number): Promise<Buffer> {
    const { segment } = this;
    if (segment === null || offset < segment.start) return Buffer.alloc(0);
    return await readAt(segment.file, offset - segment.start, lengthMax);
  }

  /** False: the spool ends here. */
  private async openSegmentAt(offset: number): Promise<boolean> {
    const starts = await this.segmentStarts();
    const start = starts.findLast((each) => each <= offset);
    if (start === undefined) {
      if (offset === 0 && starts.length === 0) return false;
      throw new SpoolGap(this.folder, offset);
    }
    if (this.segment?.start !== start) {
      await this.close();
      this.segment = { start, file: await this.openFile(start, offset) };
    }
    const end = start + (await this.segment.file.stat()).size;
    if (offset < end) return true;
    if (offset === end && start === starts.at(-1)) return false;
    throw new SpoolGap(this.folder, offset);
  }

  private async openFile(start: number, offset: number): Promise<FileHandle> {
    try {
      return await open(join(this.folder, spoolSegmentName(start)));
    } catch (error) {
      // Deleted since it was listed.
      if (isAbsent(error)) throw new SpoolGap(this.folder, offset);
      throw error;
    }
  }

  private async segmentStarts(): Promise<readonly number[]> {
    const names = await readdir(this.folder).catch((error: unknown): string[] => {
      if (isAbsent(error)) return [];
      throw error;
    });
    return names.flatMap((name) => spoolSegmentStart(name) ?? []).toSorted((a, b) => a - b);
  }
}

/** The newest of what a run has said on stderr. */
export async function readStderr(folder: string): Promise<Buffer> {
  const parts = [STDERR_OLD_FILE, STDERR_FILE].map(async (name) => {
    try {
      return await readFile(join(folder, name));
    } catch (error) {
      if (isAbsent(error)) return Buffer.alloc(0);
      throw error;
    }
  });
  return Buffer.concat(await Promise.all(parts));
}

async function readAt(file: FileHandle, position: number, lengthMax: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(lengthMax, READ_BYTES_MAX));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
