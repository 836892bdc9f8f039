/** Gathers what a plan depends on. Nothing is changed, no program is run. */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname } from "node:path";
import type { Rule } from "../core/index.js";
import { pathsToLookAt } from "./compile.js";
import { expandMasks } from "./expand-masks.js";
import { lookAtGit, trackedFiles } from "./git-facts.js";
import { harnessTable, rootFolder } from "./harness-tables.js";
import { isWithin } from "./layers.js";
import type { Machine, PathFact, WallRefusal, WallSession } from "./wall-input.js";

export interface LookRequest {
  readonly rules: readonly Rule[];
  readonly session: WallSession;
  readonly home: string;
  /** The whole environment that the agent would have without a wall. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type Looked = { readonly ok: true; readonly machine: Machine } | WallRefusal;

export async function lookAtMachine({ rules, session, ...request }: LookRequest): Promise<Looked> {
  const { environment } = request;
  const home = (await lookAt(request.home))?.real ?? request.home;
  const folder = await lookAt(session.cwd);
  const cwd = folder?.real ?? session.cwd;
  const paths = new Map<string, PathFact | null>();
  const look = async (path: string) => {
    if (!paths.has(path)) paths.set(path, await lookAt(path));
    return paths.get(path) ?? null;
  };
  for (const path of pathsToLookAt(session, { cwd, home, environment })) await look(path);
  for (const path of session.programs) {
    const program = await look(path);
    if (program) await look(`${dirname(dirname(program.real))}/pyvenv.cfg`);
  }
  const roots = harnessTable(session.harness).roots.map((root) => rootFolder(root, home, environment));
  for (const root of roots) await look(root);
  const git = folder?.type === "folder" ? await lookAtGit(cwd, home) : null;
  const workTree = git && (git.gitFile === null ? dirname(git.gitDir) : cwd);
  const shown = [...session.settings.reveal, ...session.settings.writable]
    .map((path) => paths.get(path.replace(/^~(?=\/|$)/, home))?.real)
    .filter((path) => path !== undefined);
  const expanded = await expandMasks({
    rules,
    project: cwd,
    home,
    folders: [...new Set([workTree ?? cwd, cwd, ...shown])],
    tracked: git ? await trackedFiles(git.gitDir) : null,
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
    settingsVariables: await variablesInSettings(roots),
    listening: await listeningSockets(),
    git,
    masks: expanded.masks,
    maskGaps: expanded.gaps,
  };
  return { ok: true, machine };
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

/** An agent's settings may name the variable that holds a key. They are read-only inside. */
async function variablesInSettings(roots: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const path of roots.flatMap((root) => SETTINGS_FILES.map((name) => `${root}/${name}`))) {
    const found = await stat(path).catch(() => null);
    if (!found?.isFile() || found.size > SETTINGS_BYTES_MAX) continue;
    const text = await readFile(path, "utf8").catch(() => "");
    for (const [, name = ""] of text.matchAll(VARIABLE)) names.add(name);
  }
  return [...names].sort().slice(0, VARIABLES_MAX);
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
  const sockets: string[] = [];
  for (const path of new Set(named)) {
    const found = await lstat(path).catch(() => null);
    const real = found?.isSocket() ? await lookAt(path) : null;
    if (real) sockets.push(real.real);
  }
  return [...new Set(sockets)].sort();
}
