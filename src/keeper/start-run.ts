import { closeSync, openSync } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RunMeta } from "../protocol/keeper.js";
import { SpawnFailure, type SpawnSpec } from "./agent-process.js";
import { HOOKS_FILE, META_FILE, runFolder } from "./paths.js";
import { startPipeProcess } from "./pipe-process.js";
import { readStartMark } from "./process-table.js";
import { startPtyProcess } from "./pty-process.js";
import { Run, type RunOptions } from "./run.js";

export interface StartOptions {
  readonly dataDir: string;
  readonly spoolBytesMax: number;
  readonly holdMsMax?: number;
  readonly onChange: RunOptions["onChange"];
}

/**
 * Starts an agent. When this resolves, what is needed to end it is on disk, should the keeper die. Rejects with
 * `SpawnFailure`, and has left nothing behind then.
 */
export async function startRun(spec: SpawnSpec, options: StartOptions): Promise<Run> {
  const folder = runFolder(options.dataDir, spec.runId);
  let run: Run | null = null;
  try {
    await makeFolder(folder);
    if (spec.hooks) closeSync(openSync(join(folder, HOOKS_FILE), "a", 0o600));
    const { runId, effectId, hooks, walled: isWalled = false } = spec;
    const size = spec.pty ? { cols: spec.pty.cols, rows: spec.pty.rows } : null;
    run = new Run({ ...options, runId, effectId, hooks, size, isWalled, folder, startedAtMs: Date.now() });
    const agent = await (spec.pty === undefined
      ? startPipeProcess(spec, run)
      : startPtyProcess(spec, spec.pty, run));
    run.attach(agent);
    const { pid, startedAtMs } = run.report();
    await writeMeta(folder, {
      runId,
      pid,
      startMark: await readStartMark(pid),
      startedAtMs,
      ...(isWalled ? { walled: true } : {}),
    });
    return run;
  } catch (error) {
    run?.dismiss();
    if (!(error instanceof StartedBefore)) await clear(folder);
    throw asSpawnFailure(error);
  }
}

/** An earlier keeper started this run, and died: it is never started twice, and its spool is not ours to delete. */
class StartedBefore extends SpawnFailure {}

async function makeFolder(folder: string): Promise<void> {
  if (await exists(join(folder, META_FILE))) {
    throw new StartedBefore("This run was already started, by a keeper that is gone.");
  }
  // Without `meta.json` the start was never confirmed.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** What stays here is deleted by the next try: it has no `meta.json`. */
async function clear(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function writeMeta(folder: string, meta: RunMeta): Promise<void> {
  const path = join(folder, META_FILE);
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(meta)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

function asSpawnFailure(error: unknown): SpawnFailure {
  if (error instanceof SpawnFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SpawnFailure(
    `The run's files could not be written: ${message}`,
    isDiskFull(error) ? "disk_full" : "spawn_failed",
  );
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
