/** Which folders have a say over a working directory, and which of them is its project. */
import { existsSync, lstatSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { RecentMap } from "../recent-map.js";

/** Where a folder keeps what is for Signalbox. */
export const FOLDER_NAME = ".signalbox";

export interface ProjectFolders {
  /** The person's home folder, links followed. */
  readonly home: string;
  /** Links followed. */
  readonly cwd: string;
  /** The nearest folder with `.signalbox` or `.git`; else the working directory itself. */
  readonly projectDir: string;
  /** From the working directory up, nearest first. */
  readonly folders: readonly string[];
}

/**
 * The home folder, and the root, are above every project and are none themselves, unless an agent works right there.
 * `home`: where the home folder leads, for who knows it.
 */
export function projectFolders(
  workingDir: string,
  homeDir: string,
  home: string = realPath(resolve(homeDir)),
): ProjectFolders {
  const given = resolve(workingDir);
  const seen = foldersBelow(home, given);
  const cwd = seen === null ? realPath(given) : given;
  const real = upFrom(cwd, home);
  // Reached by a link, a folder has the rules of both places: whoever forbade something in one of them meant it.
  const linked = given === cwd ? [] : upFrom(given, resolve(homeDir)).map(realPath);
  return {
    home,
    cwd,
    projectDir:
      real.find(
        (folder) => folder !== home && dirname(folder) !== folder && isMarked(folder, seen?.get(folder)),
      ) ?? cwd,
    folders: linked.length === 0 ? real : [...new Set([...real, ...linked])],
  };
}

/** The rules that a folder brings along. */
export function repositoryRules(folder: string): string {
  return join(folder, FOLDER_NAME, "permissions.toml");
}

const ways = new RecentMap<readonly string[]>(256);

/** Up to the home folder or the root, whichever comes first. */
function upFrom(folder: string, home: string): readonly string[] {
  const key = `${folder}\0${home}`;
  const known = ways.get(key);
  if (known) return known;
  const parent = dirname(folder);
  const way = folder === home || parent === folder ? [folder] : [folder, ...upFrom(parent, home)];
  ways.set(key, way);
  return way;
}

/**
 * What the folders on the way from `home` down to `folder` are; null when one of them is a link, or none. One look at each
 * tells what following links would, and more.
 */
function foldersBelow(home: string, folder: string): ReadonlyMap<string, Stats> | null {
  if (!folder.startsWith(`${home}/`)) return null;
  const seen = new Map<string, Stats>();
  for (let end = home.length; end !== folder.length;) {
    const slash = folder.indexOf("/", end + 1);
    end = slash < 0 ? folder.length : slash;
    const path = folder.slice(0, end);
    const stats = lookAt(path);
    if (stats?.isDirectory() !== true) return null;
    seen.set(path, stats);
  }
  return seen;
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Why it may not be looked at is told by who follows it next.
    return undefined;
  }
}

/** A folder in which everybody may write, such as the one for temporary files, is nobody's project. */
function isMarked(folder: string, seen: Stats | undefined): boolean {
  if (!exists(join(folder, FOLDER_NAME)) && !exists(join(folder, ".git"))) return false;
  const stats = seen ?? statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o002) === 0;
}

function exists(path: string): boolean {
  // The cheap question first. Its no may also mean that we may not look.
  if (existsSync(path)) return true;
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // What cannot be looked at is there.
    return !isGone(error);
  }
}

/** Of a folder that is not there, what its nearest parent's is. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isGone(error) || parent === path) return path;
    return join(realPath(parent), basename(path));
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
