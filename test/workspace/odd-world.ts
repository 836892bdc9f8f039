/**
 * A workspace where the world is odd, in a process of its own: `odd-world.test.ts` gives it a small disk, a repository that
 * cannot be written, or no git. Prints what came of it, as JSON.
 */
import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findRepository } from "../../src/workspace/find-repository.js";
import { WorkspaceLab } from "./workspace-lab.js";

const MEGABYTE = 1_024 * 1_024;

/** Fills the disk. */
async function fill(file: string): Promise<void> {
  await writeFile(file, Buffer.alloc(MEGABYTE * 64)).catch(() => undefined);
}

/** `TMPDIR` is a small disk. */
async function fullDisk(): Promise<object> {
  const lab = await WorkspaceLab.open();
  await lab.commit({ "a.txt": "one\n", "b.txt": "one\n" });
  const { id, path } = await lab.made();
  await lab.write(path, { "a.txt": "the agent's\n" });
  await lab.write(lab.repo, { "untracked.txt": "the person's\n" });
  const before = await lab.git("rev-parse", "main");
  await lab.desk.look(id);
  const filler = join(lab.root, "filler");
  await fill(filler);
  await lab.finish(id, "squash").catch(() => undefined);
  const full = lab.state(id);
  const isUntouched = (await lab.git("rev-parse", "main")) === before;
  const agents = await lab.read(path, "a.txt");
  const created = await lab.made();
  const failed = lab.state(created.id);
  await rm(filler);
  const fsck = await lab.git("fsck", "--no-dangling", "--no-progress");
  await lab.take(created.id, { type: "retry" });
  await lab.finish(id, "squash");
  return {
    full: { status: full.status, error: full.error?.code, isUntouched, agents },
    failed: { status: failed.status, error: failed.error?.code, message: failed.error?.message },
    fsck,
    retried: lab.state(created.id).status,
    after: lab.state(id).status,
    inBase: await lab.git("show", "main:a.txt"),
    persons: await lab.read(lab.repo, "untracked.txt"),
  };
}

/** The repository that is named cannot be written; what was noted in it cannot be taken back either, and that is told. */
async function readOnly(directory: string): Promise<object> {
  const lab = await WorkspaceLab.open();
  const { id, path } = await lab.made({ directory });
  const { status, error } = lab.state(id);
  const isMade = await access(path).then(
    () => true,
    () => false,
  );
  await lab.take(id, { type: "abort" });
  return { status, error, isMade, after: lab.state(id).status };
}

async function noGit(directory: string): Promise<object> {
  return findRepository(directory).then(
    () => ({}),
    (error: unknown) => ({
      code: (error as { readonly code?: unknown }).code,
      message: (error as Error).message,
    }),
  );
}

const [mode, directory = ""] = process.argv.slice(2);
const told = mode === "full" ? fullDisk() : mode === "read-only" ? readOnly(directory) : noGit(directory);
console.log(JSON.stringify(await told));
