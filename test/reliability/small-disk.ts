/** A file system that is soon full: a tmpfs of a few MiB, where we may mount one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class SmallDisk {
  private readonly ballastFile: string;

  /** Null where mounting is not allowed. */
  static mount(folder: string, sizeMib: number): SmallDisk | null {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMib}m,mode=0700`, "tmpfs", folder], {
        stdio: "pipe",
      });
    } catch {
      return null;
    }
    return new SmallDisk(folder);
  }

  private constructor(readonly folder: string) {
    this.ballastFile = join(folder, "ballast");
  }

  /** Takes every byte that is left. */
  fill(): void {
    for (const sizeBytes of [256 * 1024, 16 * 1024, 1024, 1]) {
      const piece = Buffer.alloc(sizeBytes);
      while (append(this.ballastFile, piece)) {
        // Until there is no more.
      }
    }
  }

  free(): void {
    rmSync(this.ballastFile, { force: true });
  }

  unmount(): void {
    execFileSync("umount", ["-l", this.folder]);
  }
}

function append(path: string, bytes: Buffer): boolean {
  try {
    writeFileSync(path, bytes, { flag: "a" });
    return true;
  } catch {
    return false;
  }
}
