/** What is done to the files of a workspace: committed, brought together with the base, and put back. */
import { lstat, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceEffect } from "../core/workspace/effects.js";
import { failureOf, nameOf, splitNul } from "./git.js";
import { underWay } from "./observe.js";
import type { Hands } from "./place.js";
import { StepError } from "./step-error.js";

type EffectOf<T extends WorkspaceEffect["type"]> = Extract<WorkspaceEffect, { readonly type: T }>;
export type Integrated = { readonly head: string } | { readonly conflicts: readonly string[] };

/** Gives the branch's head afterwards. */
export async function commitAll(hands: Hands, branch: string, message: string): Promise<string> {
  const state = await underWay(hands.gitDir);
  if (state === "rebase" || state === "other")
    throw new StepError(
      "git_failed",
      "A rebase or a cherry-pick is under way in the workspace: end it first.",
    );
  await needOnBranch(hands, branch);
  const unmerged = await unmergedFiles(hands);
  if (unmerged.length > 0)
    throw new StepError(
      "git_failed",
      `Files are in conflict in the workspace: ${unmerged.map(nameOf).join(", ")}.`,
    );
  await hands.need(["add", "--all"]);
  const same = await hands.inside(["diff", "--cached", "--quiet", "--no-ext-diff", "HEAD"]);
  if (same.code === 1 || state === "merge") {
    const words = message.trim() === "" ? `Changes of ${branch}` : message;
    const args = ["commit", "--quiet", "--no-verify", "--cleanup=strip", "--allow-empty", "--file=-"];
    await hands.need(args, { input: words, env: await identity(hands) });
  } else if (same.code !== 0) throw failureOf(["diff"], same);
  return hands.line(["rev-parse", "--verify", "HEAD^{commit}"]);
}

