/** What is done with is taken away: finished workspaces go to the trash, and what is old there goes for good. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { holdsWork } from "../../core/workspace/state.js";
import type { Cleaned } from "../../protocol/workspace.js";
import { releaseRefs } from "../../workspace/remove.js";
import type { WorkspaceRecord } from "../../workspace/workspace-desk.js";
import { sizeOf } from "./disk-use.js";
import type { Workspaces } from "./workspaces.js";

const TRASH_LIFE_MS = 14 * 24 * 3_600_000;

export async function cleanUp(
  workspaces: Workspaces,
  { all, dryRun }: { readonly all: boolean; readonly dryRun: boolean },
): Promise<Cleaned> {
  const discarded: string[] = [];
  for (const { id } of workspaces.desk.all()) {
    const record = await workspaces.desk.look(id);
    if (!isDone(record, workspaces)) continue;
    discarded.push(record.place.path);
    if (dryRun) continue;
    workspaces.take(id, { type: "discard", observation: record.state.observed?.id ?? "", confirm: false });
    await workspaces.desk.settled(id);
  }
  return { discarded, ...(await emptyTrash(workspaces, all, dryRun)) };
}

/** All that was made in it is part of the original, and nobody is in it. Of a pull request more may be wanted. */
function isDone({ id, state }: WorkspaceRecord, workspaces: Workspaces): boolean {
  const { observed, status, finished } = state;
  const isInUse = workspaces.sessionsOf(id).some((session) => session.state.alive);
  if (finished?.how === "pr") return false;
  return status === "merged" && observed !== null && !holdsWork(state, observed) && !isInUse;
}

async function emptyTrash(
  workspaces: Workspaces,
  all: boolean,
  dryRun: boolean,
): Promise<Pick<Cleaned, "deleted" | "kept">> {
  const trash = join(workspaces.options.dataDir, "trash");
  const deleted: Cleaned["deleted"] = [];
  const kept: Cleaned["kept"] = [];
  for (const name of await readdir(trash).catch(() => [])) {
    const path = join(trash, name);
    // A directory is touched when something is moved into it.
    const { mtimeMs } = await stat(path);
    const sizeBytes = await sizeOf(path);
    if (!all && Date.now() - mtimeMs < TRASH_LIFE_MS) {
      kept.push({ path, sizeBytes, trashedAtMs: mtimeMs });
      continue;
    }
    deleted.push({ path, sizeBytes });
    if (dryRun) continue;
    await rm(path, { recursive: true, force: true });
    await forget(workspaces, name.replace(/-\d+$/, ""));
  }
  return { deleted, kept };
}

/** Nothing needs the commits that were pinned for it any more. */
async function forget(workspaces: Workspaces, id: string): Promise<void> {
  const record = workspaces.desk.get(id);
  if (record?.state.status !== "gone") return;
  await releaseRefs(record.place).catch((error: unknown) =>
    workspaces.options.onProblem(`the refs of the workspace ${id}`, error),
  );
  workspaces.desk.forget(id);
}
