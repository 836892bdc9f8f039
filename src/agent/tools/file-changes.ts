import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeWhole } from "./write-whole.js";

/** How files are changed: one change after the other, and each file is kept as it was before the first of them. */
export class FileChanges {
  private readonly kept = new Set<string>();
  private last: Promise<unknown> = Promise.resolve();

  /** `backups`: the folder in which files are kept. */
  constructor(private readonly backups: string) {}

  /**
   * What is read in here no other call changes before it is written: calls in parallel may be about the same file. Who was
   * aborted before it was their turn changes nothing.
   */
  inTurn<T>(signal: AbortSignal, change: () => Promise<T>): Promise<T> {
    const result = this.last.then(() => {
      signal.throwIfAborted();
      return change();
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  /** `path` is absolute and real. */
  async replace(path: string, content: string): Promise<void> {
    await this.keep(path);
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, content);
  }

  /** Once per file. Of a file that is not there yet nothing is kept. */
  private async keep(path: string): Promise<void> {
    if (this.kept.has(path)) return;
    const exists = await lstat(path).then(
      (status) => status.isFile(),
      () => false,
    );
    if (exists) {
      await mkdir(this.backups, { recursive: true, mode: 0o700 });
      await copyFile(path, this.copyOf(path), constants.COPYFILE_EXCL).catch(keptBefore);
    }
    this.kept.add(path);
  }

  /** Named after the path, so that a process that goes on with the conversation finds what an earlier one kept. */
  private copyOf(path: string): string {
    const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
    // A name may have 255 bytes, and characters up to four each.
    return join(this.backups, `${hash}-${basename(path).slice(-50)}`);
  }
}

function keptBefore(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
