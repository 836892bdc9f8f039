import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Where a path really leads, links followed; of a file that is yet to be, as far as there are folders. */
export async function resolvePath(cwd: string, path: string): Promise<string> {
  return nearest(resolve(cwd, path));
}

async function nearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await nearest(dirname(path)), basename(path));
  }
}
