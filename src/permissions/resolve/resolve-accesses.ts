/** Follows what a call names to where it leads: links and dots of paths, the names of hosts, what a shell line runs. */
import type {
  Access,
  FileAccess,
  ResolvedAccess,
  ShellAccess,
  ShellAnalysis,
  ShellFile,
} from "../../core/index.js";
import { escapePath } from "../../core/permissions/path-glob.js";
import { analyzeShell } from "../shell/analyze-shell.js";
import { isSameStamp, type FolderStamp } from "../files/folder-looks.js";
import { ANYWHERE, areListedAlike, resolveGlob, type ListedFolders } from "./resolve-glob.js";
import { resolveHost } from "./resolve-host.js";
import {
  absolutePath,
  isOfStranger,
  leadsAsBefore,
  realPath,
  resolvePath,
  type RealPath,
  type RealPaths,
} from "./resolve-path.js";

export interface ResolveContext {
  /** Where the agent works; relative paths start there. */
  readonly cwd: string;
  /** What relative patterns without a root of their own start from. */
  readonly projectDir: string;
  readonly homeDir: string;
  /** Folders whose links were followed just now, these three among them, nearest first, and what was seen of them. */
  readonly followed?: ReadonlyMap<string, FolderStamp | null>;
}

const NONE: ReadonlyMap<string, null> = new Map();

/** Looks at the disk, and changes nothing. Between this and the call, the disk may change: that is not seen. */
export function resolveAccesses(
  accesses: readonly Access[],
  { cwd, projectDir, homeDir, followed = NONE }: ResolveContext,
): readonly ResolvedAccess[] {
  const seen: RealPaths = new Map();
  for (const folder of followed.keys()) seen.set(folder, { real: folder, kind: "found" });
  const [project, home] = [realPath(projectDir, seen), realPath(homeDir, seen)];
  const bases: Bases = { cwd, project, home, followed, seen, listed: new Map() };
  return accesses.map((access): ResolvedAccess => {
    switch (access.category) {
      case "Read":
      case "Write":
        return resolveFile(access.category, access.path, bases);
      case "Shell":
        return resolveShell(access, bases);
      case "Web":
        return resolveHost(access.host);
      case "Mcp":
      case "Tool":
        return access;
    }
  });
}

interface Bases {
  readonly cwd: string;
  readonly project: string;
  readonly home: string;
  readonly followed: ReadonlyMap<string, FolderStamp | null>;
  readonly seen: RealPaths;
  readonly listed: ListedFolders;
}

function resolveFile(
  category: "Read" | "Write",
  path: string,
  { cwd, project, home, seen }: Bases,
): FileAccess {
  const { given, targets, isOfProcess } = resolvePath(path, cwd, home, seen);
  if (isOfProcess || isOfStranger(path, home)) return anyFile(category, path, given, { project, home });
  const inside = targets.filter((target) => target.startsWith(`${project}/`));
  const relative = inside.map((target) => target.slice(project.length + 1));
  return {
    category,
    path,
    paths: [...new Set([given, ...targets, ...relative])],
    targets,
    exact: true,
    project,
    home,
  };
}

/** It may be any file, and the one that its name says. */
function anyFile(
  category: "Read" | "Write",
  path: string,
  given: string,
  bases: Pick<Bases, "project" | "home">,
): FileAccess {
  const { project, home } = bases;
  return { category, path, paths: [ANYWHERE, escapePath(given)], targets: [], exact: false, project, home };
}

/** What was made of a line, and what the disk said then. */
interface ResolvedLine {
  readonly bases: Bases;
  readonly access: ShellAccess;
}

/** A line that is read once is resolved once, as long as every path in it leads where it led. */
const resolvedLines = new WeakMap<ShellAnalysis, ResolvedLine>();

function isAsBefore({ bases: before }: ResolvedLine, { cwd, project, home, followed, seen }: Bases): boolean {
  if (before.cwd !== cwd || before.project !== project || before.home !== home) return false;
  if (!areListedAlike(before.listed)) return false;
  if (before.seen.size === 0) return true;
  const steady = [...followed.keys()].filter((folder) =>
    isSameStamp(before.followed.get(folder) ?? null, followed.get(folder) ?? null),
  );
  for (const [path, led] of before.seen) {
    if (led.real === path) keepSteady(path, led, steady, seen);
    const isNear = isBelow(cwd, path) || isBelow(home, path);
    if (!leadsAsBefore(path, led, isNear, seen)) return false;
  }
  return true;
}

/** A name right in a folder that holds what it held: it was no link, or nothing, and still is. */
function keepSteady(path: string, { kind }: RealPath, steady: readonly string[], seen: RealPaths): void {
  const folder = steady.find((each) => isBelow(each, path));
  if (folder === undefined || kind === "other") return;
  const slash = path.indexOf("/", folder.length + 1);
  const name = slash < 0 ? path : path.slice(0, slash);
  if (name === path || kind === "found") seen.set(name, { real: name, kind });
}

function isBelow(folder: string, path: string): boolean {
  return path.length > folder.length && path[folder.length] === "/" && path.startsWith(folder);
}

/** The same object as the last time when it is the same line and the disk says the same. */
function resolveShell(access: Extract<Access, { readonly category: "Shell" }>, bases: Bases): ShellAccess {
  const cwd = access.cwd === undefined ? bases.cwd : absolutePath(access.cwd, bases.cwd, bases.home);
  const analysis = analyzeShell(access.command, access.shell, cwd);
  const known = resolvedLines.get(analysis);
  if (known && isAsBefore(known, bases)) return known.access;
  // With paths of its own, so that what is checked the next time is what this line names.
  const own: Bases = { ...bases, seen: new Map(), listed: new Map() };
  const files = analysis.files.map((use) => ({ use, access: resolveShellFile(use, own) }));
  const resolved: ShellAccess = {
    category: "Shell",
    command: access.command,
    analysis,
    files,
    hosts: analysis.hosts.map((use) => ({ use, access: resolveHost(use.host) })),
  };
  resolvedLines.set(analysis, { bases: own, access: resolved });
  return resolved;
}

/** A name that the shell computes is a pattern: no rule allows it. */
function resolveShellFile(use: ShellFile, bases: Bases): FileAccess {
  if (use.exact) return resolveFile(use.category, use.path, bases);
  const { cwd, project, home } = bases;
  const pattern = absolutePath(use.path, escapePath(cwd), escapePath(home));
  const paths = resolveGlob(pattern, bases);
  return { category: use.category, path: use.path, paths, targets: [], exact: false, project, home };
}
