/**
 * Where a command runs. A `cd` may fail, so that there may be several folders; only behind `&&` there is no doubt. Paths
 * are put together as they are written: links and dots are followed later, by who looks at the disk.
 */
import { posix } from "node:path";
import type { ShellWord } from "./shell-word.js";

const FOLDERS_MAX = 8;

export type Folders = readonly string[];

/** Null: there are too many to follow. */
export function unite(one: Folders, other: Folders): Folders | null {
  const all = [...new Set([...one, ...other])];
  return all.length > FOLDERS_MAX ? null : all;
}

/** Where the words of a `cd` lead; null when that cannot be seen. */
export function changedFolders(folders: Folders, words: readonly ShellWord[]): Folders | null {
  const given = words.slice(1);
  const start = given.findIndex(({ value }) => !/^-[LPe@]+$/.test(value));
  const operands = start === -1 ? [] : given.slice(start);
  const named = operands[0]?.value === "--" ? operands.slice(1) : operands;
  const [target] = named;
  // Without a word, `pushd` goes back to where the shell was before.
  if (!target) return words[0]?.value === "pushd" ? null : ["~"];
  if (named.length === 1 && isTop(target)) return withAncestors(folders);
  if (named.length > 1 || !target.exact || target.path === "" || /^[-+]/.test(target.value)) return null;
  return folders.map((folder) => pathIn(folder, target.path));
}

/** Whether a relative name may mean a file outside of the folder in which the line begins. */
export function leadsAway(name: string, folders: Folders, start: string): boolean {
  if (/^[/~]/.test(name)) return false;
  // `scripts/../../x` is not what a rule about `scripts/*` means.
  if (/(?:^|\/)(?!\.{1,2}\/)[^/]+\/+(?:\.\/+)*\.\.(?:\/|$)/.test(name)) return true;
  const inside = start.endsWith("/") ? start : `${start}/`;
  return folders.some((folder) => !`${posix.normalize(folder)}/`.startsWith(inside));
}

/** Linux shows the folder of a process under this name. */
const OWN_FOLDER = /^\/+proc\/+(?:self|thread-self)\/+(?:\.?\/+)*cwd(?=\/|$)/;
/** The top of the repository is the folder, or one above it. A line that defines `git` anew is never allowed. */
function isTop({ value, unknown, isOneWord }: ShellWord): boolean {
  return (
    unknown && isOneWord === true && /^\$\(git rev-parse --show-toplevel(?: 2>\/dev\/null)?\)$/.test(value)
  );
}

function withAncestors(folders: Folders): Folders | null {
  const all = new Set(folders);
  for (const folder of folders) {
    for (let end = folder.lastIndexOf("/"); end >= 0; end = folder.lastIndexOf("/", end - 1)) {
      all.add(folder.slice(0, end) || "/");
      if (end === 0) break;
    }
  }
  return all.size > FOLDERS_MAX ? null : [...all];
}

/** `~name` is left as it is. */
export function pathIn(folder: string, path: string): string {
  if (OWN_FOLDER.test(path)) return path.replace(OWN_FOLDER, () => folder);
  return path.startsWith("/") || path.startsWith("~") ? path : `${folder}/${path}`;
}
