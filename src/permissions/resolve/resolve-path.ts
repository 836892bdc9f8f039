/** Follows a path to where it leads, as far as it exists. */
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

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

export function resolvePath(path: string, cwd: string, home: string): PathNames {
  const absolute = ofProcess(absolutePath(path, cwd, home), cwd);
  const given = withoutSlash(normalize(absolute));
  // Such a name leads nowhere, and is never allowed.
  if (path.includes("\0")) return { given, targets: [] };
  const real = realPath(given);
  return { given, targets: absolute === given ? [real] : [...new Set([real, realPath(absolute)])] };
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
export function realPath(path: string, linkCount = 0): string {
  if (path === "/" || path === "") return "/";
  if (path.length > PATH_LENGTH_MAX || linkCount > LINKS_MAX) return withoutSlash(normalize(path));
  const real = attempt(() => realpathSync.native(path));
  if (real !== null) return real;
  const slash = path.lastIndexOf("/");
  const folder = realPath(path.slice(0, Math.max(0, slash)), linkCount);
  const name = path.slice(slash + 1);
  if (name === "" || name === ".") return folder;
  if (name === "..") return dirname(folder);
  const link = attempt(() => readlinkSync(join(folder, name)));
  if (link === null) return join(folder, name);
  return realPath(link.startsWith("/") ? link : `${folder}/${link}`, linkCount + 1);
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
