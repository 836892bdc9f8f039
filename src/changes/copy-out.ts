/**
 * What is kept of a workspace's files is kept in the original too, where no agent can write: as a bundle, which git in the
 * workspace prints into a file of ours, and which is fetched from there. The original reads nothing else of the workspace.
 */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../workspace/git.js";
import type { Store } from "./store.js";

/** The repository that a workspace was made from. */
export interface Origin {
  readonly commonDir: string;
  /** The commit that the workspace began at: the original has it, and what it holds. */
  readonly base: string;
}

const SAFE = ["-c", "fetch.fsckObjects=true", "-c", "fetch.recurseSubmodules=false"];
const QUIETLY = ["--quiet", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head"];

/** Everything that the original does not have yet. */
export async function copyOut(
  store: Store,
  origin: Origin,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const there = await refsOf(store.refs, origin, signal);
  const kept = (await store.all(signal)).filter(({ name }) => name !== "last");
  const missing = kept.filter(({ name }) => !there.has(`${store.refs}/${name}`));
  if (missing.length === 0) return;
  const path = join(folder, "checkpoints.bundle");
  const known = [origin.base, ...kept.filter((each) => !missing.includes(each)).map(({ commit }) => commit)];
  const names = missing.map(({ name }) => `${store.refs}/${name}`);
  const file = await open(path, "w", 0o600);
  try {
    const excluded = known.map((commit) => `^${commit}`);
    await store.repository(["bundle", "create", "--quiet", "-", ...names, ...excluded], {
      signal,
      output: file,
    });
  } finally {
    await file.close();
  }
  const refspec = `${store.refs}/*:${store.refs}/*`;
  await git([...SAFE, "fetch", ...QUIETLY, path, refspec], {
    gitDir: origin.commonDir,
    workTree: null,
    signal,
  });
  await rm(path, { force: true });
}

/** None of them is there any more. */
export async function removeCopies(refs: string, origin: Origin, signal: AbortSignal): Promise<void> {
  const there = await refsOf(refs, origin, signal);
  const input = [...there].map((ref) => `delete ${ref}\n`).join("");
  if (input !== "")
    await git(["update-ref", "--stdin"], { gitDir: origin.commonDir, workTree: null, input, signal });
}

async function refsOf(
  refs: string,
  { commonDir }: Origin,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const options = { gitDir: commonDir, workTree: null, signal };
  const output = await git(["for-each-ref", "--format=%(refname)", `${refs}/`], options);
  return new Set(
    output
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
}
