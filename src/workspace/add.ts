/**
 * Makes a workspace: what `git clone --shared` makes, but with the original's own branches, remotes and settings.
 *
 * It is made beside the place that it is for, and moved there when it is complete: a directory at that place is whole, or is
 * somebody else's.
 */
import {
  constants,
  copyFile,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { WorkspaceEffect } from "../core/workspace/effects.js";
import { git, gitLine, nameOf, runGit, splitNul } from "./git.js";
import { isThere, looked, type Hands } from "./place.js";
import { rememberIgnored } from "./loose.js";
import { StepError } from "./step-error.js";

type Add = Extract<WorkspaceEffect, { readonly type: "add_workspace" }>;

const REFS_MAX = 5_000;
const COPIED_FILES_MAX = 10_000;
const COPIED_BYTES_MAX = 2 * 1024 * 1024 * 1024;

export async function addWorkspace(hands: Hands, effect: Add): Promise<void> {
  const { path, id } = hands.place;
  await pinBase(hands, effect.base.commit);
  if (await isThere(hands)) return;
  const staging = stagingOf(hands);
  if (await looked(path)) {
    if (!(await isOurs(path, id)))
      throw new StepError(
        "git_failed",
        `Something else is at ${path}: it is left alone. Move it away and retry.`,
      );
  } else {
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await clone(hands, effect, staging);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    hands.tools.pass("before rename");
    await rename(staging, path);
    hands.tools.pass("after rename");
  }
  const { dev, ino } = await lstat(path, { bigint: true });
  await hands.writeOwn("made.json", { inode: `${dev}:${ino}` });
  if (hands.place.setup === null) await rememberIgnored(hands);
}

/** An existing checkout, which somebody else made. */
export async function adoptWorkspace(
  hands: Hands,
  effect: Extract<WorkspaceEffect, { readonly type: "adopt_workspace" }>,
): Promise<void> {
  const { path } = hands.place;
  if (!(await looked(path))?.isDirectory()) throw new StepError("git_failed", `${path} is not there.`);
  const head = await hands.inside(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (head.stdout.toString("utf8").trim() !== effect.branch)
    throw new StepError("git_failed", `${path} is not a checkout of ${effect.branch}.`);
  await pinBase(hands, effect.base.commit);
  const { dev, ino } = await lstat(path, { bigint: true });
  await hands.writeOwn("made.json", { inode: `${dev}:${ino}` });
  await rememberIgnored(hands);
}

/** So that the original keeps it, whatever becomes of the branch. */
async function pinBase(hands: Hands, commit: string): Promise<void> {
  await hands.needOriginal(["update-ref", hands.ref("base"), commit]);
}

export function stagingOf(hands: Hands): string {
  return `${hands.place.path}.partial`;
}

/** It was moved to its place, and that is all that is known of it: nobody has worked in it yet. */
async function isOurs(path: string, id: string): Promise<boolean> {
  const text = await readFile(join(path, ".git", MARK), "utf8").catch(() => null);
  return text === id;
}

const MARK = "signalbox-workspace";

async function clone(hands: Hands, { branch, base }: Add, staging: string): Promise<void> {
  const { original, id } = hands.place;
  const gitDir = join(staging, ".git");
  const here = { gitDir, workTree: staging, env: { GIT_LFS_SKIP_SMUDGE: "1" } };
  const format = await hands.originalLine(["rev-parse", "--show-object-format"]);
  await hands.passing("init", () =>
    git(["init", "--quiet", "--template=", `--object-format=${format}`, staging], { cwd: staging }),
  );
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "objects", "info", "alternates"), `${join(original.commonDir, "objects")}\n`);
  for (const name of ["shallow", "info/exclude", "info/attributes"]) {
    const text = await readFile(join(original.commonDir, name)).catch(() => null);
    if (text !== null) await writeFile(join(gitDir, name), text);
  }
  await copySettings(hands, gitDir);
  await copyRefs(hands, gitDir, branch, base);
  await git(["symbolic-ref", "HEAD", `refs/heads/${branch}`], here);
  await hands.passing("checkout", () =>
    git(["reset", "--hard", "--quiet"], { ...here, timeoutMs: CHECKOUT_TIMEOUT_MS }),
  );
  await addSubmodules(hands, staging);
  await copyFiles(hands, staging);
  await writeFile(join(gitDir, MARK), id);
}

const CHECKOUT_TIMEOUT_MS = 30 * 60_000;

const COPIED_SETTINGS =
  /^(?:user\.(?:name|email)|remote\..+\.(?:url|pushurl|fetch|promisor|partialclonefilter)|branch\..+\.(?:remote|merge|rebase)|core\.(?:autocrlf|eol|safecrlf|ignorecase|filemode|symlinks|precomposeunicode)|extensions\.partialclone|filter\.lfs\..+|lfs\..+)$/i;

/** Of the original's own file; a password in an address is not for an agent. */
async function copySettings(hands: Hands, gitDir: string): Promise<void> {
  const { stdout } = await hands.original(["config", "--local", "--null", "--list"]);
  const here = { gitDir, workTree: null };
  for (const setting of splitNul(stdout)) {
    const text = setting.toString("utf8");
    const at = text.indexOf("\n");
    const name = at === -1 ? text : text.slice(0, at);
    if (!COPIED_SETTINGS.test(name)) continue;
    const value = at === -1 ? "true" : text.slice(at + 1);
    await git(["config", "--add", name, withoutPassword(value)], here);
  }
  await git(["config", "--replace-all", "core.bare", "false"], here);
  await copySparseness(hands, gitDir);
}

