import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Keeps a file as it was before this conversation first changed it. */
export class Backups {
  private readonly kept = new Set<string>();

  constructor(private readonly folder: string) {}

  /** Once per file. Of a file that is not there yet nothing is kept. */
  async keep(path: string): Promise<void> {
    if (this.kept.has(path)) return;
    const exists = await lstat(path).then(
      (status) => status.isFile(),
      () => false,
    );
    if (exists) {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await copyFile(path, this.copyOf(path), constants.COPYFILE_EXCL).catch(keptBefore);
    }
    this.kept.add(path);
  }

  /** Named after the path, so that a process that goes on with the conversation finds what an earlier one kept. */
  private copyOf(path: string): string {
    const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
    return join(this.folder, `${hash}-${basename(path)}`);
  }
}

function keptBefore(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** Whole or not at all: nobody ever reads half of a file. Its mode stays as it was. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const mode = await stat(path).then(
    (status) => status.mode,
    () => 0o666,
  );
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.draft`);
  try {
    await writeFile(draft, content, { mode });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
