/** Repositories as they are: with submodules, shallow, bare, with odd names, on a disk that is read only. */
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRepository, findStart, needNewBranch } from "../../src/workspace/find-repository.js";
import { setupOutput } from "../../src/workspace/setup.js";
import { WorkspaceLab } from "./workspace-lab.js";

let lab: WorkspaceLab;
beforeEach(async () => {
  lab = await WorkspaceLab.open();
});
afterEach(() => lab.close());

test("names with spaces, line breaks, Unicode, and bytes that are no UTF-8", async () => {
  const names = ["a b", "ä ö", "-dash", "line\nbreak", "quo\"te's", "日本"];
  await lab.commit(Object.fromEntries(names.map((name) => [name, "one\n"])));
  const raw = Buffer.concat([Buffer.from(`${lab.repo}/`), Buffer.from([0x66, 0xff, 0xfe])]);
  await writeFile(raw, "bytes\n");
  await lab.git("add", "--all");
  await lab.git("commit", "--quiet", "-m", "bytes");
  const { id, path } = await lab.made();
  expect(lab.state(id)).toMatchObject({ status: "ready", observed: { dirty: false } });
  await lab.write(path, Object.fromEntries(names.map((name) => [name, "two\n"])));
  await writeFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff, 0xfe])]), "changed\n");
  await lab.finish(id, "merge");
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
  for (const name of names) expect(await lab.read(lab.repo, name)).toBe("two\n");
  expect(await lab.git("status", "--porcelain")).toBe("");
});

test("a conflict in a file whose name is no UTF-8 is told, and can be resolved", async () => {
  const name = Buffer.from([0x66, 0xff]);
  const at = (folder: string) => Buffer.concat([Buffer.from(`${folder}/`), name]);
  await lab.commit({ "a.txt": "one\n" });
  await writeFile(at(lab.repo), "one\n");
  await lab.commit({});
  const { id, path } = await lab.made();
  await writeFile(at(path), "the agent's\n");
  await writeFile(at(lab.repo), "the person's\n");
  await lab.commit({});
  await lab.finish(id, "merge");
  expect(lab.state(id)).toMatchObject({ status: "conflicted", conflicts: ["f\\xff"] });
  await writeFile(at(path), "both\n");
  await lab.take(id, { type: "retry" });
  expect(lab.state(id).status).toBe("merged");
});

test("a submodule is there, with the original's objects, and one that only the workspace has is not finished", async () => {
  const library = join(lab.root, "library");
  await mkdir(library);
  await lab.gitIn(library, "init", "--quiet", "--initial-branch=main", ".");
  await lab.gitIn(library, "config", "user.email", "l@example.test");
  await lab.gitIn(library, "config", "user.name", "L");
  await lab.write(library, { "lib.txt": "one\n" });
  await lab.gitIn(library, "add", "--all");
  await lab.gitIn(library, "commit", "--quiet", "-m", "one");
  await lab.commit({ "a.txt": "one\n" });
  await lab.git("submodule", "--quiet", "add", library, "lib");
  await lab.commit({});
  await rm(library, { recursive: true });
  const { id, path } = await lab.made();
  expect(lab.state(id)).toMatchObject({ status: "ready", error: null, observed: { dirty: false } });
  expect(await lab.read(path, "lib/lib.txt")).toBe("one\n");
  await lab.write(path, { "lib/lib.txt": "two\n" });
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.test"];
  await lab.gitIn(join(path, "lib"), ...who, "commit", "--quiet", "-am", "two");
  await lab.finish(id, "merge");
  expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "git_failed" } });
  expect(lab.state(id).error?.message).toContain("submodule lib");
  await lab.gitIn(join(path, "lib"), "checkout", "--quiet", "HEAD~1");
  await lab.write(path, { "a.txt": "two\n" });
  await lab.finish(id, "merge");
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
});

test("a shallow clone", async () => {
  await lab.commit({ "a.txt": "one\n" });
  await lab.commit({ "a.txt": "two\n" });
  const shallow = join(lab.root, "shallow");
  await lab.gitIn(lab.root, "clone", "--quiet", "--depth=1", `file://${lab.repo}`, shallow);
  const { id, path } = await lab.made({ directory: shallow });
  expect(lab.state(id)).toMatchObject({ status: "ready", error: null });
  await lab.write(path, { "a.txt": "three\n" });
  await lab.finish(id, "merge");
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
  expect(await lab.read(shallow, "a.txt")).toBe("three\n");
});

