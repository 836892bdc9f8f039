/** How users of other programs lost their work, played again: nothing of it is lost here. */
import { join } from "node:path";
import { rm } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WorkspaceLab } from "./workspace-lab.js";

let lab: WorkspaceLab;
beforeEach(async () => {
  lab = await WorkspaceLab.open();
  await lab.commit({ "a.txt": "one\n", "b.txt": "one\n", ".gitignore": "*.local\n" }, "start");
});
afterEach(() => lab.close());

/** What of a person's is in no commit. */
async function uncommitted(): Promise<readonly string[]> {
  return [
    await lab.git("status", "--porcelain"),
    await lab.git("diff"),
    await lab.git("diff", "--cached"),
    await lab.git("stash", "list"),
    await lab.git("rev-parse", "HEAD"),
  ];
}

// vibe-kanban#543 and #279: a task was merged while its user had edits in the main checkout, and they were gone.
test.each(["merge", "squash"] as const)("a %s over local edits", async (how) => {
  const { id, path } = await lab.made();
  await lab.write(path, { "a.txt": "the agent's\n", "new.txt": "the agent's\n" });
  await lab.write(lab.repo, { "b.txt": "put away\n" });
  await lab.git("stash", "push", "--quiet");
  await lab.write(lab.repo, { "a.txt": "staged by the person\n" });
  await lab.git("add", "a.txt");
  await lab.write(lab.repo, { "a.txt": "and more since\n" });
  const before = await uncommitted();
  expect(await lab.finish(id, how)).toMatchObject({ result: "rejected", code: "base_dirty" });
  expect(await uncommitted()).toEqual(before);
  expect(await lab.read(lab.repo, "a.txt")).toBe("and more since\n");

  // Only a file that git does not know yet, and that the agent has made, too.
  await lab.git("checkout", "--quiet", "HEAD", "--", "a.txt");
  await lab.write(lab.repo, { "new.txt": "the person's own\n" });
  const untracked = await uncommitted();
  await lab.finish(id, how);
  expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "git_failed" } });
  expect(lab.state(id).error?.message).toContain("new.txt");
  expect(await uncommitted()).toEqual(untracked);
  expect(await lab.read(lab.repo, "new.txt")).toBe("the person's own\n");

  // When it is out of the way, the same finish comes through.
  await rm(join(lab.repo, "new.txt"));
  await lab.finish(id, how);
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
  expect(await lab.read(lab.repo, "new.txt")).toBe("the agent's\n");
  expect(await lab.git("stash", "show", "--patch")).toContain("+put away");
});

test("a workspace that is deleted with work that was never merged", async () => {
  const { id, path } = await lab.made();
  await lab.write(path, { "a.txt": "committed\n" });
  await lab.gitIn(path, "commit", "--quiet", "-am", "never merged");
  const commit = await lab.gitIn(path, "rev-parse", "HEAD");
  await lab.write(path, { "b.txt": "stashed\n" });
  await lab.gitIn(path, "stash", "push", "--quiet");
  await lab.write(path, { "b.txt": "uncommitted\n", "new.txt": "untracked\n", "x.local": "ignored\n" });
  expect(await lab.discard(id, false)).toMatchObject({ result: "rejected", code: "workspace_dirty" });
  // What a person has confirmed is what they saw, and nothing that came later.
  const { state } = await lab.desk.look(id);
  await lab.write(path, { "new.txt": "untracked\nand more\n" });
  await lab.take(id, { type: "discard", observation: state.observed?.id ?? "", confirm: true });
  expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "observation_stale" } });
  expect(await lab.read(path, "new.txt")).toBe("untracked\nand more\n");
  // Also when it is clean but for the commit.
  await lab.gitIn(path, "stash", "push", "--quiet", "--all");
  expect(await lab.discard(id, false)).toMatchObject({ result: "rejected", code: "workspace_dirty" });
  await lab.gitIn(path, "stash", "pop", "--quiet");

  expect(await lab.discard(id, true)).toMatchObject({ result: "ok" });
  expect(lab.state(id).status).toBe("gone");
  const trash = join(lab.dataDir, "trash", `${id}-${lab.state(id).op - 1}`, "repo");
  expect(await lab.gitIn(trash, "rev-parse", "HEAD")).toBe(commit);
  expect(await lab.gitIn(trash, "stash", "show", "--patch")).toContain("+stashed");
  expect(await lab.read(trash, "b.txt")).toBe("uncommitted\n");
  expect(await lab.read(trash, "new.txt")).toBe("untracked\nand more\n");
  expect(await lab.read(trash, "x.local")).toBe("ignored\n");
});
