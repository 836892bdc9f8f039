/** Files that only their owner may read. */
import { chmod, readFile, stat } from "node:fs/promises";
import { writeWhole } from "../../agent/tools/write-whole.js";
import type { Log } from "../log/log.js";

/** Null when there is no such file. One that others may read is closed to them first. */
export async function readPrivateFile(path: string, log: Log): Promise<string | null> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      await chmod(path, 0o600);
      log.warn("a private file was open to others and is closed now", {
        path,
        mode: (mode & 0o777).toString(8),
      });
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** All of it or nothing: also when the machine stops in the middle. */
export function writePrivateFile(path: string, text: string): Promise<void> {
  return writeWhole(path, text, 0o600);
}
