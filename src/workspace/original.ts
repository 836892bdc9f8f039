/** What is done to the original: commits are brought in, the base is moved on, a branch is made. */
import { readFileSync, writeFileSync } from "node:fs";
import { lstat, open, readFile, readlink, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkspaceEffect } from "../core/workspace/effects.js";
import { failureOf, git, nameOf, splitNul, type GitResult } from "./git.js";
import { branchHead, checkoutOf, isDirty } from "./observe.js";
import type { Hands } from "./place.js";
import { StepError } from "./step-error.js";

type EffectOf<T extends WorkspaceEffect["type"]> = Extract<WorkspaceEffect, { readonly type: T }>;

const BUNDLE_TIMEOUT_MS = 30 * 60_000;

/** As a bundle, which git in the workspace prints into a file of ours: the original reads nothing else of the workspace. */
export async function importCommits(hands: Hands, branch: string, head: string): Promise<void> {
  const now = await hands.line(["rev-parse", "--verify", `refs/heads/${branch}^{commit}`]);
  if (now !== head)
    throw new StepError("git_failed", `${branch} has moved on in the workspace meanwhile: look again.`);
  const known = await hands.originalLine([
    "for-each-ref",
    `--count=${KNOWN_MAX}`,
    "--sort=-committerdate",
    "--format=^%(objectname)",
    "refs/heads",
    hands.ref("base"),
  ]);
  const excluded = [...new Set(known.split("\n").filter((line) => line !== ""))];
  const count = await hands.line(["rev-list", "--count", head, ...excluded]);
  if (count !== "0") await bringIn(hands, branch, excluded);
  await hands.needOriginal(["update-ref", hands.ref("head"), head]);
  await needSubmodules(hands, head);
}

const KNOWN_MAX = 200;

async function bringIn(hands: Hands, branch: string, excluded: readonly string[]): Promise<void> {
  const path = hands.own("commits.bundle");
  const file = await open(path, "w", 0o600);
  try {
    const args = ["bundle", "create", "--quiet", "-", `refs/heads/${branch}`, ...excluded];
    await hands.need(args, { output: file, timeoutMs: BUNDLE_TIMEOUT_MS });
  } finally {
    await file.close();
  }
  const refspec = `+refs/heads/${branch}:${hands.ref("head")}`;
  const safe = ["-c", "fetch.fsckObjects=true", "-c", "fetch.recurseSubmodules=false"];
  const quietly = ["--quiet", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head"];
  await hands.needOriginal([...safe, "fetch", ...quietly, path, refspec], { timeoutMs: BUNDLE_TIMEOUT_MS });
  await rm(path, { force: true });
}

/** A commit that names one of a submodule which only the workspace has would be of no use to anybody. */
async function needSubmodules(hands: Hands, head: string): Promise<void> {
  const { commonDir } = hands.place.original;
  const raw = splitNul(
    await hands.needOriginal([
      "diff-tree",
      "-r",
      "-z",
      "--raw",
      "--no-renames",
      "--no-abbrev",
      hands.ref("base"),
      head,
    ]),
  );
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [, mode, , commit] = raw[at]?.toString("utf8").split(" ") ?? [];
    const name = raw[at + 1];
    if (mode !== "160000" || commit === undefined || name === undefined) continue;
    const found = await stat(join(commonDir, "modules", nameOf(name))).catch(() => null);
    if (!found?.isDirectory()) continue;
    const place = { gitDir: join(commonDir, "modules", nameOf(name)), workTree: null };
    const isThere = await git(["cat-file", "-e", `${commit}^{commit}`], place).then(
      () => true,
      () => false,
    );
    if (!isThere)
      throw new StepError(
        "git_failed",
        `The submodule ${nameOf(name)} is at ${commit.slice(0, 12)}, which only the workspace has: push it first.`,
      );
  }
}

/** What is being done to a person's checkout, written down before. */
interface Advancing {
  readonly checkout: string;
  readonly branch: string;
  readonly from: string;
  readonly to: string;
}

const ADVANCING = "advancing.json";
const GIT_PROCESS = "advancing-git.json";