test("a bare repository", async () => {
  await lab.commit({ "a.txt": "one\n" });
  const bare = join(lab.root, "bare.git");
  await lab.gitIn(lab.root, "clone", "--quiet", "--bare", lab.repo, bare);
  const { id, path } = await lab.made({ directory: bare });
  expect(lab.state(id)).toMatchObject({ status: "ready", error: null });
  await lab.write(path, { "a.txt": "two\n" });
  await lab.finish(id, "squash");
  expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
  expect(await lab.gitIn(bare, "show", "main:a.txt")).toBe("two");
});

test("a worktree of the original that has the base checked out is moved with it", async () => {
  await lab.commit({ "a.txt": "one\n" });
  await lab.git("switch", "--quiet", "-c", "elsewhere");
  const worktree = join(lab.root, "worktree");
  await lab.git("worktree", "add", "--quiet", worktree, "main");
  const { id, path } = await lab.made({ directory: worktree });
  expect(lab.state(id).base?.branch).toBe("main");
  await lab.write(path, { "a.txt": "two\n" });
  await lab.finish(id, "merge");
  expect(lab.state(id).status).toBe("merged");
  expect(await lab.read(worktree, "a.txt")).toBe("two\n");
  expect(await lab.gitIn(worktree, "status", "--porcelain")).toBe("");
});

test("a sparse checkout stays one, and pointers of large files stay pointers", async () => {
  const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
  await lab.commit({ "in/a.txt": "one\n", "out/b.txt": "one\n", "in/large.bin": pointer });
  await lab.git("sparse-checkout", "set", "in");
  const { id, path } = await lab.made();
  expect(lab.state(id)).toMatchObject({ status: "ready", observed: { dirty: false } });
  await expect(access(join(path, "out/b.txt"))).rejects.toThrow("ENOENT");
  expect(await lab.read(path, "in/large.bin")).toBe(pointer);
  await lab.write(path, { "in/a.txt": "two\n" });
  await lab.finish(id, "merge");
  expect(lab.state(id).status).toBe("merged");
  expect(await lab.git("show", "main:out/b.txt")).toBe("one");
});

test("an address with a password is not handed to an agent", async () => {
  await lab.commit({ "a.txt": "one\n" });
  await lab.git("remote", "add", "origin", "https://me:secret@example.test/x.git");
  const { path } = await lab.made();
  expect(await lab.gitIn(path, "remote", "get-url", "origin")).toBe("https://example.test/x.git");
});

test("files that copy names come along, and are no work until they are changed", async () => {
  await lab.close();
  lab = await WorkspaceLab.open({ copy: [".env*", "local/"] });
  await lab.commit({ ".gitignore": ".env*\nlocal/\nnot/\n", "a.txt": "one\n" });
  await lab.write(lab.repo, { ".env": "A=1\n", "local/x y": "1\n", "not/z": "1\n" });
  const { id, path } = await lab.made();
  expect(await lab.read(path, ".env")).toBe("A=1\n");
  expect(await lab.read(path, "local/x y")).toBe("1\n");
  await expect(access(join(path, "not/z"))).rejects.toThrow("ENOENT");
  expect(lab.state(id).observed).toMatchObject({ dirty: false, loose: false });
  await lab.write(path, { ".env": "A=2\n" });
  expect((await lab.desk.look(id)).state.observed).toMatchObject({ dirty: false, loose: true });
});

test("a setup that fails is told with its output; it is tried again, or left", async () => {
  await lab.close();
  lab = await WorkspaceLab.open({ setup: "echo begun; mkdir -p made; touch made/it; test -e please" });
  await lab.commit({ ".gitignore": "made/\nplease\n", "a.txt": "one\n" });
  const { id, path } = await lab.made();
  expect(lab.state(id)).toMatchObject({ status: "failed", setup: "failed", error: { code: "setup_failed" } });
  expect(await setupOutput(join(lab.dataDir, "own", id), 1_000)).toBe("begun\n");
  await lab.write(path, { please: "" });
  await lab.take(id, { type: "retry" });
  expect(lab.state(id)).toMatchObject({ status: "ready", setup: "done" });
  // What it made is nobody's work.
  expect(lab.state(id).observed).toMatchObject({ dirty: false, loose: false });
  const other = await lab.made();
  await lab.take(other.id, { type: "abort" });
  expect(lab.state(other.id)).toMatchObject({ status: "ready", setup: "skipped" });
});

