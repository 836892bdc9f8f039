/** Which folders have a say over a working directory, and which of them is its project. */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Where a folder keeps what is for Signalbox. */
export const FOLDER_NAME = ".signalbox";

export interface ProjectFolders {
  /** Links followed. */
  readonly cwd: string;
  /** The nearest folder with `.signalbox` or `.git`; else the working directory itself. */
  readonly projectDir: string;
  /** From the working directory up, nearest first. */
  readonly folders: readonly string[];
}

/** The home folder, and the root, are above every project and are none themselves, unless an agent works right there. */
export function projectFolders(workingDir: string, homeDir: string): ProjectFolders {
  const given = resolve(workingDir);
  const cwd = realPath(given);
  const home = realPath(resolve(homeDir));
  const real = upFrom(cwd, home);
  // Reached by a link, a folder has the rules of both places: whoever forbade something in one of them meant it.
  const linked = given === cwd ? [] : upFrom(given, resolve(homeDir)).map(realPath);
  return {
    cwd,
    projectDir:
      real.find((folder) => folder !== home && dirname(folder) !== folder && isMarked(folder)) ?? cwd,
    folders: [...new Set([...real, ...linked])],
  };
}

/** The rules that a folder brings along. */
export function repositoryRules(folder: string): string {
  return join(folder, FOLDER_NAME, "permissions.toml");
}

/** Up to the home folder or the root, whichever comes first. */
function upFrom(folder: string, home: string): readonly string[] {
  const parent = dirname(folder);
  return folder === home || parent === folder ? [folder] : [folder, ...upFrom(parent, home)];
}

/** A folder in which everybody may write, such as the one for temporary files, is nobody's project. */
function isMarked(folder: string): boolean {
  if (!exists(join(folder, FOLDER_NAME)) && !exists(join(folder, ".git"))) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o002) === 0;
}

function exists(path: string): boolean {
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
