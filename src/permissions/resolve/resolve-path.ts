/** Follows a path to where it leads, as far as it exists. */
import { existsSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { lookAt } from "../look-at.js";

/** Every name that a path has, and the real ones among them. */
export interface PathNames {
  /** Absolute, as it was given, its dots taken away by their letters. */
  readonly given: string;
  /**
   * Where it leads. Programs that take `a/..` away by its letters, and the system, which follows a link `a` first, may not
   * agree: then there are two.
   */
  readonly targets: readonly string[];
}

/** Where paths lead, each looked at once: for one decision, as links may change before the next. */
export type RealPaths = Map<string, RealPath>;

interface RealPath {
  readonly real: string;
  /** Whether the system itself found it, and no name had to be put together. */
  readonly isFound: boolean;
}

export function resolvePath(path: string, cwd: string, home: string, seen: RealPaths = new Map()): PathNames {
  const absolute = ofProcess(absolutePath(path, cwd, home), cwd);
  const given = withoutSlash(normalize(absolute));
  // Such a name leads nowhere, and is never allowed.
  if (path.includes("\0")) return { given, targets: [] };
  const real = realPath(given, seen);
  if (absolute === given) return { given, targets: [real] };
  return { given, targets: [...new Set([real, realPath(absolute, seen)])] };
}

/** `~name` is a neighbour of the home folder, unless it is the home folder itself. */
export function absolutePath(path: string, cwd: string, home: string): string {
  const tilde = /^~([^/]*)(\/.*)?$/s.exec(path);
  if (!tilde) return path.startsWith("/") ? path : `${cwd}/${path}`;
  const [, name = "", rest = ""] = tilde;
  if (name === "+") return `${cwd}${rest}`;
  const folder = name === "" || name === basename(home) ? home : join(dirname(home), name);
  return `${folder}${rest}`;
}

/** Linux shows a process's own folders under /proc; ours are not those of the agent. */
function ofProcess(path: string, cwd: string): string {
  const found = /^\/+proc\/+(?:self|thread-self|\d+)(?:\/+task\/+\d+)?\/+(cwd|root)(\/.*)?$/s.exec(path);
  if (!found) return path;
  return found[1] === "cwd" ? `${cwd}${found[2] ?? ""}` : (found[2] ?? "/");
}

const LINKS_MAX = 40;
const PATH_LENGTH_MAX = 4_096;

/** Of a path that does not exist, the nearest folder that does, and the rest. A link to nothing leads where it says. */
export function realPath(path: string, seen: RealPaths = new Map(), linkCount = 0): string {
  if (path === "/" || path === "") return "/";
  if (path.length > PATH_LENGTH_MAX || linkCount > LINKS_MAX) return withoutSlash(normalize(path));
  // Behind links, a path that leads in a circle ends where the count does, which is not where it leads by itself.
  const known = linkCount === 0 ? seen.get(path) : undefined;
  if (known) return known.real;
  // Asking first costs little; a refusal is an error object with a stack, and costs ten times as much.
  const found = existsSync(path) ? attempt(() => realpathSync.native(path)) : null;
  const real = found ?? follow(path, seen, linkCount);
  if (linkCount === 0) seen.set(path, { real, isFound: found !== null });
  return real;
}

/**
 * Whether a path still leads where it led. What was there is asked for at once, as it nearly always still is. `folder`: one
 * whose links were followed just now.
 */
export function leadsAsBefore(
  path: string,
  { real, isFound }: RealPath,
  folder: string,
  seen: RealPaths,
): boolean {
  const looked = seen.get(path);
  if (looked) return looked.real === real;
  if (isFound && real === path && path.startsWith(`${folder}/`)) return isPlain(path, folder.length, seen);
  if (isFound) return attempt(() => realpathSync.native(path)) === real;
  // Where nothing is, and nothing has to be gone back over, the name alone counts.
  const slash = path.lastIndexOf("/");
  if (slash <= 0 || path.endsWith("/") || path.includes("/.") || isThere(path))
    return realPath(path, seen) === real;
  const parent = realPath(path.slice(0, slash), seen);
  return real === (parent === "/" ? path.slice(slash) : parent + path.slice(slash));
}

/** Whether it is there, and none of its names from `start` on is a link. Fewer looks than at all of them. */
function isPlain(path: string, start: number, seen: RealPaths): boolean {
  for (let end = path.indexOf("/", start + 1); ; end = path.indexOf("/", end + 1)) {
    const part = end < 0 ? path : path.slice(0, end);
    if (seen.get(part)?.real !== part) {
      if (!isNoLink(part)) return false;
      seen.set(part, { real: part, isFound: true });
    }
    if (end < 0) return true;
  }
}

function isNoLink(path: string): boolean {
  const seen = lookAt(path);
  // What cannot be looked at does not lead where it led.
  return typeof seen === "object" && !seen.isSymbolicLink();
}

/** Name by name, where the system does not find it. */
function follow(path: string, seen: RealPaths, linkCount: number): string {
  const slash = path.lastIndexOf("/");
  const folder = realPath(path.slice(0, Math.max(0, slash)), seen, linkCount);
  const name = path.slice(slash + 1);
  if (name === "" || name === ".") return folder;
  if (name === "..") return dirname(folder);
  const place = folder === "/" ? `/${name}` : `${folder}/${name}`;
  const link = isThere(place) ? attempt(() => readlinkSync(place)) : null;
  if (link === null) return place;
  return realPath(link.startsWith("/") ? link : `${folder}/${link}`, seen, linkCount + 1);
}

/** Itself, not what it leads to. */
function isThere(path: string): boolean {
  // Whatever the reason is, what cannot be looked at is no link that could be followed.
  return typeof lookAt(path) === "object";
}

/** Null when the system refuses: there is nothing there, or we may not look. */
function attempt(look: () => string): string | null {
  try {
    return look();
  } catch {
    // Whatever the reason is, what cannot be followed is judged by its name.
    return null;
  }
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
