/** Where rule files really are that are reached by a link: who changes them there changes the rules. */
import { join } from "node:path";
import { escapePath } from "../../core/permissions/path-glob.js";
import { lookAt } from "../look-at.js";
import { RecentMap } from "../recent-map.js";
import { realPath } from "../resolve/resolve-path.js";
import { folderAt, isSameStamp, type FolderLooks, type FolderStamp } from "./folder-looks.js";
import { FOLDER_NAME } from "./project-folders.js";

const FOLDER_FILES = ["permissions.toml", "config.toml"];
const OWN_FILES = [...FOLDER_FILES, "trust.json", "projects"];
const FOLDERS_MAX = 256;
const NONE: readonly string[] = [];

export class LinkedFiles {
  /** Folders in which none of the names was a link, as they were then. */
  private readonly plain = new RecentMap<FolderStamp>(FOLDERS_MAX);

  constructor(private readonly looks: FolderLooks) {}

  /** Patterns for what a folder's `.signalbox` leads to. The folder itself is without links. */
  inFolder(folder: string): readonly string[] {
    const own = `${folder === "/" ? "" : folder}/${FOLDER_NAME}`;
    const linked = this.linkedIn(own, FOLDER_FILES);
    if (linked !== null) return linked.map(escapePath);
    // By its own name everything is denied already; by another one, it and both of its files are not.
    const real = realPath(own);
    const files = FOLDER_FILES.map((name) => join(real, name));
    return [real, ...files, ...(this.linkedIn(real, FOLDER_FILES) ?? [])].map(escapePath);
  }

  /** The same for the person's own files. `personal`: those of projects that are there. */
  inConfig(configDir: string, personal: readonly string[]): readonly string[] {
    const linked = this.linkedIn(configDir, OWN_FILES) ?? NONE;
    const elsewhere = personal
      .map((file) => realPath(file))
      .filter((real) => !real.startsWith(`${configDir}/`));
    return [...linked, ...elsewhere].map(escapePath).flatMap((real) => [real, `${real}/**`]);
  }

  /** Where those of the names lead that are links, followed each time; null when the folder itself is none. */
  private linkedIn(folder: string, names: readonly string[]): readonly string[] | null {
    const stats = folderAt(folder);
    if (stats === null) return null;
    const stamp = this.looks.stampOf(folder, stats);
    if (isSameStamp(this.plain.get(folder) ?? null, stamp)) return NONE;
    const linked = names.map((name) => join(folder, name)).filter(isLink);
    if (linked.length === 0 && stamp !== null) this.plain.set(folder, stamp);
    return linked.map((path) => realPath(path));
  }
}

function isLink(path: string): boolean {
  const seen = lookAt(path);
  return typeof seen === "object" && seen.isSymbolicLink();
}
