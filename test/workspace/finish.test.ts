import { access, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findBackend } from "../../src/wall/probe.js";
import { WorkspaceLab } from "./workspace-lab.js";

const found = await findBackend(process.env);
const backend = found.ok ? found.backend : null;
/** Git runs behind a wall where there is one, as it does in a daemon. */
const WALLS = backend === null ? [null] : [null, backend];

describe.each(WALLS.map((wall) => [wall === null ? "without a wall" : "behind a wall", wall] as const))(
  "%s",
  (_, wall) => {
    let lab: WorkspaceLab;
    beforeEach(async () => {
      lab = await WorkspaceLab.open({ backend: wall });
      await lab.commit({ "a.txt": "one\n", "b.txt": "one\n" }, "start");
    });
    afterEach(() => lab.close());

    test("a workspace is a checkout of its own, on a branch that the original does not have", async () => {
      const { id, path, branch } = await lab.made();
      expect(lab.state(id)).toMatchObject({ status: "ready", error: null });
      expect(lab.state(id).observed).toMatchObject({ dirty: false, loose: false, ahead: 0, behind: 0 });
      expect(await lab.read(path, "a.txt")).toBe("one\n");
      expect(await lab.gitIn(path, "symbolic-ref", "--short", "HEAD")).toBe(branch);
      expect(await lab.gitIn(path, "config", "user.name")).toBe("A Person");
      expect(await lab.git("branch", "--list", branch)).toBe("");
      // It can do with its own what it likes.
      await lab.gitIn(path, "gc", "--quiet");
      await lab.gitIn(path, "pack-refs", "--all");
      expect(await lab.git("fsck", "--no-dangling")).toBe("");
    });

    test.each(["merge", "squash", "rebase"] as const)(
      "%s: the base has it, and its checkout too",
      async (how) => {
        const { id, path } = await lab.made();
        await lab.write(path, { "a.txt": "two\n", "new file ä.txt": "new\n" });
        await lab.commit({ "c.txt": "the person's\n" });
        expect(await lab.finish(id, how)).toMatchObject({ result: "ok" });
        expect(lab.state(id)).toMatchObject({ status: "merged", error: null, finished: { how } });
        expect(await lab.git("status", "--porcelain")).toBe("");
        expect(await lab.read(lab.repo, "a.txt")).toBe("two\n");
        expect(await lab.read(lab.repo, "new file ä.txt")).toBe("new\n");
        expect(await lab.read(lab.repo, "c.txt")).toBe("the person's\n");
        const parents = (await lab.git("log", "-1", "--format=%P")).split(" ");
        expect(parents.length).toBe(how === "merge" ? 2 : 1);
        expect(await lab.discard(id, false)).toMatchObject({ result: "ok" });
        expect(lab.state(id).status).toBe("gone");
      },
    );

    test("branch: it appears in the original, and nothing else moves", async () => {
      const { id, path, branch } = await lab.made();
      const before = await lab.git("rev-parse", "main");
      await lab.write(path, { "a.txt": "two\n" });
      await lab.finish(id, "branch");
      expect(lab.state(id)).toMatchObject({ status: "merged", finished: { how: "branch" } });
      expect(await lab.git("rev-parse", "main")).toBe(before);
      expect(await lab.git("show", `${branch}:a.txt`)).toBe("two");
      // More work is published over it.
      await lab.write(path, { "a.txt": "three\n" });
      await lab.finish(id, "branch");
      expect(await lab.git("show", `${branch}:a.txt`)).toBe("three");
    });

    test("a base that is checked out nowhere is moved by its ref", async () => {
      const { id, path } = await lab.made();
      await lab.git("switch", "--quiet", "-c", "elsewhere");
      await lab.write(lab.repo, { "a.txt": "the person is at something\n" });
      await lab.write(path, { "b.txt": "two\n" });
      await lab.finish(id, "squash");
      expect(lab.state(id).status).toBe("merged");
      expect(await lab.git("show", "main:b.txt")).toBe("two");
      expect(await lab.read(lab.repo, "a.txt")).toBe("the person is at something\n");
      expect(await lab.read(lab.repo, "b.txt")).toBe("one\n");
    });

    test("a dirty checkout of the base is left alone", async () => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "two\n" });
      await lab.write(lab.repo, { "b.txt": "half done\n" });
      expect(await lab.finish(id, "merge")).toMatchObject({ result: "rejected", code: "base_dirty" });
      expect(await lab.read(lab.repo, "b.txt")).toBe("half done\n");
      expect(await lab.read(path, "a.txt")).toBe("two\n");
    });

    test("one that gets dirty after it was looked at is left alone, too", async () => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "two\n" });
      const base = await lab.git("rev-parse", "main");
      lab.pass = (point) => {
        if (point === "after original update-ref") void lab.write(lab.repo, { "a.txt": "half done\n" });
      };
      await lab.finish(id, "merge");
      expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "base_dirty" } });
      expect(await lab.git("rev-parse", "main")).toBe(base);
      expect(await lab.read(lab.repo, "a.txt")).toBe("half done\n");
    });

    test("a base that moves after it was looked at is not written over", async () => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "two\n" });
      const person: Promise<unknown>[] = [];
      lab.pass = (point) => {
        if (point === "after workspace bundle" && person.length === 0)
          person.push(lab.commit({ "c.txt": "meanwhile\n" }));
      };
      await lab.finish(id, "merge");
      await Promise.all(person);
      expect(["base_moved", "base_dirty"]).toContain(lab.state(id).error?.code);
      lab.pass = () => undefined;
      await lab.finish(id, "merge");
      expect(lab.state(id).status).toBe("merged");
      expect(await lab.read(lab.repo, "c.txt")).toBe("meanwhile\n");
      expect(await lab.read(lab.repo, "a.txt")).toBe("two\n");
    });

    test.each(["merge", "squash", "rebase"] as const)(
      "%s: conflicts are in the workspace, are resolved there, and the finish goes on",
      async (how) => {
        const { id, path } = await lab.made();
        await lab.write(path, { "a.txt": "the agent's\n" });
        await lab.commit({ "a.txt": "the person's\n" });
        await lab.finish(id, how);
        expect(lab.state(id)).toMatchObject({ status: "conflicted", conflicts: ["a.txt"] });
        expect(await lab.git("status", "--porcelain")).toBe("");
        // With marks in it, it is not resolved.
        await lab.take(id, { type: "retry" });
        expect(lab.state(id)).toMatchObject({ status: "conflicted", conflicts: ["a.txt"] });
        await lab.write(path, { "a.txt": "both\n" });
        await lab.take(id, { type: "retry" });
        expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
        expect(await lab.read(lab.repo, "a.txt")).toBe("both\n");
      },
    );

    test.each(["merge", "rebase"] as const)("%s: a conflict is taken back", async (how) => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "the agent's\n" });
      await lab.commit({ "a.txt": "the person's\n" });
      await lab.finish(id, how);
      await lab.take(id, { type: "abort" });
      expect(lab.state(id)).toMatchObject({ status: "ready", error: null });
      expect(await lab.read(path, "a.txt")).toBe("the agent's\n");
      expect(await lab.read(lab.repo, "a.txt")).toBe("the person's\n");
    });

    test("update brings the base in", async () => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "two\n" });
      await lab.gitIn(path, "commit", "--quiet", "-am", "mine");
      await lab.commit({ "c.txt": "new in the base\n" });
      const { state } = await lab.desk.look(id);
      await lab.take(id, { type: "update", observation: state.observed?.id ?? "" });
      expect(lab.state(id)).toMatchObject({ status: "ready", observed: { behind: 0, ahead: 2 } });
      expect(await lab.read(path, "c.txt")).toBe("new in the base\n");
    });

    test("what only it holds is not discarded unless that very state was confirmed", async () => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "two\n" });
      expect(await lab.discard(id, false)).toMatchObject({ result: "rejected", code: "workspace_dirty" });
      const { state } = await lab.desk.look(id);
      await lab.write(path, { "b.txt": "and this\n" });
      await lab.take(id, { type: "discard", observation: state.observed?.id ?? "", confirm: true });
      expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "observation_stale" } });
      expect(await lab.discard(id, true)).toMatchObject({ result: "ok" });
      expect(lab.state(id).status).toBe("gone");
      const trash = join(lab.dataDir, "trash", `${id}-${lab.state(id).op - 1}`, "repo");
      expect(await lab.read(trash, "b.txt")).toBe("and this\n");
      await expect(access(path)).rejects.toThrow("ENOENT");
    });

    test("ignored files and commits on other branches count as work", async () => {
      await lab.commit({ ".gitignore": ".env.local\nout/\n" });
      const { id, path } = await lab.made();
      await lab.write(path, { ".env.local": "SECRET=1\n" });
      expect((await lab.desk.look(id)).state.observed).toMatchObject({ dirty: false, loose: true });
      expect(await lab.discard(id, false)).toMatchObject({ result: "rejected", code: "workspace_dirty" });
      await rm(join(path, ".env.local"));
      expect((await lab.desk.look(id)).state.observed).toMatchObject({ dirty: false, loose: false });
      await lab.gitIn(path, "switch", "--quiet", "-c", "aside");
      await lab.write(path, { "a.txt": "aside\n" });
      await lab.gitIn(path, "commit", "--quiet", "-am", "aside");
      await lab.gitIn(path, "switch", "--quiet", "-");
      expect((await lab.desk.look(id)).state.observed).toMatchObject({ dirty: false, loose: true, ahead: 0 });
    });

    test("an agent that switched its branch is followed", async () => {
      const { id, path, branch } = await lab.made();
      await lab.gitIn(path, "switch", "--quiet", "-c", "other");
      await lab.write(path, { "a.txt": "two\n" });
      await lab.gitIn(path, "commit", "--quiet", "-am", "on another branch");
      await lab.finish(id, "branch");
      expect(lab.state(id).status).toBe("merged");
      expect(await lab.git("show", `${branch}:a.txt`)).toBe("two");
    });

    test("an ignored file that the base has added is not written over", async () => {
      await lab.commit({ ".gitignore": "local.txt\n" });
      const { id, path } = await lab.made();
      await lab.write(path, { "local.txt": "the agent's own\n", "a.txt": "two\n" });
      await lab.write(lab.repo, { "local.txt": "of the base\n" });
      await lab.git("add", "--force", "local.txt");
      await lab.git("commit", "--quiet", "-m", "tracked now");
      await lab.finish(id, "merge");
      expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "git_failed" } });
      expect(lab.state(id).error?.message).toContain("local.txt");
      expect(await lab.read(path, "local.txt")).toBe("the agent's own\n");
    });

    test("a lost directory is told, never made again, and found when it is back", async () => {
      const { id, path } = await lab.made();
      await rename(path, `${path}.away`);
      await lab.desk.look(id);
      expect(lab.state(id)).toMatchObject({ status: "failed", error: { code: "lost" } });
      // Something else is there by now.
      await mkdir(path);
      await writeFile(join(path, "somebody's"), "else");
      await lab.take(id, { type: "retry" });
      expect(lab.state(id)).toMatchObject({ status: "failed", error: { code: "lost" } });
      expect(await lab.read(path, "somebody's")).toBe("else");
      await rm(path, { recursive: true });
      await rename(`${path}.away`, path);
      await lab.take(id, { type: "retry" });
      expect(lab.state(id)).toMatchObject({ status: "ready", error: null });
    });

    test("what is at its place before it is made is left alone", async () => {
      const path = join(lab.dataDir, "workspaces", "w1", "repo");
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "somebody's"), "else");
      const { id } = await lab.made();
      expect(lab.state(id)).toMatchObject({ status: "failed", error: { code: "add_failed" } });
      expect(lab.state(id).error?.message).toContain("Something else is at");
      await lab.take(id, { type: "abort" });
      expect(lab.state(id).status).toBe("gone");
      expect(await lab.read(path, "somebody's")).toBe("else");
    });

    test("a locked index is told, and nothing is lost", async () => {
      const { id, path } = await lab.made();
      await lab.write(path, { "a.txt": "two\n" });
      await lab.desk.look(id);
      await writeFile(join(path, ".git", "index.lock"), "");
      await lab.finish(id, "merge");
      expect(lab.state(id)).toMatchObject({ status: "ready", error: { code: "git_failed" } });
      expect(lab.state(id).error?.message).toContain("index.lock");
      await rm(join(path, ".git", "index.lock"));
      await lab.finish(id, "merge");
      expect(lab.state(id).status).toBe("merged");
    });

    test("hooks and settings that an agent writes are not obeyed by the original", async () => {
      const { id, path } = await lab.made();
      const trap = join(path, "trap.sh");
      await writeFile(trap, `#!/bin/sh\ntouch ${lab.root}/sprung\n`, { mode: 0o755 });
      await mkdir(join(path, ".git", "hooks"), { recursive: true });
      for (const hook of ["pre-commit", "post-checkout", "post-merge", "reference-transaction"])
        await symlink(trap, join(path, ".git", "hooks", hook));
      await lab.gitIn(path, "config", "core.fsmonitor", trap);
      await lab.gitIn(path, "config", "core.sshCommand", trap);
      if (wall !== null) await lab.gitIn(path, "config", "filter.x.clean", trap);
      await writeFile(join(path, ".gitattributes"), wall === null ? "" : "*.txt filter=x\n");
      await rm(join(lab.root, "sprung"), { force: true });
      await lab.write(path, { "a.txt": "two\n" });
      await lab.finish(id, "merge");
      expect(lab.state(id).status).toBe("merged");
      await expect(access(join(lab.root, "sprung"))).rejects.toThrow("ENOENT");
    });
  },
);