/** Moves the base from `from` to `to`, or not at all. Once done, it stays done. */
export async function advance(hands: Hands, { branch, from, to }: EffectOf<"advance">): Promise<void> {
  const begun = (await hands.readOwn(ADVANCING)) as Advancing | null;
  if (begun !== null) await recover(hands, begun);
  const now = await branchHead(hands, branch);
  if (now === null) throw new StepError("base_moved", `There is no branch ${branch} any more.`);
  if (now === to || (await isIn(hands, to, now))) return;
  if (now !== from || !(await isIn(hands, from, to)))
    throw new StepError("base_moved", `${branch} has moved on to ${now.slice(0, 12)} meanwhile.`);
  const checkout = await checkoutOf(hands, branch);
  if (checkout === null) return moveRef(hands, branch, from, to);
  if (await isDirty(hands, checkout))
    throw new StepError("base_dirty", `${checkout} has uncommitted changes: commit or stash them first.`);
  await hands.writeOwn(ADVANCING, { checkout, branch, from, to } satisfies Advancing);
  const args = ["merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--no-stat", to];
  const merged = await hands.checkout(args, checkout, {
    onStart: (pid) => writeFileSync(hands.own(GIT_PROCESS), JSON.stringify({ pid, atMs: Date.now() })),
  });
  await forget(hands);
  if (merged.code !== 0) throw await whyNot(hands, { checkout, branch, from, to }, merged);
}

async function isIn(hands: Hands, one: string, other: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", one, other];
  const found = await hands.original(args);
  if (found.code > 1) throw failureOf(args, found);
  return found.code === 0;
}

async function moveRef(hands: Hands, branch: string, from: string, to: string): Promise<void> {
  const args = ["update-ref", "-m", "signalbox: finish", `refs/heads/${branch}`, to, from];
  const moved = await hands.original(args);
  if (moved.code === 0) return;
  const now = await branchHead(hands, branch);
  if (now !== from) throw new StepError("base_moved", `${branch} has moved on meanwhile.`);
  throw failureOf(args, moved);
}

/** Git has refused, and changed nothing. */
async function whyNot(
  hands: Hands,
  { branch, from, checkout }: Advancing,
  merged: GitResult,
): Promise<Error> {
  if ((await branchHead(hands, branch)) !== from)
    return new StepError("base_moved", `${branch} has moved on meanwhile.`);
  if (await isDirty(hands, checkout))
    return new StepError("base_dirty", `${checkout} has uncommitted changes: commit or stash them first.`);
  return failureOf(["merge"], merged);
}

async function forget(hands: Hands): Promise<void> {
  await hands.removeOwn(ADVANCING);
  await hands.removeOwn(GIT_PROCESS);
}

/**
 * Git may have been ended in the middle: some files are new, some old, and the branch is where it was. Then what is new is
 * made old again, file by file, and only where it is exactly the one or the other.
 */
async function recover(hands: Hands, begun: Advancing): Promise<void> {
  const { checkout, branch, from, to } = begun;
  await endedGit(hands, checkout);
  if ((await branchHead(hands, branch)) !== from || (await checkoutOf(hands, branch)) !== checkout)
    return forget(hands);
  const staged = await hands.checkout(["diff-index", "--cached", "--quiet", from], checkout);
  const stagedNew = await hands.checkout(["diff-index", "--cached", "--quiet", to], checkout);
  const paths = await changedPaths(hands, checkout, from, to);
  if (stagedNew.code === 0 && staged.code !== 0) {
    // Only the branch was not moved yet.
    if (paths.some(({ is }) => is !== "new")) throw neither(checkout, paths, "new");
    await moveRef(hands, branch, from, to);
    return forget(hands);
  }
  if (staged.code !== 0)
    throw new StepError("base_dirty", `${checkout} has staged changes: commit or stash them first.`);
  if (paths.some(({ is }) => is === "other")) throw neither(checkout, paths, "other");
  await putBack(
    hands,
    checkout,
    paths.filter(({ is }) => is === "new"),
  );
  await forget(hands);
}

interface ChangedPath {
  readonly name: Buffer;
  readonly isAdded: boolean;
  readonly is: "old" | "new" | "other";
}

function neither(checkout: string, paths: readonly ChangedPath[], unlike: "new" | "other"): StepError {
  const found = paths.find(({ is }) => (unlike === "new" ? is !== "new" : is === "other"));
  return new StepError(
    "base_dirty",
    `A fast-forward of ${checkout} was interrupted, and ${found ? nameOf(found.name) : "a file"} is neither what it was nor what it was to be. Nothing was touched: look at it, commit or restore it, and retry.`,
  );
}

