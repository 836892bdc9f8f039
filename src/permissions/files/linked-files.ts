/** Where rule files really are that are reached by a link: who changes them there changes the rules. */
import { join } from "node:path";
import { escapePath } from "../../core/permissions/path-glob.js";
import { lookAt } from "../look-at.js";
import { realPath } from "../resolve/resolve-path.js";
import { FOLDER_NAME } from "./project-folders.js";

const FOLDER_FILES = ["permissions.toml", "config.toml"];
const OWN_FILES = [...FOLDER_FILES, "trust.json"];

/** Patterns for what a folder's `.signalbox` leads to. The folder itself is without links. */
export function linkedInFolder(folder: string): readonly string[] {
  const own = join(folder, FOLDER_NAME);
  const real = isLink(own) ? realPath(own) : own;
  const files = FOLDER_FILES.map((name) => join(real, name));
  // By its own name everything is denied already; by another one, it and both of its files are not.
  const named = real === own ? [] : [real, ...files];
  return [...named, ...linksAmong(files)].map(escapePath);
}

/** The same for the person's own files. `personal`: those of projects that are there. */
export function linkedInConfig(configDir: string, personal: readonly string[]): readonly string[] {
  const projects = join(configDir, "projects");
  const folders = linksAmong([projects]).map((real) => `${escapePath(real)}/**`);
  const elsewhere = personal
    .map((file) => realPath(file))
    .filter((real) => !real.startsWith(`${configDir}/`));
  const files = linksAmong(OWN_FILES.map((name) => join(configDir, name)));
  return [...folders, ...[...files, ...elsewhere].map(escapePath)];
}

function linksAmong(paths: readonly string[]): readonly string[] {
  return paths.filter(isLink).map((path) => realPath(path));
}

function isLink(path: string): boolean {
  const seen = lookAt(path);
  return typeof seen === "object" && seen.isSymbolicLink();
}
