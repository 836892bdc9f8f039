/** Whether a path leads into the session's folder, links followed. */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Where the path of a file really leads; one that is yet to be is judged by its folder. */
export async function fileWithin(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const target = await realpathOfNearest(resolve(root, path));
  if (target === root) throw notInside(path);
  return inside(root, target, path);
}

/** Where the folder really is: the session's own, or one inside of it, that is there. */
export async function folderWithin(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  return inside(root, await realpath(resolve(root, path)), path);
}

function inside(root: string, target: string, path: string): string {
  const away = relative(root, target);
  if (away === ".." || away.startsWith("../") || isAbsolute(away)) throw notInside(path);
  return target;
}

function notInside(path: string): Error {
  return new Error(`${path} is not inside the session's folder`);
}

async function realpathOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await realpathOfNearest(dirname(path)), basename(path));
  }
}
