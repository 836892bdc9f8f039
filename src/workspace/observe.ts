/** A look at a workspace and its base. */
import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Observation } from "../core/workspace/state.js";
import { failureOf, splitNul } from "./git.js";
import { looseFiles } from "./loose.js";
import { isThere, looked, type Hands } from "./place.js";

interface Base {
  readonly branch: string;
  readonly commit: string;
}

/** Null: its directory is not there. */
export async function observe(hands: Hands, base: Base): Promise<Observation | null> {
  if (!(await isThere(hands))) return null;
  const head = await hands.line(["rev-parse", "--verify", "HEAD^{commit}"]);
  const on = (await hands.inside(["symbolic-ref", "--quiet", "HEAD"])).stdout.toString("utf8").trim();
  const changed = await changedEntries(hands);
  const isMerging = await underWay(hands.gitDir);
  const loose = await looseFiles(hands);
  const baseHead = (await branchHead(hands, base.branch)) ?? base.commit;
  const aside = await commitsAside(hands, head, baseHead);
  const [ahead = 0, behind = 0] = (
    await hands.line(["rev-list", "--left-right", "--count", `${head}...${baseHead}`])
  )
    .split(/\s+/)
    .map(Number);
  const baseDirty = await isBaseDirty(hands, base.branch);
  const digest = createHash("sha256");
  for (const part of [head, on, isMerging ?? "", baseHead, String(baseDirty), ...aside])
    digest.update(`${part}\0`);
  for (const entry of [...changed, ...loose])
    digest
      .update(entry)
      .update("\0")
      .update(await factsOf(hands, entry));
  return {
    id: digest.digest("hex").slice(0, 32),
    head,
    dirty: changed.length > 0 || isMerging !== null,
    loose: loose.length > 0 || aside.length > 0,
    ahead,
    behind,
    baseHead,
    baseDirty,
  };
}

/** As git tells of each: what, and the name. */
async function changedEntries(hands: Hands): Promise<readonly Buffer[]> {
  const args = [
    "status",
    "--porcelain=v1",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=none",
  ];
  return splitNul(await hands.need(args, { maxBytes: STATUS_BYTES_MAX }));
}

const STATUS_BYTES_MAX = 256 * 1024 * 1024;

/** Whoever writes a file changes these. */
async function factsOf(hands: Hands, entry: Buffer): Promise<string> {
  const name = /^[ MTADRCU?!]{2} /.test(entry.toString("latin1", 0, 3)) ? entry.subarray(3) : entry;
  const path = Buffer.concat([Buffer.from(`${hands.place.path}/`), name]);
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found ? `${found.ino} ${found.mode} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "gone";
}

/** A merge, a rebase and the like that wait for somebody. */
export async function underWay(gitDir: string): Promise<"merge" | "rebase" | "other" | null> {
  if (await looked(join(gitDir, "MERGE_HEAD"))) return "merge";
  if ((await looked(join(gitDir, "rebase-merge"))) || (await looked(join(gitDir, "rebase-apply"))))
    return "rebase";
  if ((await looked(join(gitDir, "CHERRY_PICK_HEAD"))) || (await looked(join(gitDir, "REVERT_HEAD"))))
    return "other";
  return null;
}

/** Null: there is no such branch. */
export async function branchHead(hands: Hands, branch: string): Promise<string | null> {
  const found = await hands.original(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]);
  return found.code === 0 ? found.stdout.toString("utf8").trim() : null;
}

const ASIDE_MAX = 20;

/** Commits of other branches, or stashed, that the original does not have. */
async function commitsAside(hands: Hands, head: string, baseHead: string): Promise<readonly string[]> {
  const known = await hands.needOriginal([
    "for-each-ref",
    "--format=^%(objectname)",
    "refs/heads",
    "refs/remotes",
    "refs/tags",
    "refs/signalbox",
  ]);
  const args = [
    "rev-list",
    `--max-count=${ASIDE_MAX}`,
    "--branches",
    "--glob=refs/stash",
    "--ignore-missing",
    "--stdin",
  ];
  const input = [known.toString("utf8"), `^${head}`, `^${baseHead}`, ""].join("\n").replace(/\n\n+/g, "\n");
  const listed = await hands.inside(args, { input });
  if (listed.code !== 0) throw failureOf(args, listed);
  return listed.stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** Where a branch is checked out: by the original or a worktree of it. Null: nowhere. */
export async function checkoutOf(hands: Hands, branch: string): Promise<string | null> {
  const listed = await hands.originalLine(["worktree", "list", "--porcelain"]);
  for (const block of listed.split("\n\n")) {
    const lines = block.split("\n");
    const path = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
    if (path === undefined || lines.includes("bare") || !(await looked(path))?.isDirectory()) continue;
    if (lines.includes(`branch refs/heads/${branch}`)) return path;
    if (lines.includes("detached") && (await rebased(hands, path)) === `refs/heads/${branch}`) return path;
  }
  return null;
}

/** The branch that a rebase there is about. */
async function rebased(hands: Hands, checkout: string): Promise<string | null> {
  const gitDir = await hands.checkoutLine(["rev-parse", "--absolute-git-dir"], checkout);
  const names = ["rebase-merge", "rebase-apply"].map((name) => join(gitDir, name, "head-name"));
  const texts = await Promise.all(names.map((name) => readFile(name, "utf8").catch(() => null)));
  return texts.find((text) => text !== null)?.trim() ?? null;
}

/** Tracked files are changed where the person has the base checked out, or something is under way there. */
export async function isBaseDirty(hands: Hands, branch: string): Promise<boolean> {
  const checkout = await checkoutOf(hands, branch);
  return checkout !== null && (await isDirty(hands, checkout));
}

export async function isDirty(hands: Hands, checkout: string): Promise<boolean> {
  const args = ["status", "--porcelain=v1", "-z", "--untracked-files=no"];
  const status = await hands.checkout(args, checkout);
  if (status.code !== 0) throw failureOf(args, status);
  if (status.stdout.length > 0) return true;
  const gitDir = await hands.checkoutLine(["rev-parse", "--absolute-git-dir"], checkout);
  return (await underWay(gitDir)) !== null;
}
