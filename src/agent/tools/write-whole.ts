import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

interface Owned {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whole or not at all: nobody ever reads half of a file, also after a crash. Its owner stays as it was, and its mode too,
 * unless another one is given.
 */
export async function writeWhole(path: string, content: string, mode?: number): Promise<void> {
  const before: Owned | null = await stat(path).catch(() => null);
  const draft = join(dirname(path), `.signalbox-${randomBytes(6).toString("hex")}.draft`);
  try {
    await writeDraft(draft, content, before, mode ?? before?.mode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(
  draft: string,
  content: string,
  before: Owned | null,
  mode: number | undefined,
): Promise<void> {
  // Never more open than it is to be.
  const file = await open(draft, "wx", mode === undefined ? 0o666 : 0o600);
  try {
    await file.writeFile(content);
    // Only root can give a file away.
    if (before) await file.chown(before.uid, before.gid).catch(() => undefined);
    if (mode !== undefined) await file.chmod(mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}
