/** Where the files may be that a pattern of the shell stands for: dots taken away, links followed. */
import { readdirSync, type Dirent } from "node:fs";
import { escapePath, matchesPathGlob, parsePathGlob } from "../../core/permissions/path-glob.js";
import { FolderLooks, folderAt, isSameStamp, type FolderStamp } from "../files/folder-looks.js";
import { lookAt } from "../look-at.js";
import { leadOf, resolvePath, type RealPaths } from "./resolve-path.js";

/** Folders that were listed, as they were then; null: they have to be listed again each time. */
export type ListedFolders = Map<string, FolderStamp | null>;

interface GlobPlace {
  readonly cwd: string;
  readonly home: string;
  readonly seen: RealPaths;
  readonly listed: ListedFolders;
}

/** Of all that is listed for one pattern. */
const ENTRIES_MAX = 2_000;
const FOLDERS_MAX = 64;
export const ANYWHERE = "/**";

/** `pattern`: absolute. Patterns again, for every place that a name in it may lead to. */
export function resolveGlob(pattern: string, place: GlobPlace): readonly string[] {
  if (pattern.startsWith(ANYWHERE)) return [pattern];
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const first = names.findIndex(isPattern);
  const [literal, rest] = first === -1 ? [names, []] : [names.slice(0, first), names.slice(first)];
  // What is above a folder that is not known is not known either.
  if (rest.includes("..")) return [ANYWHERE];
  const { given, targets, isOfProcess } = resolvePath(
    `/${literal.map(plainName).join("/")}`,
    place.cwd,
    place.home,
    place.seen,
  );
  if (isOfProcess) return [ANYWHERE, pattern];
  const bases = [...new Set([given, ...targets])];
  const walk = new Walk(place);
  const linked = targets.flatMap((target) => walk.linkedFrom(target, rest));
  return [...new Set([...bases.map((base) => below(base, rest)), ...linked])];
}

/** Whether they hold the same names as when they were listed. */
export function areListedAlike(listed: ListedFolders): boolean {
  return [...listed].every(([folder, stamp]) => isSameStamp(stamp, stampAt(folder)));
}

const looks = new FolderLooks();

function stampAt(folder: string): FolderStamp | null {
  const stats = folderAt(folder);
  return stats === null ? null : looks.stampOf(folder, stats);
}

/** The links among the names that fit. */
class Walk {
  private entriesLeft = ENTRIES_MAX;
  private foldersLeft = FOLDERS_MAX;

  constructor(private readonly place: GlobPlace) {}

  linkedFrom(folder: string, [name, ...rest]: readonly string[]): readonly string[] {
    if (name === undefined) return [];
    if (!isPattern(name)) return this.namedIn(folder, plainName(name), rest);
    const entries = this.list(folder);
    if (entries === null) return [ANYWHERE];
    const glob = parsePathGlob(name === "**" ? "*" : name);
    return entries
      .filter((entry) => matchesPathGlob(glob, [entry.name]))
      .flatMap((entry) => this.behind(folder, entry, rest));
  }

  private behind(folder: string, entry: Dirent, rest: readonly string[]): readonly string[] {
    const path = folder === "/" ? `/${entry.name}` : `${folder}/${entry.name}`;
    if (!entry.isSymbolicLink()) return entry.isDirectory() ? this.linkedFrom(path, rest) : [];
    // Where a link leads may change without its folder.
    this.place.listed.set(folder, null);
    return this.behindLink(path, rest);
  }

  private behindLink(path: string, rest: readonly string[]): readonly string[] {
    const { real, kind } = leadOf(path, this.place.seen);
    return kind === "process" ? [ANYWHERE] : [below(real, rest), ...this.linkedFrom(real, rest)];
  }

  private namedIn(folder: string, name: string, rest: readonly string[]): readonly string[] {
    this.entriesLeft -= 1;
    if (this.entriesLeft < 0) return [ANYWHERE];
    const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
    this.place.listed.set(folder, null);
    const entry = lookAt(path);
    if (typeof entry === "string") return [];
    if (!entry.isSymbolicLink()) return entry.isDirectory() ? this.linkedFrom(path, rest) : [];
    return this.behindLink(path, rest);
  }

  /** Null when there is too much. */
  private list(folder: string): readonly Dirent[] | null {
    this.foldersLeft -= 1;
    if (this.foldersLeft < 0) return null;
    if (!this.place.listed.has(folder)) this.place.listed.set(folder, stampAt(folder));
    const entries = entriesOf(folder);
    this.entriesLeft -= entries.length;
    return this.entriesLeft < 0 ? null : entries;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // There is none, or it may not be looked at: then the shell finds nothing in it either.
    return [];
  }
}

function isPattern(name: string): boolean {
  return /(?<!\\)[*?[{]/.test(name);
}

function plainName(name: string): string {
  return name.replaceAll(/\\(.)/gs, "$1");
}

function below(folder: string, names: readonly string[]): string {
  return [folder === "/" ? "" : escapePath(folder), ...names].join("/") || "/";
}
