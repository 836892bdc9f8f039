/** How a workspace goes: to the trash, whole; nothing that anybody wrote is deleted here. */
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { WorkspaceEffect } from "../core/workspace/effects.js";
import { stagingOf } from "./add.js";
import { observe } from "./observe.js";
import { git } from "./git.js";
import { isThere, type Hands, type WorkspacePlace } from "./place.js";
import { StepError } from "./step-error.js";

type EffectOf<T extends WorkspaceEffect["type"]> = Extract<WorkspaceEffect, { readonly type: T }>;

/** Only while it is as it was observed. */
export async function removeWorkspace(
  hands: Hands,
  { observation, op }: EffectOf<"remove_workspace">,
  base: { readonly branch: string; readonly commit: string },
): Promise<void> {
  // Moved already, or taken away: then nothing of ours is there.
  if (!(await isThere(hands))) return;
  const now = await observe(hands, base);
  if (now?.id !== observation)
    throw new StepError("observation_stale", "It has changed since it was looked at: look again.");
  await toTrash(hands, op);
}

async function toTrash(hands: Hands, op: number): Promise<void> {
  const { trashDir, path, id } = hands.place;
  const folder = join(trashDir, `${id}-${op}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  hands.tools.pass("before trash");
  await rename(path, join(folder, basename(path)));
  hands.tools.pass("after trash");
}

/** Deletes what was never complete. A complete one that nobody heard of goes to the trash; of somebody else's, nothing. */
export async function removePartial(
  hands: Hands,
  { op }: EffectOf<"remove_partial">,
  isMade: boolean,
): Promise<void> {
  await rm(stagingOf(hands), { recursive: true, force: true });
  if (isMade && (await isThere(hands))) await toTrash(hands, op);
  await release(hands);
}

/** Lets go of the base. */
export async function release(hands: Hands): Promise<void> {
  for (const name of ["base", "head", "published"] as const)
    await hands.needOriginal(["update-ref", "-d", hands.ref(name)]);
}

/** The same, when nobody works on it any more. */
export async function releaseRefs({ id, original }: WorkspacePlace): Promise<void> {
  for (const name of ["base", "head", "published"])
    await git(["update-ref", "-d", `refs/signalbox/workspaces/${id}/${name}`], {
      gitDir: original.commonDir,
      workTree: null,
    });
}
