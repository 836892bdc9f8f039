import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

interface Owned {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Whole or not at all: nobody ever reads half of a file, also after a crash. Its mode and owner stay as they were. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const before: Owned | null = await stat(path).catch(() => null);
  const draft = join(dirname(path), `.signalbox-${randomBytes(6).toString("hex")}.draft`);
  try {
    await writeDraft(draft, content, before);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(draft: string, content: string, before: Owned | null): Promise<void> {
  // Never more open than the file that it replaces.
  const file = await open(draft, "wx", before === null ? 0o666 : 0o600);
  try {
    await file.writeFile(content);
    if (before) {
      // Only root can give a file away.
      await file.chown(before.uid, before.gid).catch(() => undefined);
      await file.chmod(before.mode & 0o7777);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
