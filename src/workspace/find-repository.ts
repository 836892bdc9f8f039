/** The repository that a directory is in, and the commit that a workspace of it begins at; in clear words where there is none. */
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { GitError, gitLine, runGit } from "./git.js";
import type { Original } from "./place.js";

export type RepositoryErrorCode =
  | "directory_missing"
  | "no_git"
  | "not_a_repository"
  | "no_commit"
  | "detached_head"
  | "ref_unknown"
  | "branch_exists"
  | "branch_invalid"
  | "settings_invalid"
  | "disk_bound";

/** Expected: said to the person as it is. */
export class RepositoryError extends Error {
  override readonly name = "RepositoryError";
  constructor(
    readonly code: RepositoryErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export interface FoundRepository extends Original {
  readonly name: string;
}

/** Rejects with a `RepositoryError`. */
export async function findRepository(directory: string): Promise<FoundRepository> {
  const found = await stat(directory).catch(() => null);
  if (!found?.isDirectory())
    throw new RepositoryError("directory_missing", `${directory} is not there, or is no directory.`);
  const at = { cwd: await realpath(directory) };
  const commonDir = await ask(["rev-parse", "--git-common-dir"], at);
  if (commonDir.code !== 0) throw notOne(directory, commonDir.stderr);
  const common = await realpath(resolve(at.cwd, textOf(commonDir.stdout)));
  const top = await ask(["rev-parse", "--show-toplevel"], at);
  // Inside of a git directory, and in a bare repository, there is none.
  const checkout = top.code === 0 ? await realpath(textOf(top.stdout)) : await mainCheckout(common);
  const name = basename(checkout ?? common).replace(/\.git$/, "");
  return { commonDir: common, checkout, name: name === "" ? "repository" : name };
}

async function mainCheckout(commonDir: string): Promise<string | null> {
  if (basename(commonDir) !== ".git") return null;
  const isBare = await ask(["config", "--bool", "core.bare"], { gitDir: commonDir, workTree: null });
  return textOf(isBare.stdout) === "true" ? null : dirname(commonDir);
}

async function ask(args: readonly string[], place: Parameters<typeof runGit>[1]) {
  try {
    return await runGit(args, place);
  } catch (error) {
    if (error instanceof GitError && error.code === "no_git")
      throw new RepositoryError("no_git", error.message);
    throw error;
  }
}

function textOf(bytes: Buffer): string {
  return bytes.toString("utf8").trim();
}

function notOne(directory: string, words: string): RepositoryError {
  const owner = words.includes("dubious ownership")
    ? ` Git does not trust it, because somebody else owns it: git config --global --add safe.directory ${directory}`
    : " A workspace needs one: git init, or start the session without a workspace.";
  return new RepositoryError("not_a_repository", `${directory} is not in a git repository.${owner}`);
}

export interface Start {
  readonly branch: string;
  readonly commit: string;
}

/** `base`: the branch that the change is for; `from`: where it begins, if not there. Rejects with a `RepositoryError`. */
export async function findStart(
  { commonDir, checkout }: Original,
  wanted: { readonly base: string | null; readonly from: string | null },
): Promise<Start> {
  const place = { gitDir: commonDir, workTree: null };
  const branch = wanted.base ?? (await branchOf({ commonDir, checkout }, wanted.from));
  const tip = await commitOf(`refs/heads/${branch}`, place);
  if (tip === null)
    throw (await hasCommit({ commonDir, checkout }))
      ? new RepositoryError("ref_unknown", `There is no branch ${branch} in this repository.`)
      : new RepositoryError(
          "no_commit",
          "The repository has no commit yet, and a workspace begins at one: git commit --allow-empty -m start",
        );
  if (wanted.from === null) return { branch, commit: tip };
  const commit = (await commitOf(`refs/heads/${wanted.from}`, place)) ?? (await commitOf(wanted.from, place));
  if (commit === null)
    throw new RepositoryError("ref_unknown", `${wanted.from} names no commit in this repository.`);
  return { branch, commit };
}

/** A branch that is begun from is the one that the change is for. */
async function branchOf(original: Original, from: string | null): Promise<string> {
  const place = { gitDir: original.commonDir, workTree: null };
  if (from !== null && (await commitOf(`refs/heads/${from}`, place)) !== null) return from;
  const at = original.checkout === null ? place : { cwd: original.checkout };
  const head = await runGit(["symbolic-ref", "--quiet", "--short", "HEAD"], at);
  if (head.code === 0) return textOf(head.stdout);
  throw new RepositoryError(
    "detached_head",
    "HEAD is detached, so that no branch is there which the change is for: name one with --from BRANCH, or switch to one.",
  );
}

async function hasCommit({ commonDir, checkout }: Original): Promise<boolean> {
  const at = checkout === null ? { gitDir: commonDir, workTree: null } : { cwd: checkout };
  return (await runGit(["rev-parse", "--verify", "--quiet", "HEAD"], at)).code === 0;
}

async function commitOf(ref: string, place: { readonly gitDir: string; readonly workTree: null }) {
  if (ref.startsWith("-")) return null;
  const found = await runGit(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], place);
  return found.code === 0 ? textOf(found.stdout) : null;
}

/** Rejects with a `RepositoryError` when it is no name, or the original has it. */
export async function needNewBranch({ commonDir }: Original, branch: string): Promise<void> {
  const place = { gitDir: commonDir, workTree: null };
  const valid = branch.startsWith("-")
    ? { code: 1 }
    : await runGit(["check-ref-format", `refs/heads/${branch}`], place);
  if (valid.code !== 0) throw new RepositoryError("branch_invalid", `${branch} is no name for a branch.`);
  if ((await commitOf(`refs/heads/${branch}`, place)) !== null)
    throw new RepositoryError("branch_exists", `There is a branch ${branch} already: choose another name.`);
  // `a` and `a/b` cannot both be there.
  const parents = branch
    .split("/")
    .slice(0, -1)
    .map((_, index, all) => all.slice(0, index + 1).join("/"));
  for (const parent of parents)
    if ((await commitOf(`refs/heads/${parent}`, place)) !== null)
      throw new RepositoryError(
        "branch_exists",
        `There is a branch ${parent}, so that ${branch} cannot be made.`,
      );
  const below = await gitLine(
    ["for-each-ref", "--count=1", "--format=%(refname:short)", `refs/heads/${branch}/`],
    place,
  );
  if (below !== "")
    throw new RepositoryError(
      "branch_exists",
      `There is a branch ${below}, so that ${branch} cannot be made.`,
    );
}

/** The directories of objects that a clone of it borrows from, all of them. */
export async function objectsOf(commonDir: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (objects: string): Promise<void> => {
    if (found.includes(objects) || found.length >= ALTERNATES_MAX) return;
    found.push(objects);
    const text = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
    for (const line of text.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
      const path = line.startsWith("/") ? line : join(objects, line);
      const real = await realpath(path).catch(() => null);
      if (real !== null) await visit(real);
    }
  };
  await visit(await realpath(join(commonDir, "objects")));
  for (const objects of await moduleObjects(join(commonDir, "modules"), MODULE_DEPTH_MAX))
    await visit(objects);
  return found;
}

/** Of its submodules, whose names may have slashes in them. */
async function moduleObjects(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === "HEAD")) {
    const nested = await moduleObjects(join(folder, "modules"), depth);
    return [await realpath(join(folder, "objects")), ...nested];
  }
  if (depth === 0) return [];
  const below = entries.filter((entry) => entry.isDirectory());
  return (await Promise.all(below.map(({ name }) => moduleObjects(join(folder, name), depth - 1)))).flat();
}

const MODULE_DEPTH_MAX = 4;

const ALTERNATES_MAX = 100;
