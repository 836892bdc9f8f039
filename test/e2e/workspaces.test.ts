/** Workspaces of a real daemon, by the API and the command line, with agents in them. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBackend } from "../../src/wall/probe.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

const hasWall = (await findBackend(process.env)).ok;

let root = "";
let repo = "";
let daemon: TestDaemon;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-workspaces-")));
  repo = join(root, "repo");
  await mkdir(repo);
  await git("init", "--quiet", "--initial-branch=main", ".");
  await git("config", "user.name", "A Person");
  await git("config", "user.email", "person@example.test");
  await writeFile(join(repo, "a.txt"), "one\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "start");
  daemon = await TestDaemon.start({ dataDir: join(root, "data") });
});
afterEach(async () => {
  await daemon.end();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

function git(...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], HOME: homedir() };
    execFile("git", args, { cwd: repo, env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout.trim()),
    );
  });
}

function cli(...args: readonly string[]) {
  return runSignalbox([...args, "--data-dir", daemon.dataDir]);
}

/** An agent that does this and ends. */
function shell(command: string): readonly string[] {
  return ["/bin/sh", "-c", command];
}

async function ended(id: string): Promise<void> {
  await expect.poll(async () => (await daemon.client.getSession(id)).state.alive).toBe(false);
}

test("an agent works in a workspace, and what it made is finished by the command line", async () => {
  const { client } = daemon;
  const body = { harness: "terminal", cwd: repo, workspace: "new", title: "Mend: the Parser!" } as const;
  const { id, cwd, workspaceId } = await client.createSession({
    ...body,
    args: [...shell("git status --short; echo two > a.txt; git commit -qam 'the agent'; echo new > new.txt")],
  });
  expect(cwd).toBe(join(`${daemon.dataDir}-workspaces`, workspaceId ?? "", "repo"));
  await ended(id);
  expect(await readFile(join(repo, "a.txt"), "utf8")).toBe("one\n");
  const [seen] = (await client.listWorkspaces({ id, look: "1" })).items;
  expect(seen).toMatchObject({
    id: workspaceId,
    branch: "signalbox/mend-the-parser",
    status: "ready",
    sessionIds: [id],
    observed: { dirty: true, ahead: 1, behind: 0 },
  });
  const listed = await cli("workspaces", "ls");
  expect(listed.stdout).toContain("uncommitted changes, 1 ahead");
  const kept = await cli("discard", id.slice(0, 8));
  expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining("holds work that is nowhere else")]);
  const done = await cli("finish", id.slice(0, 8), "--how", "squash", "-m", "Mend the parser");
  expect([done.code, done.stderr]).toEqual([0, ""]);
  expect(await git("log", "--format=%s")).toBe("Mend the parser\nstart");
  expect(await readFile(join(repo, "new.txt"), "utf8")).toBe("new\n");
  expect(await git("status", "--porcelain")).toBe("");
  const again = await cli("finish", id, "--how", "squash");
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("there is nothing")]);
  const cleaned = await cli("workspaces", "clean", "--json");
  expect(JSON.parse(cleaned.stdout)).toMatchObject({ discarded: [cwd], kept: [{}] });
  await expect(access(cwd)).rejects.toThrow("ENOENT");
  expect((await client.listWorkspaces()).items).toEqual([]);
});

test("a session waits for its workspace; a setup that fails is shown, and gone on without", async () => {
  const { client } = daemon;
  const added = await cli("projects", "add", repo, "--json");
  const { id: project } = JSON.parse(added.stdout) as { id: string };
  expect((await cli("projects", "set", project, "--setup", "echo no luck; exit 3")).code).toBe(0);
  const { id } = await client.createSession({
    ...{ harness: "terminal", cwd: root, workspace: "new", project, branch: "mine" },
    args: [...shell("echo made > made.txt")],
  });
  const look = async () => (await client.listWorkspaces({ id })).items[0];
  await expect.poll(async () => (await look())?.status).toBe("failed");
  expect(await look()).toMatchObject({
    branch: "mine",
    setup: "failed",
    setupOutput: "no luck\n",
    error: { code: "setup_failed" },
  });
  expect((await client.getSession(id)).status).toBe("creating");
  const retried = await cli("workspaces", "retry", id);
  expect([retried.code, retried.stdout]).toEqual([1, expect.stringContaining("no luck")]);
  // A daemon that dies meanwhile changes nothing.
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
  expect((await cli("workspaces", "abort", id)).code).toBe(0);
  await expect.poll(async () => (await daemon.client.getSession(id)).status).not.toBe("creating");
  const path = (await daemon.client.getSession(id)).cwd;
  await expect.poll(() => readFile(join(path, "made.txt"), "utf8").catch(() => "")).toBe("made\n");
});

test("what cannot be is said before anything is made", async () => {
  const plain = join(root, "plain");
  await mkdir(plain);
  const base = ["new", "demo", "hello", "--workspace", "--cwd"];
  const outside = await cli(...base, plain);
  expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining("is not in a git repository")]);
  await git("branch", "taken");
  const taken = await cli(...base, repo, "--branch", "taken");
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining("There is a branch taken already")]);
  const nowhere = await cli(...base, repo, "--from", "nothing");
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("nothing names no commit")]);
  const both = await cli("new", "demo", "hello", "--in", repo, "--workspace");
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--in means no workspace")]);
  expect((await daemon.client.listWorkspaces()).items).toEqual([]);
  expect((await daemon.client.listSessions()).items).toEqual([]);
});

test("the same request twice makes one workspace", async () => {
  const ask = () =>
    daemon.client.createSession({
      harness: "terminal",
      cwd: repo,
      workspace: "new",
      clientId: "once",
      args: [...shell("true")],
    });
  const first = await ask();
  expect((await ask()).id).toBe(first.id);
  expect((await daemon.client.listWorkspaces()).items).toHaveLength(1);
});

test.runIf(hasWall)(
  "behind a wall an agent has its workspace, and the original only to read from",
  async () => {
    await daemon.client.shutdown({ agents: true });
    await daemon.exited;
    daemon = await TestDaemon.start({ dataDir: daemon.dataDir, env: { SIGNALBOX_WALL: "auto" } });
    const { client } = daemon;
    const script = [
      "git log --oneline > log.txt",
      "echo two > a.txt",
      "git commit -qam two",
      "git gc -q",
      `(echo x > ${repo}/b.txt) 2> refused.txt`,
      `rm -rf ${repo}/.git/objects 2>> refused.txt`,
      "true",
    ].join("; ");
    const { id, cwd } = await client.createSession({
      ...{ harness: "terminal", cwd: repo, workspace: "new", wall: "on" },
      args: [...shell(script)],
    });
    await ended(id);
    expect(await readFile(join(cwd, "log.txt"), "utf8")).toContain("start");
    await expect(access(join(repo, "b.txt"))).rejects.toThrow("ENOENT");
    expect(await git("fsck", "--no-dangling", "--no-progress")).toBe("");
    const done = await client.finishWorkspace(id, { how: "merge" });
    expect(done).toMatchObject({ status: "merged", error: null });
    expect(await readFile(join(repo, "a.txt"), "utf8")).toBe("two\n");
  },
);

test("no rule about Signalbox's own files keeps an agent out of its workspace", async () => {
  const { cwd } = await daemon.client.createSession({
    ...{ harness: "demo", cwd: repo, workspace: "new", prompt: "Show me", approve: "auto" },
  });
  await expect.poll(() => existsSync(join(cwd, "signalbox-demo.md"))).toBe(true);
});
