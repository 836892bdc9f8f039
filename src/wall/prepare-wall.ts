/** What must be on this machine before a wall stands, and goes when no run needs it any more. */
import { lstat, mkdir, readFile, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KEPT_BY_AGENT } from "./harness-tables.js";
import { isWithin } from "./layers.js";
import type { WallPlan } from "../protocol/wall.js";

const PRIVATE_FOLDER = 0o700;

/** Keeps an empty file, which stands for hidden ones. Gives its path. */
export async function emptyFileIn(dataDir: string): Promise<string> {
  const folder = join(dataDir, "wall");
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const path = join(folder, "empty");
  // Again each time: what hides a file must be empty.
  await writeFile(path, "", { mode: 0o600 });
  return path;
}

/** Whether what a plan mounts, or mounts upon, is what it was: there, and nobody has put a link in its place. */
export async function isAllThere(plan: WallPlan): Promise<boolean> {
  const made = new Set(plan.made.map(({ path }) => path));
  const entries = [...plan.writable, ...plan.readOnly, ...plan.hidden].map(({ path, from = path, type }) => ({
    from,
    type,
  }));
  const sources = [...plan.copied, ...plan.sockets].map(({ from }) => ({ from, type: null }));
  const checked = [...entries, ...sources].filter(({ from }) => !made.has(from));
  const isThere = await Promise.all(
    checked.map(async ({ from, type }) => {
      const found = await lstat(from).catch(() => null);
      if (!found || (await realpath(from).catch(() => null)) !== from) return false;
      return type === null || found.isDirectory() === (type === "folder");
    }),
  );
  return isThere.every(Boolean);
}

/** May be repeated. */
export async function prepareWall({ made }: Pick<WallPlan, "made">): Promise<void> {
  const folders = made.filter(({ type }) => type === "folder");
  await Promise.all(folders.map(({ path }) => mkdir(path, { recursive: true, mode: PRIVATE_FOLDER })));
  const files = made.filter(({ type }) => type === "file");
  await Promise.all(files.map(({ path, text = "" }) => createFile(path, text)));
}

async function createFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Takes away the files that stood in for missing ones, and the agents' folders that stayed empty, once a run has ended.
 * `others`: plans of the runs that go on; a mount goes with what it is upon, so theirs must stay.
 */
export async function releaseWall(
  { made }: Pick<WallPlan, "made">,
  others: readonly Pick<WallPlan, "made" | "writable">[],
): Promise<void> {
  const needed = new Set(others.flatMap((plan) => plan.made.map(({ path }) => path)));
  for (const { path, type, text } of made) {
    if (type !== "file" || needed.has(path)) continue;
    const found = await readFile(path, "utf8").catch(() => null);
    if (found === text) await rm(path, { force: true });
  }
  const mounted = others.flatMap((plan) => plan.writable.map(({ path, from = path }) => from));
  const folders = made.filter(
    ({ type, path, why }) => type === "folder" && why === KEPT_BY_AGENT && !needed.has(path),
  );
  // The innermost first. One that holds something, or is gone, is none of our business.
  for (const { path } of folders.toSorted((a, b) => b.path.length - a.path.length))
    if (!mounted.some((each) => isWithin(each, path))) await removeEmptyFolder(path);
}

async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EBUSY"].includes(code)) throw error;
  }
}
