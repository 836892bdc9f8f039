import { appendFile, rename } from "node:fs";
import { join } from "node:path";
import { STDERR_FILE, STDERR_OLD_FILE } from "./paths.js";

/** Of each of the two files: the newest 128 to 256 KiB are kept. */
const FILE_BYTES_MAX = 128 * 1024;

/** Keeps the newest of what an agent says on stderr. What the disk does not take is lost: nobody waits for it. */
export class StderrFile {
  busy = false;
  private sizeBytes = 0;

  constructor(
    private readonly folder: string,
    private readonly onWritten: () => void,
  ) {}

  /** Only while it is not busy. */
  append(chunk: Buffer): void {
    this.busy = true;
    if (this.sizeBytes === 0 || this.sizeBytes + chunk.length <= FILE_BYTES_MAX) {
      this.write(chunk);
      return;
    }
    this.sizeBytes = 0;
    rename(this.path(STDERR_FILE), this.path(STDERR_OLD_FILE), () => this.write(chunk));
  }

  private write(chunk: Buffer): void {
    this.sizeBytes += chunk.length;
    appendFile(this.path(STDERR_FILE), chunk, { mode: 0o600 }, () => {
      this.busy = false;
      this.onWritten();
    });
  }

  private path(name: string): string {
    return join(this.folder, name);
  }
}