test("a setup that takes too long for a person is ended", async () => {
  await lab.close();
  lab = await WorkspaceLab.open({ setup: "sleep 600" });
  await lab.commit({ "a.txt": "one\n" });
  const { id } = await lab.begin();
  await expect.poll(() => lab.state(id).setup).toBe("running");
  await lab.take(id, { type: "abort" });
  expect(lab.state(id)).toMatchObject({ status: "ready", setup: "skipped" });
});

test("what cannot be a workspace is said in clear words", async () => {
  const original = await findRepository(lab.repo);
  const start = (from: string | null = null) => findStart(original, { base: null, from });
  await expect(findRepository(lab.root)).rejects.toMatchObject({ code: "not_a_repository" });
  await expect(findRepository(join(lab.root, "nothing"))).rejects.toMatchObject({
    code: "directory_missing",
  });
  await expect(start()).rejects.toMatchObject({ code: "no_commit" });
  const commit = await lab.commit({ "a.txt": "one\n" });
  await expect(start("nothing")).rejects.toMatchObject({ code: "ref_unknown" });
  await lab.git("branch", "taken/name");
  for (const [branch, code] of [
    ["taken/name", "branch_exists"],
    ["taken", "branch_exists"],
    ["taken/name/below", "branch_exists"],
    ["no..name", "branch_invalid"],
    ["-x", "branch_invalid"],
  ] as const)
    await expect(needNewBranch(original, branch)).rejects.toMatchObject({ code });
  await needNewBranch(original, "free");
  await lab.git("checkout", "--quiet", "--detach");
  await expect(start()).rejects.toMatchObject({ code: "detached_head" });
  expect(await start("main")).toEqual({ branch: "main", commit });
});

test("a fast-forward that was cut off in the middle is taken back, or told", async () => {
  await lab.commit({ "a.txt": "one\n", "b.txt": "one\n", "gone.txt": "one\n" });
  const { id, path } = await lab.made();
  await lab.write(path, { "a.txt": "two\n", "b.txt": "two\n", "new.txt": "two\n" });
  await rm(join(path, "gone.txt"));
  const own = join(lab.dataDir, "own", id);
  lab.pass = (point) => {
    if (point === "after own advancing.json") throw new Error("stop here");
  };
  await lab.finish(id, "squash");
  const to = (lab.store.load()[0]?.state.finish ?? lab.state(id).finish)?.head;
  const from = await lab.git("rev-parse", "main");
  const head = await lab.git("rev-parse", `refs/signalbox/workspaces/${id}/head`);
  expect(to === null || to === undefined || to === head).toBe(true);
  lab.pass = () => undefined;
  const begun = { checkout: lab.repo, branch: "main", from, to: head };
  // Git was ended when it had written some files, and its lock is still there.
  await writeFile(join(own, "advancing.json"), JSON.stringify(begun));
  await writeFile(
    join(own, "advancing-git.json"),
    JSON.stringify({ pid: 2 ** 22 + 1, atMs: Date.now() - 60_000 }),
  );
  await lab.write(lab.repo, { "a.txt": "two\n", "new.txt": "two\n" });
  await rm(join(lab.repo, "gone.txt"));
  await writeFile(join(lab.repo, ".git", "index.lock"), "");
  const advance = { type: "advance", op: 99, branch: "main", from, to: head } as const;
  const { perform } = await import("../../src/workspace/driver.js");
  const record = lab.desk.get(id);
  if (!record) throw new Error("no record");
  const again = () => perform(advance, record.state, record.place, lab.tools(), new AbortController().signal);
  expect(await again()).toEqual({ type: "step_done", op: 99 });
  expect(await lab.git("status", "--porcelain")).toBe("");
  expect(await lab.git("rev-parse", "main")).toBe(head);

  // Where the person has written meanwhile, nothing is touched.
  await lab.git("reset", "--quiet", "--hard", from);
  await writeFile(join(own, "advancing.json"), JSON.stringify(begun));
  await lab.write(lab.repo, { "a.txt": "two\n", "b.txt": "the person's\n" });
  expect(await again()).toMatchObject({ type: "step_failed", code: "base_dirty" });
  expect(await lab.read(lab.repo, "b.txt")).toBe("the person's\n");
  expect(await lab.git("rev-parse", "main")).toBe(from);

  // A lock that we did not make stays.
  await lab.git("checkout", "--quiet", "--", ".");
  await writeFile(join(own, "advancing.json"), JSON.stringify(begun));
  await rm(join(own, "advancing-git.json"), { force: true });
  await writeFile(join(lab.repo, ".git", "index.lock"), "");
  expect(await again()).toMatchObject({ type: "step_failed", code: "base_dirty" });
  await access(join(lab.repo, ".git", "index.lock"));
});
