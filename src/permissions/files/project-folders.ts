/** Which folders have a say over a working directory, and which of them is its project. */
import { existsSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { RecentMap } from "../recent-map.js";
import { folderAt, FolderLooks, type FolderEntry, type FolderStamp } from "./folder-looks.js";

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

/** With what was seen just now, which holds for one decision. */
export interface SeenFolders extends ProjectFolders {
  /** Of the folders and of the home folder, nearest first; null: nothing can be told from it. */
  readonly stamps: ReadonlyMap<string, FolderStamp | null>;
  /** The folders in which nothing has the name `.signalbox`. */
  readonly bare: ReadonlySet<string>;
}

/**
 * The home folder, and the root, are above every project and are none themselves, unless an agent works right there.
 * `home`: where the home folder leads, for who knows it.
 */
export function projectFolders(
  workingDir: string,
  homeDir: string,
  home: string = realPath(resolve(homeDir)),
  looks: FolderLooks = new FolderLooks(),
): SeenFolders {
  const given = resolve(workingDir);
  const plain = plainFolders(given, home);
  const cwd = plain === null ? realPath(given) : given;
  const real = upFrom(cwd, home);
  // Reached by a link, a folder has the rules of both places: whoever forbade something in one of them meant it.
  const linked = given === cwd ? [] : upFrom(given, resolve(homeDir)).map(realPath);
  const folders = linked.length === 0 ? real : [...new Set([...real, ...linked])];
  const stampOf = (folder: string) => {
    const stats = plain?.get(folder);
    return stats ? looks.stampOf(folder, stats) : null;
  };
  const stamps = new Map(folders.map((folder) => [folder, stampOf(folder)]));
  if (!stamps.has(home)) stamps.set(home, null);
  const entryOf = (folder: string, name: string) => looks.entryOf(folder, name, stamps.get(folder) ?? null);
  const own = new Map(folders.map((folder) => [folder, entryOf(folder, FOLDER_NAME)]));
  const isProject = (folder: string) =>
    folder !== home &&
    dirname(folder) !== folder &&
    (isThere(folder, FOLDER_NAME, own.get(folder)) || isThere(folder, ".git", entryOf(folder, ".git"))) &&
    !isForEverybody(folder, plain?.get(folder));
  return {
    home,
    cwd,
    projectDir: real.find(isProject) ?? cwd,
    folders,
    stamps,
    bare: new Set(folders.filter((folder) => own.get(folder) === "none")),
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
 * What the folders are on the way to this one, from the home folder or the root; null when one of them is a link, or no
 * folder. One look at each tells what following links would, and more.
 */
function plainFolders(folder: string, home: string): ReadonlyMap<string, Stats> | null {
  const seen = new Map<string, Stats>();
  for (let end = folder.startsWith(`${home}/`) ? home.length : 0; end < folder.length;) {
    const slash = folder.indexOf("/", end + 1);
    end = slash < 0 ? folder.length : slash;
    const path = folder.slice(0, end);
    const stats = folderAt(path);
    if (stats === null) return null;
    seen.set(path, stats);
  }
  return seen;
}

/** A folder in which everybody may write, such as the one for temporary files, is nobody's project. */
function isForEverybody(folder: string, seen: Stats | undefined): boolean {
  const stats = seen ?? statSync(folder, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & 0o002) !== 0;
}

function isThere(folder: string, name: string, entry: FolderEntry | undefined): boolean {
  return entry === "other" ? leadsSomewhere(join(folder, name)) : entry !== "none";
}

function leadsSomewhere(path: string): boolean {
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
