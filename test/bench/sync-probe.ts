/** How long the disk takes to keep a small write for good, asked now and then while something else is measured. */
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SIZE_BYTES = 4_096;
const EVERY_MS = 10;

export class SyncProbe {
  private readonly times: number[] = [];
  private readonly probing: Promise<void>;
  private isEnding = false;

  static async start(folder: string): Promise<SyncProbe> {
    return new SyncProbe(await open(join(folder, "probe"), "w"));
  }

  private constructor(private readonly file: FileHandle) {
    this.probing = this.probe();
  }

  /** The milliseconds of each write. */
  async finish(): Promise<readonly number[]> {
    this.isEnding = true;
    await this.probing;
    await this.file.close();
    return this.times;
  }

  private async probe(): Promise<void> {
    const bytes = Buffer.alloc(SIZE_BYTES, "x");
    while (!this.isEnding) {
      const startedAtMs = performance.now();
      await this.file.write(bytes);
      await this.file.sync();
      this.times.push(performance.now() - startedAtMs);
      await sleep(EVERY_MS);
    }
  }
}