/** Each that differs between the two, and which of them the file on the disk is. */
async function changedPaths(
  hands: Hands,
  checkout: string,
  from: string,
  to: string,
): Promise<readonly ChangedPath[]> {
  const raw = splitNul(
    await hands.needOriginal(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to]),
  );
  const paths: ChangedPath[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = ""] =
      raw[at]?.toString("utf8").slice(1).split(" ") ?? [];
    const name = raw[at + 1] ?? Buffer.alloc(0);
    const found = await entryOf(hands, checkout, name);
    const matches = (mode: string, id: string) =>
      mode === "160000" || (mode === "000000" ? found === null : found?.mode === mode && found.id === id);
    const isOld = matches(oldMode, oldId);
    paths.push({
      name,
      isAdded: oldMode === "000000",
      is: isOld ? "old" : matches(newMode, newId) ? "new" : "other",
    });
  }
  return paths;
}

/** What git would say of the file as it is; null: it is not there. */
async function entryOf(
  hands: Hands,
  checkout: string,
  name: Buffer,
): Promise<{ readonly mode: string; readonly id: string } | null> {
  const path = Buffer.concat([Buffer.from(`${checkout}/`), name]);
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return { mode: "040000", id: "" };
  const isLink = found.isSymbolicLink();
  const input = isLink ? await readlink(path, "buffer") : await readFile(path);
  const filters = isLink ? ["--no-filters"] : [`--path=${name.toString("utf8")}`];
  const hashed = await hands.checkout(["hash-object", "--stdin", ...filters], checkout, { input });
  const mode = isLink ? "120000" : (found.mode & 0o100) === 0 ? "100644" : "100755";
  return { mode, id: hashed.stdout.toString("utf8").trim() };
}

async function putBack(hands: Hands, checkout: string, paths: readonly ChangedPath[]): Promise<void> {
  for (const { name, isAdded } of paths)
    if (isAdded) await unlink(Buffer.concat([Buffer.from(`${checkout}/`), name]));
  const changed = paths.filter(({ isAdded }) => !isAdded).flatMap(({ name }) => [name, Buffer.from([0])]);
  if (changed.length === 0) return;
  const args = ["checkout-index", "--force", "--quiet", "-z", "--stdin"];
  const done = await hands.checkout(args, checkout, { input: Buffer.concat(changed) });
  if (done.code !== 0) throw failureOf(args, done);
}

const ENDING_MS = 60_000;
const ENDING_POLL_MS = 50;

/** The git that we started has ended; a lock is removed only if it was that one's. */
async function endedGit(hands: Hands, checkout: string): Promise<void> {
  const ours = (await hands.readOwn(GIT_PROCESS)) as { readonly pid: number; readonly atMs: number } | null;
  const until = Date.now() + ENDING_MS;
  const isAlive = (): boolean => ours !== null && isGit(ours.pid);
  while (isAlive() && Date.now() < until) await sleep(ENDING_POLL_MS);
  const gitDir = await hands.checkoutLine(["rev-parse", "--absolute-git-dir"], checkout);
  const lock = join(gitDir, "index.lock");
  const found = await lstat(lock).catch(() => null);
  if (found === null) return;
  const isOurs = ours !== null && !isGit(ours.pid) && found.mtimeMs >= ours.atMs - 1_000;
  if (!isOurs)
    throw new StepError(
      "base_dirty",
      `${lock} is there, and Signalbox did not make it: wait for the git that runs there, or remove the file, and retry.`,
    );
  await unlink(lock);
}

/** Numbers are given again: another program with it is not ours. */
function isGit(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "git";
  } catch {
    return false;
  }
}

/** The branch in the original: a new one, or one that an earlier finish of this workspace made. */
export async function publish(hands: Hands, { branch, to }: EffectOf<"publish">): Promise<void> {
  const now = await branchHead(hands, branch);
  const ref = `refs/heads/${branch}`;
  if (now !== to) {
    const published = await hands.original(["rev-parse", "--verify", "--quiet", hands.ref("published")]);
    const isOurs = now !== null && published.stdout.toString("utf8").trim() === now;
    if (now !== null && !isOurs)
      throw new StepError(
        "git_failed",
        `There is another branch ${branch} in the original by now: it is left alone.`,
      );
    if (now !== null && (await checkoutOf(hands, branch)) !== null)
      throw new StepError(
        "base_dirty",
        `${branch} is checked out in the original: switch away from it first.`,
      );
    await hands.needOriginal([
      "update-ref",
      "-m",
      "signalbox: finish",
      ref,
      to,
      now ?? ZERO.repeat(to.length),
    ]);
  }
  await hands.needOriginal(["update-ref", hands.ref("published"), to]);
}

const ZERO = "0";
