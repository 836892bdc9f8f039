/**
 * Which repository a folder is in, read without running git: whatever an agent may have written must not make git run
 * something. Nothing that is said in the folder itself is believed without proof from outside of it.
 */
import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isBelow, isWithin } from "./layers.js";
import type { GitFacts } from "./wall-input.js";

const FILE_BYTES_MAX = 64 * 1024;

type Guarded = GitFacts["guarded"][number];

/** Null: none, or one that is not what it says. `cwd` and `home` are real. */
export async function lookAtGit(cwd: string, home: string): Promise<GitFacts | null> {
  for (let folder = cwd; folder !== "/" && !isWithin(home, folder); folder = dirname(folder)) {
    const path = join(folder, ".git");
    const found = await lstat(path).catch(() => null);
    if (!found) continue;
    // A link could be made to lead anywhere.
    // Whole or not: an agent may have taken out what makes it a repository, to have it guarded no more.
    if (found.isDirectory()) return facts(path, path, null, folder);
    return found.isFile() && folder === cwd ? worktreeFacts(path, home) : null;
  }
  return null;
}

async function isRepository(path: string): Promise<boolean> {
  const isFolder = async (name: string) =>
    (await stat(join(path, name)).catch(() => null))?.isDirectory() === true;
  return (await isFolder("objects")) && (await isFolder("refs"));
}

/** A linked worktree: the part of the repository that it names must name it, too. */
async function worktreeFacts(gitFile: string, home: string): Promise<GitFacts | null> {
  const named = /^gitdir:\s*(.+?)\s*$/m.exec((await text(gitFile)) ?? "")?.[1];
  if (named === undefined) return null;
  const gitDir = await realpath(resolve(dirname(gitFile), named)).catch(() => null);
  if (gitDir === null || isWithin(home, gitDir)) return null;
  const back = await realpath(resolve(gitDir, ((await text(join(gitDir, "gitdir"))) ?? "").trim())).catch(
    () => null,
  );
  const commonDir = dirname(dirname(gitDir));
  const isLinked = back === gitFile && dirname(gitDir) === join(commonDir, "worktrees");
  const common = await realpath(
    resolve(gitDir, ((await text(join(gitDir, "commondir"))) ?? "").trim()),
  ).catch(() => null);
  if (!isLinked || common !== commonDir || isWithin(home, commonDir) || !(await isRepository(commonDir)))
    return null;
  return facts(gitDir, commonDir, gitFile, dirname(gitFile));
}

async function facts(
  gitDir: string,
  commonDir: string,
  gitFile: string | null,
  workTree: string,
): Promise<GitFacts> {
  const isLinked = gitDir !== commonDir;
  const config = (await text(join(commonDir, "config"))) ?? "";
  const candidates: readonly (Guarded & { readonly make?: string })[] = [
    { path: join(commonDir, "hooks"), type: "folder", make: "" },
    { path: join(commonDir, "info"), type: "folder", make: "" },
    { path: join(commonDir, "config"), type: "file", make: "" },
    // Names a folder whose configuration and hooks git takes instead. A dot is this one.
    { path: join(commonDir, "commondir"), type: "file", make: ".\n" },
    { path: join(commonDir, "modules"), type: "folder" },
    { path: join(commonDir, "worktrees"), type: "folder" },
    ...(isLinked
      ? ([
          { path: join(gitDir, "commondir"), type: "file" },
          { path: join(gitDir, "gitdir"), type: "file" },
        ] as const)
      : []),
    ...worktreeConfig(config, gitDir),
    ...hooksPaths(config, workTree).map((path) => ({ path, type: "folder" }) as const),
  ];
  const guarded: Guarded[] = [];
  const missing: (Guarded & { readonly text?: string })[] = [];
  for (const { path, type, make } of candidates) {
    const found = await lstat(path).catch(() => null);
    // What was made for another run is this one's too: it stays until the last of them has ended.
    const isOurs =
      make !== undefined && make !== "" && found?.isFile() === true && (await text(path)) === make;
    if (!isOurs && (found?.isFile() || found?.isDirectory()))
      guarded.push({ path, type: found.isFile() ? "file" : "folder" });
    else if ((!found || isOurs) && make !== undefined)
      missing.push({ path, type, ...(type === "file" ? { text: make } : {}) });
  }
  return { gitDir, commonDir, gitFile, guarded, missing };
}

/** Read only where the configuration says so. */
function worktreeConfig(config: string, gitDir: string): readonly (Guarded & { readonly make?: string })[] {
  const path = join(gitDir, "config.worktree");
  return /^\s*worktreeConfig\s*(?:=\s*(?:true|yes|on|1)\s*)?$/im.test(config)
    ? [{ path, type: "file", make: "" }]
    : [{ path, type: "file" }];
}

/** Hooks in the project itself, as husky has them: its folder `_` calls what lies beside. */
function hooksPaths(config: string, workTree: string): readonly string[] {
  return [...config.matchAll(/^\s*hooksPath\s*=\s*"?([^"\n]+?)"?\s*$/gim)]
    .map(([, path = ""]) => resolve(workTree, path))
    .filter((path) => isBelow(path, workTree))
    .map((path) => (path.endsWith("/_") && dirname(path) !== workTree ? dirname(path) : path));
}

async function text(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= FILE_BYTES_MAX ? await readFile(path, "utf8") : null;
  } catch {
    // Not there, or not to be read: then it proves nothing.
    return null;
  }
}

const INDEX_BYTES_MAX = 64 * 1024 * 1024;

/** Paths in the index, relative to the work tree. Null: not known, so that nothing counts as tracked. */
export async function trackedFiles(gitDir: string): Promise<ReadonlySet<string> | null> {
  try {
    const path = join(gitDir, "index");
    const { size } = await stat(path);
    return size > INDEX_BYTES_MAX ? null : readIndex(await readFile(path));
  } catch {
    // No index yet, or one that cannot be read.
    return null;
  }
}

const HEADER_BYTES = 12;
/** Of an entry, up to its flags; the id of its content is of SHA-1. */
const ENTRY_BYTES = 60;
const EXTENDED = 0x4000;

/** Git's index, versions 2 to 4, with ids of SHA-1. */
export function readIndex(index: Buffer): ReadonlySet<string> | null {
  if (index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const paths = new Set<string>();
  let at = HEADER_BYTES;
  let previous = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (at + ENTRY_BYTES + 2 > index.length) return null;
    const start = at;
    const isExtended = (index.readUInt16BE(at + ENTRY_BYTES) & EXTENDED) !== 0;
    at += ENTRY_BYTES + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const read = readOffset(index, at);
      kept = previous.length - read.value;
      at = read.end;
    }
    const end = index.indexOf(0, at);
    if (end === -1 || kept < 0) return null;
    const name = Buffer.concat([previous.subarray(0, version === 4 ? kept : 0), index.subarray(at, end)]);
    paths.add(name.toString("utf8"));
    previous = name;
    // Entries are filled up to eight bytes, with one at least; not so in version 4.
    at = version === 4 ? end + 1 : start + Math.ceil((end - start + 1) / 8) * 8;
  }
  // A split index has the rest somewhere else.
  return index.toString("latin1", at, at + 4) === "link" ? null : paths;
}

function readOffset(index: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = index[at] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80) {
    at += 1;
    byte = index[at] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end: at + 1 };
}