/** A checkout of its own may have settings of its own. */
async function copySparseness(hands: Hands, gitDir: string): Promise<void> {
  const { checkout } = hands.place.original;
  if (checkout === null) return;
  const isSparse = await hands.checkout(["config", "--bool", "core.sparseCheckout"], checkout);
  if (isSparse.stdout.toString("utf8").trim() !== "true") return;
  const isCone = await hands.checkout(["config", "--bool", "core.sparseCheckoutCone"], checkout);
  const file = await hands.checkoutLine(["rev-parse", "--git-path", "info/sparse-checkout"], checkout);
  const text = await readFile(resolve(checkout, file)).catch(() => null);
  if (text === null) return;
  await writeFile(join(gitDir, "info", "sparse-checkout"), text);
  const here = { gitDir, workTree: null };
  await git(["config", "--replace-all", "core.sparseCheckout", "true"], here);
  const cone = isCone.stdout.toString("utf8").trim() === "true" ? "true" : "false";
  await git(["config", "--replace-all", "core.sparseCheckoutCone", cone], here);
}

function withoutPassword(value: string): string {
  return value.replace(/^(https?:\/\/)[^/@\s]*@/i, "$1");
}

/** Its branches, remotes' branches and tags, by name; the objects are borrowed. */
async function copyRefs(
  hands: Hands,
  gitDir: string,
  branch: string,
  base: { readonly branch: string; readonly commit: string },
): Promise<void> {
  const list = await hands.needOriginal([
    "for-each-ref",
    `--count=${REFS_MAX}`,
    "--sort=-creatordate",
    "--format=%(objectname) %(refname) %(symref)",
    "refs/heads",
    "refs/remotes",
    "refs/tags",
  ]);
  const copied = list
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [object = "", name = "", symref = ""] = line.split(" ");
      return object === "" || symref !== "" || name === `refs/heads/${branch}`
        ? []
        : `update ${name} ${object}\n`;
    });
  const own = `update refs/heads/${branch} ${base.commit}\n`;
  await hands.passing("refs", () =>
    git(["update-ref", "--stdin"], { gitDir, workTree: null, input: [...copied, own].join("") }),
  );
}

/** Those that the original has, with its objects borrowed; the others stay empty, as in a fresh clone. */
async function addSubmodules(hands: Hands, staging: string): Promise<void> {
  if (!(await looked(join(staging, ".gitmodules")))) return;
  const { commonDir } = hands.place.original;
  const here = { cwd: staging };
  const listed = await runGit(
    ["config", "--file", ".gitmodules", "--null", "--get-regexp", "^submodule\\..*\\.path$"],
    here,
  );
  for (const entry of splitNul(listed.stdout).slice(0, SUBMODULES_MAX)) {
    const text = entry.toString("utf8");
    const name = text.slice("submodule.".length, text.indexOf("\n") - ".path".length);
    const path = text.slice(text.indexOf("\n") + 1);
    const reference = join(commonDir, "modules", name);
    if (name.includes("..") || path.startsWith("-") || !(await looked(reference))?.isDirectory()) continue;
    const url = await gitLine(["config", "--file", ".gitmodules", `submodule.${name}.url`], here);
    await git(["config", `submodule.${name}.url`, `file://${reference}`], here);
    const allowed = ["-c", "protocol.file.allow=always"];
    const update = ["submodule", "--quiet", "update", "--init", "--reference", reference, "--", path];
    await hands.passing("submodule", () =>
      git([...allowed, ...update], { ...here, timeoutMs: CHECKOUT_TIMEOUT_MS }),
    );
    await git(["config", `submodule.${name}.url`, withoutPassword(url)], here);
    await git(["remote", "set-url", "origin", withoutPassword(url)], { cwd: join(staging, path) });
  }
}

const SUBMODULES_MAX = 100;

/** Untracked files of the person's that the project names, as they are now. */
async function copyFiles(hands: Hands, staging: string): Promise<void> {
  const { original, copy } = hands.place;
  if (original.checkout === null || copy.length === 0) return;
  const from = original.checkout;
  const patterns = copy.flatMap((pattern) => ["--exclude", pattern]);
  const listed = await hands.checkout(["ls-files", "-z", "--others", "--ignored", ...patterns], from);
  if (listed.code !== 0) throw new StepError("git_failed", listed.stderr.trim());
  const names = splitNul(listed.stdout);
  if (names.length > COPIED_FILES_MAX)
    throw new StepError(
      "git_failed",
      `copy names ${names.length} files, and ${COPIED_FILES_MAX} is the bound.`,
    );
  let bytes = 0;
  for (const name of names) {
    const source = Buffer.concat([Buffer.from(`${from}/`), name]);
    const target = Buffer.concat([Buffer.from(`${staging}/`), name]);
    const found = await lstat(source).catch(() => null);
    if (found === null || (await looked(target)) || (!found.isFile() && !found.isSymbolicLink())) continue;
    bytes += found.size;
    if (bytes > COPIED_BYTES_MAX)
      throw new StepError("git_failed", `copy names more than 2 GiB; the last was ${nameOf(name)}.`);
    await mkdir(target.subarray(0, target.lastIndexOf("/")), { recursive: true });
    if (found.isSymbolicLink()) await symlink(await readlink(source, "buffer"), target);
    else await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}