/** An agent may have switched away: then its branch follows, unless it would lose something. */
async function needOnBranch(hands: Hands, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const on = (await hands.inside(["symbolic-ref", "--quiet", "HEAD"])).stdout.toString("utf8").trim();
  if (on === ref) return;
  const own = await hands.inside(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  const isBehind = own.code !== 0 || (await isAncestor(hands, ref, "HEAD"));
  if (!isBehind)
    throw new StepError(
      "git_failed",
      `The workspace is on ${on === "" ? "no branch" : on.replace("refs/heads/", "")}, and ${branch} has commits that are not in it: switch back, or merge them.`,
    );
  const head = await hands.line(["rev-parse", "--verify", "HEAD^{commit}"]);
  await hands.need(["update-ref", ref, head]);
  await hands.need(["symbolic-ref", "HEAD", ref]);
}

export async function isAncestor(hands: Hands, one: string, other: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", one, other];
  const { code, ...rest } = await hands.inside(args);
  if (code > 1) throw failureOf(args, { code, ...rest });
  return code === 0;
}

/** Who commits: the person, as git knows them; else Signalbox. */
async function identity(hands: Hands): Promise<Record<string, string>> {
  const [name = "", email = ""] = [
    await hands.inside(["config", "user.name"]),
    await hands.inside(["config", "user.email"]),
  ].map(({ stdout }) => stdout.toString("utf8").trim());
  if (name !== "" && email !== "") return {};
  const own = {
    name: name === "" ? "Signalbox" : name,
    email: email === "" ? "signalbox@localhost.invalid" : email,
  };
  return {
    GIT_AUTHOR_NAME: own.name,
    GIT_AUTHOR_EMAIL: own.email,
    GIT_COMMITTER_NAME: own.name,
    GIT_COMMITTER_EMAIL: own.email,
  };
}

/** Brings `onto` and the branch together, there. A merge or a rebase that waits for a resolution goes on. */
export async function integrate(
  hands: Hands,
  branch: string,
  effect: EffectOf<"integrate">,
): Promise<Integrated> {
  const state = await underWay(hands.gitDir);
  if (state === "other")
    throw new StepError(
      "git_failed",
      "A cherry-pick or a revert is under way in the workspace: end it first.",
    );
  if (effect.how === "rebase") return rebase(hands, branch, effect.onto, state);
  if (state === "rebase")
    throw new StepError("git_failed", "A rebase is under way in the workspace: end it first.");
  if (state === null) await needOnBranch(hands, branch);
  const before = await hands.line(["rev-parse", "--verify", "HEAD^{commit}"]);
  const isIn = await isAncestor(hands, effect.onto, before);
  if (isIn && state === "merge") await hands.need(["merge", "--quit"]);
  if (isIn && effect.how !== "squash") return { head: before };
  if (!isIn) {
    const conflicts = await mergeFiles(hands, effect.onto, before, state);
    if (conflicts.length > 0) return { conflicts: conflicts.map(nameOf) };
  }
  return commitMerged(hands, branch, effect, before, isIn);
}

/** In the files and the index. Gives those in conflict. */
async function mergeFiles(
  hands: Hands,
  onto: string,
  before: string,
  state: "merge" | null,
): Promise<readonly Buffer[]> {
  if (state === "merge") {
    const of = (await readFile(join(hands.gitDir, "MERGE_HEAD"), "utf8")).trim();
    if (of !== onto)
      throw new StepError(
        "git_failed",
        `A merge of ${of.slice(0, 12)} is under way in the workspace: end it first.`,
      );
    return resolve(hands);
  }
  await needRoom(hands, before, onto);
  const args = [
    "merge",
    "--quiet",
    "--no-ff",
    "--no-commit",
    "--no-verify",
    "--no-autostash",
    "--no-stat",
    onto,
  ];
  const merged = await hands.inside(args, { env: await identity(hands) });
  const unmerged = await unmergedFiles(hands);
  if (merged.code !== 0 && unmerged.length === 0) throw failureOf(args, merged);
  return unmerged;
}

/** Git takes ignored files for nobody's, and writes over them. */
async function needRoom(hands: Hands, before: string, onto: string): Promise<void> {
  const bases = await hands.inside(["merge-base", before, onto]);
  const from = bases.code === 0 ? bases.stdout.toString("utf8").trim().split("\n")[0] : undefined;
  if (from === undefined) return;
  const added = await hands.need([
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    "--diff-filter=A",
    from,
    onto,
  ]);
  const tracked = new Set(
    splitNul(await hands.need(["ls-files", "-z"])).map((name) => name.toString("base64")),
  );
  for (const name of splitNul(added)) {
    if (tracked.has(name.toString("base64"))) continue;
    const path = Buffer.concat([Buffer.from(`${hands.place.path}/`), name]);
    if (await lstat(path).catch(() => null))
      throw new StepError(
        "git_failed",
        `${nameOf(name)} is in the workspace, untracked or ignored, and the base has added one: move it away first.`,
      );
  }
}

async function unmergedFiles(hands: Hands): Promise<readonly Buffer[]> {
  const listed = splitNul(await hands.need(["ls-files", "-z", "--unmerged"]));
  const names = new Map(
    listed.map((entry) => {
      const name = entry.subarray(entry.indexOf(9) + 1);
      return [name.toString("base64"), name] as const;
    }),
  );
  return [...names.values()];
}

/** A file without marks of a conflict counts as resolved. Gives the others. */
async function resolve(hands: Hands): Promise<readonly Buffer[]> {
  const unmerged = await unmergedFiles(hands);
  const open: Buffer[] = [];
  for (const name of unmerged) if (await hasMarks(hands, name)) open.push(name);
  if (open.length > 0) return open;
  await hands.need(["add", "--all"]);
  return [];
}

const MARKS = /^(?:<{7}|>{7})(?: |$)/m;
const READ_BYTES_MAX = 16 * 1024 * 1024;

async function hasMarks(hands: Hands, name: Buffer): Promise<boolean> {
  const path = Buffer.concat([Buffer.from(`${hands.place.path}/`), name]);
  const found = await lstat(path).catch(() => null);
  // Deleted: that is a resolution, too.
  if (found?.isFile() !== true) return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(found.size, READ_BYTES_MAX)));
    return MARKS.test(buffer.toString("latin1", 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** One commit of what is in the index, or of the branch as it is; then the branch is moved to it. */
async function commitMerged(
  hands: Hands,
  branch: string,
  { how, onto, message }: EffectOf<"integrate">,
  before: string,
  isIn: boolean,
): Promise<Integrated> {
  const env = await identity(hands);
  if (how === "squash") {
    const [, ...parents] = (await hands.line(["rev-list", "--parents", "--max-count=1", before])).split(" ");
    if (isIn && parents.length === 1 && parents[0] === onto) return { head: before };
  }
  const tree = isIn ? await hands.line(["rev-parse", `${before}^{tree}`]) : await hands.line(["write-tree"]);
  const parents = how === "squash" ? [onto] : how === "update" ? [before, onto] : [onto, before];
  const words = wordsOf(how, branch, message);
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  const head = await hands.line(args, { input: words, env });
  await hands.need(["update-ref", "-m", `signalbox: ${how}`, "HEAD", head, before]);
  if ((await underWay(hands.gitDir)) === "merge") await hands.need(["merge", "--quit"]);
  return { head };
}

function wordsOf(how: string, branch: string, message: string): string {
  const given = message.trim();
  if (how === "update") return `Bring the base into ${branch}\n`;
  if (how === "squash") return `${given === "" ? `Changes of ${branch}` : given}\n`;
  return `Merge ${branch}\n${given === "" ? "" : `\n${given}\n`}`;
}

async function rebase(
  hands: Hands,
  branch: string,
  onto: string,
  state: "merge" | "rebase" | null,
): Promise<Integrated> {
  if (state === "merge")
    throw new StepError("git_failed", "A merge is under way in the workspace: end it first.");
  const env = await identity(hands);
  let args: readonly string[];
  if (state === "rebase") {
    const open = await resolve(hands);
    if (open.length > 0) return { conflicts: open.map(nameOf) };
    args = ["rebase", "--continue"];
  } else {
    await needOnBranch(hands, branch);
    const before = await hands.line(["rev-parse", "--verify", "HEAD^{commit}"]);
    if (await isAncestor(hands, onto, before)) return { head: before };
    await needRoom(hands, before, onto);
    args = ["rebase", "--quiet", "--no-autostash", "--no-verify", onto];
  }
  const done = await hands.inside(args, { env });
  const unmerged = await unmergedFiles(hands);
  if (unmerged.length > 0) return { conflicts: unmerged.map(nameOf) };
  if (done.code !== 0) throw failureOf(args, done);
  await needOnBranch(hands, branch);
  return { head: await hands.line(["rev-parse", "--verify", "HEAD^{commit}"]) };
}

/** The branch and its files as they were at `to`; what is there is kept under a ref of ours first. */
export async function undo(hands: Hands, branch: string, { to, op }: EffectOf<"undo">): Promise<string> {
  const ref = `refs/signalbox/undone/${op}`;
  const kept = await hands.inside(["rev-parse", "--verify", "--quiet", ref]);
  if (kept.code !== 0) await keep(hands, ref);
  const state = await underWay(hands.gitDir);
  if (state === "merge") await hands.need(["merge", "--quit"]);
  if (state === "rebase") await hands.need(["rebase", "--quit"]);
  await hands.need(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
  await hands.need(["reset", "--hard", "--quiet", to]);
  return to;
}

/** All files that are not ignored, as a commit, with an index of its own. */
async function keep(hands: Hands, ref: string): Promise<void> {
  // Inside of the wall only the workspace can be written.
  const indexFile = join(hands.gitDir, "signalbox-index");
  await hands.need(["read-tree", "HEAD"], { indexFile });
  await hands.need(["add", "--all"], { indexFile });
  const tree = await hands.line(["write-tree"], { indexFile });
  const env = await identity(hands);
  const commit = await hands.line(["commit-tree", tree, "-p", "HEAD", "-F", "-"], {
    input: "What was there before the base was taken out again\n",
    env,
  });
  await hands.need(["update-ref", ref, commit]);
}
