/** Gathers what a plan depends on. Nothing is changed, no program is run. */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname } from "node:path";
import type { Rule } from "../core/index.js";
import { pathsToLookAt } from "./compile.js";
import { expandMasks, type MaskRequest } from "./expand-masks.js";
import { lookAtGit, trackedFiles } from "./git-facts.js";
import { harnessTable, rootFolder } from "./harness-tables.js";
import { isWithin } from "./layers.js";
import type { RecentMasks } from "./recent-masks.js";
import type { Machine, PathFact, WallRefusal, WallSession } from "./wall-input.js";

export interface LookRequest {
  readonly rules: readonly Rule[];
  readonly session: WallSession;
  readonly home: string;
  /** The whole environment that the agent would have without a wall. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent: rules are expanded in any case. */
  readonly recent?: RecentMasks;
}

export type Looked = { readonly ok: true; readonly machine: Machine } | WallRefusal;

export async function lookAtMachine({ rules, session, recent, ...request }: LookRequest): Promise<Looked> {
  const { environment } = request;
  const home = (await lookAt(request.home))?.real ?? request.home;
  const folder = await lookAt(session.cwd);
  const cwd = folder?.real ?? session.cwd;
  const roots = harnessTable(session.harness).roots.map((root) => rootFolder(root, home, environment));
  const paths = await lookAtAll([...pathsToLookAt(session, { cwd, home, environment }), ...roots]);
  const programs = session.programs.flatMap((path) => paths.get(path)?.real ?? []);
  const virtual = await lookAtAll(programs.map((real) => `${dirname(dirname(real))}/pyvenv.cfg`));
  for (const [path, fact] of virtual) paths.set(path, fact);
  const [git, named, listening] = await Promise.all([
    folder?.type === "folder" ? lookAtGit(cwd, home) : null,
    readSettings(roots),
    listeningSockets(),
  ]);
  const workTree = git && (git.gitFile === null ? dirname(git.gitDir) : cwd);
  const shown = [...session.settings.reveal, ...session.settings.writable]
    .map((path) => paths.get(path.replace(/^~(?=\/|$)/, home))?.real)
    .filter((path) => path !== undefined);
  const expand = recent ? (masks: MaskRequest) => recent.expand(masks) : expandMasks;
  const expanded = await expand({
    rules,
    project: cwd,
    home,
    folders: [...new Set([workTree ?? cwd, cwd, ...shown])],
    tracked: () => (git ? trackedFiles(git.gitDir) : Promise.resolve(null)),
    workTree,
  });
  if (!expanded.ok) return { ok: false, code: "too_many_masks", reason: expanded.reason };
  const machine: Machine = {
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    home,
    memoryBytes: totalmem(),
    environment,
    paths,
    ...named,
    listening,
    git,
    masks: expanded.masks,
    maskGaps: expanded.gaps,
  };
  return { ok: true, machine };
}

/** Some hundred, each of which is a matter of the disk: all at once. */
async function lookAtAll(paths: readonly string[]): Promise<Map<string, PathFact | null>> {
  const unique = [...new Set(paths)];
  const facts = await Promise.all(unique.map(lookAt));
  return new Map(unique.map((path, index) => [path, facts[index] ?? null]));
}

/** Null: not there, a broken link, a loop of links, or not to be seen. */
async function lookAt(path: string): Promise<PathFact | null> {
  try {
    const real = await realpath(path);
    const found = await stat(real);
    const type = found.isDirectory()
      ? "folder"
      : found.isFile()
        ? "file"
        : found.isSocket()
          ? "socket"
          : "other";
    return { real, type };
  } catch {
    return null;
  }
}

const SETTINGS_FILES = [
  "config.toml",
  "settings.json",
  "opencode/opencode.json",
  "kilo/kilo.json",
  "mcp-config.json",
];
const SETTINGS_BYTES_MAX = 1024 * 1024;
const VARIABLES_MAX = 50;
const VARIABLE =
  /(?:\benv_key\s*=\s*"|\bbearer_token_env_var\s*=\s*"|"envKey"\s*:\s*"|\{env:|\$\{)([A-Za-z_][A-Za-z0-9_]*)/g;

/** Where a model is, or a server of tools. */
const ADDRESS = /\b(?:base_?url|api_?base|endpoint|url)["']?\s*[:=]\s*["'](https?:\/\/[^"'\s]{1,500})["']/gi;

/** An agent's settings may name the variable that holds a key, and say where its models are. They are read-only inside. */
async function readSettings(
  roots: readonly string[],
): Promise<Pick<Machine, "settingsVariables" | "settingsUrls">> {
  const files = roots.flatMap((root) => SETTINGS_FILES.map((name) => `${root}/${name}`));
  const texts = await Promise.all(files.map(settingsText));
  const found = (pattern: RegExp): readonly string[] =>
    [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name)))]
      .sort()
      .slice(0, VARIABLES_MAX);
  return { settingsVariables: found(VARIABLE), settingsUrls: found(ADDRESS) };
}

/** Empty: not there, or nothing that anybody writes by hand. */
async function settingsText(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() || found.size > SETTINGS_BYTES_MAX) return "";
  return readFile(path, "utf8").catch(() => "");
}

const SOCKETS_MAX = 2_000;
/** In `/proc/net/unix`: the socket accepts connections. */
const ACCEPTS = 0x10000;

/** Unix sockets of this machine that somebody listens on and that have a name in the file system. */
async function listeningSockets(): Promise<readonly string[]> {
  if (process.platform !== "linux") return [];
  const text = await readFile("/proc/net/unix", "utf8").catch(() => "");
  const named = text
    .split("\n")
    .slice(1, SOCKETS_MAX)
    .flatMap((line) => {
      const [, flags = "", path = ""] = /^\S+: \S+ \S+ (\S+) \S+ \S+ +\S+ (\/.*)$/.exec(line) ?? [];
      return (Number.parseInt(flags, 16) & ACCEPTS) !== 0 && !isWithin(path, "/run") ? [path] : [];
    });
  const looked = await Promise.all([...new Set(named)].map(socketAt));
  return [...new Set(looked.filter((path) => path !== null))].sort();
}

/** Its real path; null: there is no socket, or none any more. */
async function socketAt(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isSocket() ? ((await lookAt(path))?.real ?? null) : null;
}
