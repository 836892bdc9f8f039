/** Follows a path to where it leads, as far as it exists. */
import { existsSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { lookAt } from "../look-at.js";
import { homeOf } from "./other-homes.js";

/** Every name that a path has, and the real ones among them. */
export interface PathNames {
  /** Absolute, as it was given, its dots taken away by their letters. */
  readonly given: string;
  /**
   * Where it leads. Programs that take `a/..` away by its letters, and the system, which follows a link `a` first, may not
   * agree: then there are two.
   */
  readonly targets: readonly string[];
  /** It may be any file: it leads through a folder of whichever process opens it. */
  readonly isOfProcess: boolean;
}

/** Where paths lead, each looked at once: for one decision, as links may change before the next. Without any dots. */
export type RealPaths = Map<string, RealPath>;

export interface RealPath {
  readonly real: string;
  /**
   * `found`: the system itself followed it. `none`: nothing has this name. `other`: its name had to be put together, because
   * it is a link to nothing, or behind something that cannot be looked into. `process`: see `PathNames`.
   */
  readonly kind: "found" | "none" | "other" | "process";
}

export function resolvePath(path: string, cwd: string, home: string, seen: RealPaths = new Map()): PathNames {
  const absolute = ofProcess(absolutePath(path, cwd, home), cwd);
  const given = ofProcess(withoutSlash(normalize(absolute)), cwd);
  // With a zero byte it leads nowhere, and is never allowed.
  if (path.includes("\0")) return { given, targets: [], isOfProcess: false };
  // What was opened under a number was judged by its name.
  if (OPENED.test(given)) return { given, targets: [given], isOfProcess: false };
  const leads = (absolute === given ? [given] : [given, absolute]).map((each) => lead(each, seen, null));
  const isOfProcess = leads.some(({ kind }) => kind === "process");
  return { given, targets: [...new Set(leads.map(({ real }) => real))], isOfProcess };
}

/** `~name` is the home folder itself by its name, one that the system knows, or a neighbour of ours. */
export function absolutePath(path: string, cwd: string, home: string): string {
  const [, name, rest = ""] = TILDE.exec(path) ?? [];
  if (name === undefined) return path.startsWith("/") ? path : `${cwd}/${path}`;
  if (name === "+") return `${cwd}${rest}`;
  const isOwn = name === "" || name === basename(home);
  return `${isOwn ? home : (homeOf(name) ?? join(dirname(home), name))}${rest}`;
}

const TILDE = /^~([^/]*)(\/.*)?$/s;

/** Whether it is in the home folder of somebody whom we do not know. `~1.2` is a version. */
export function isOfStranger(path: string, home: string): boolean {
  const name = path.startsWith("~") ? /^~([A-Za-z_][\w.-]*)\//.exec(path)?.[1] : undefined;
  return name !== undefined && name !== basename(home) && homeOf(name) === null;
}

/** Linux shows a process's own folders, and what it opened, under /proc; ours are not those of the agent. */
const PROCESS = String.raw`^/proc/(?:self|thread-self|\d+)(?:/task/\d+)?`;
const OWN_FOLDER = new RegExp(`${PROCESS}/(cwd|root)(/.*)?$`, "s");
const OWN_PLACE = new RegExp(`${PROCESS}/(?:cwd|root|fd/\\d+)(?:/|$)`);
const OPENED = new RegExp(`${PROCESS}/fd/\\d+$|^/dev/(?:fd/\\d+|stdin|stdout|stderr)$`);

function ofProcess(path: string, cwd: string): string {
  const plain = path.replaceAll(/\/(?:\.?\/)+/g, "/");
  const found = OWN_FOLDER.exec(plain);
  if (!found) return path;
  return found[1] === "cwd" ? `${cwd}${found[2] ?? ""}` : (found[2] ?? "/");
}

const LINKS_MAX = 40;
const PATH_LENGTH_MAX = 4_096;

/** Of a path that does not exist, the nearest folder that does, and the rest. A link to nothing leads where it says. */
export function realPath(path: string, seen: RealPaths = new Map()): string {
  return leadOf(path, seen).real;
}

export function leadOf(path: string, seen: RealPaths): RealPath {
  return lead(path, seen, null);
}

/** How many links were followed, as the system counts them: all that a path leads to, not the deepest of them. */
interface Trail {
  linkCount: number;
}

const ROOT: RealPath = { real: "/", kind: "found" };

/** `trail`: null before the first link. Behind it, where a circle ends is not where a path leads by itself. */
function lead(path: string, seen: RealPaths, trail: Trail | null): RealPath {
  if (path === "/" || path === "") return ROOT;
  if (path.length > PATH_LENGTH_MAX || (trail !== null && trail.linkCount > LINKS_MAX))
    return { real: withoutSlash(normalize(path)), kind: "other" };
  const known = trail === null ? seen.get(path) : undefined;
  if (known) return known;
  const dots = mayHaveDots(path) ? DOTS.exec(path) : null;
  if (dots) return lead(withoutDots(path, dots, seen, trail), seen, trail);
  if (path.startsWith("/proc/") && OWN_PLACE.test(path)) return { real: path, kind: "process" };
  // Asking first costs little; a refusal is an error object with a stack, and costs ten times as much.
  const found = existsSync(path) ? attempt(() => realpathSync.native(path)) : null;
  const led = found === path ? ({ real: path, kind: "found" } as const) : followed(path, found, seen, trail);
  if (trail === null) seen.set(path, led);
  return led;
}

/** What stands for no name of its own: the folder itself, the one above it, or nothing between two slashes. */
const DOTS = /\/\.{0,2}(?=\/|$)/;

function mayHaveDots(path: string): boolean {
  return path.includes("/.") || path.includes("//") || path.endsWith("/");
}

/** The first of them taken away. Above a link is what is above the place that it leads to. */
function withoutDots(path: string, dots: RegExpExecArray, seen: RealPaths, trail: Trail | null): string {
  const [before, after] = [path.slice(0, dots.index), path.slice(dots.index + dots[0].length)];
  if (dots[0] !== "/..") return before + after;
  const { real, kind } = lead(before, seen, trail);
  // Above a folder that is not known is another one.
  return kind === "process" ? real + after : below(dirname(real), after);
}

/** `rest`: with its slash. */
function below(folder: string, rest: string): string {
  return folder === "/" ? rest : folder + rest;
}

/**
 * Whether a path still leads where it led. What was there is asked for at once, as it nearly always still is. `isNear`: that
 * it is below a folder whose links were followed just now.
 */
export function leadsAsBefore(path: string, before: RealPath, isNear: boolean, seen: RealPaths): boolean {
  const known = seen.get(path);
  if (known) return known.real === before.real;
  switch (before.kind) {
    case "found":
      if (isNear && before.real === path) return isPlain(path, seen);
      if (attempt(() => realpathSync.native(path)) !== before.real) return false;
      seen.set(path, before);
      return true;
    case "none":
      return (nothingAt(path, seen) ?? lead(path, seen, null)).real === before.real;
    case "other":
      return realPath(path, seen) === before.real;
    case "process":
      return false;
  }
}

/** Null unless nothing has this name. Where nothing is, nothing is below it either. */
function nothingAt(path: string, seen: RealPaths): RealPath | null {
  const slash = path.lastIndexOf("/");
  const folder = lead(path.slice(0, slash), seen, null);
  if (folder.kind === "other" || folder.kind === "process") return null;
  if (folder.kind === "found" && lookAt(path) !== "none") return null;
  const nothing: RealPath = { real: below(folder.real, path.slice(slash)), kind: "none" };
  seen.set(path, nothing);
  return nothing;
}

/** Whether it is there, and none of its names is a link. Fewer looks than at all of them. */
function isPlain(path: string, seen: RealPaths): boolean {
  if (path === "") return true;
  const known = seen.get(path);
  if (known) return known.kind === "found" && known.real === path;
  if (!isPlain(path.slice(0, path.lastIndexOf("/")), seen) || !isNoLink(path)) return false;
  seen.set(path, { real: path, kind: "found" });
  return true;
}

function isNoLink(path: string): boolean {
  const seen = lookAt(path);
  // What cannot be looked at does not lead where it led.
  return typeof seen === "object" && !seen.isSymbolicLink();
}

/** `found`: where the system led us by links. Behind a folder of our own process, it leads others elsewhere. */
function followed(path: string, found: string | null, seen: RealPaths, trail: Trail | null): RealPath {
  const led = follow(path, seen, trail);
  return found === null || led.kind === "process" ? led : { real: found, kind: "found" };
}

/** Name by name, where the system does not find it, or went by links. */
function follow(path: string, seen: RealPaths, trail: Trail | null): RealPath {
  const slash = path.lastIndexOf("/");
  const folder = lead(path.slice(0, slash), seen, trail);
  const place = below(folder.real, path.slice(slash));
  if (folder.kind === "none" || folder.kind === "process") return { real: place, kind: folder.kind };
  const entry = lookAt(place);
  if (entry === "none") return { real: place, kind: folder.kind === "found" ? "none" : "other" };
  // Whatever the reason is, what cannot be looked at is no link that could be followed.
  const isLink = entry !== "hidden" && entry.isSymbolicLink();
  const link = isLink ? attempt(() => readlinkSync(place)) : null;
  if (link === null) return { real: place, kind: "other" };
  const further = trail ?? { linkCount: 0 };
  further.linkCount += 1;
  const led = lead(link.startsWith("/") ? link : `${folder.real}/${link}`, seen, further);
  return { real: led.real, kind: led.kind === "process" ? "process" : "other" };
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
