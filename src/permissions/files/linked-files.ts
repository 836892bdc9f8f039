/** Where rule files really are that are reached by a link: who changes them there changes the rules. */
import { join } from "node:path";
import { escapePath } from "../../core/permissions/path-glob.js";
import { lookAt } from "../look-at.js";
import { realPath } from "../resolve/resolve-path.js";
import { folderAt, type FolderLooks } from "./folder-looks.js";
import { FOLDER_NAME } from "./project-folders.js";

const FOLDER_FILES = ["permissions.toml", "config.toml"];
const OWN_FILES = [...FOLDER_FILES, "trust.json", "projects"];

/** Patterns for what a folder's `.signalbox` leads to. The folder itself is without links. */
export function linkedInFolder(folder: string, looks: FolderLooks): readonly string[] {
  const own = join(folder, FOLDER_NAME);
  const linked = linkedIn(own, FOLDER_FILES, looks);
  if (linked !== null) return linked.map(escapePath);
  // By its own name everything is denied already; by another one, it and both of its files are not.
  const real = realPath(own);
  const files = FOLDER_FILES.map((name) => join(real, name));
  return [real, ...files, ...(linkedIn(real, FOLDER_FILES, looks) ?? [])].map(escapePath);
}

/** The same for the person's own files. `personal`: those of projects that are there. */
export function linkedInConfig(
  configDir: string,
  personal: readonly string[],
  looks: FolderLooks,
): readonly string[] {
  const elsewhere = personal
    .map((file) => realPath(file))
    .filter((real) => !real.startsWith(`${configDir}/`));
  const linked = linkedIn(configDir, OWN_FILES, looks) ?? [];
  return [...linked, ...elsewhere].map(escapePath).flatMap((real) => [real, `${real}/**`]);
}

/** Where those of the names lead that are links; null when the folder itself is none. */
function linkedIn(folder: string, names: readonly string[], looks: FolderLooks): readonly string[] | null {
  const stats = folderAt(folder);
  if (stats === null) return null;
  const stamp = looks.stampOf(folder, stats);
  return names
    .filter((name) => looks.entryOf(folder, name, stamp) === "other")
    .map((name) => join(folder, name))
    .filter(isLink)
    .map((path) => realPath(path));
}

function isLink(path: string): boolean {
  const seen = lookAt(path);
  return typeof seen === "object" && seen.isSymbolicLink();
}
