/** Projects and workspaces of one real daemon, by the command line: checks, conflicts, defaults, sharing and leaving. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let root = "";
let repo = "";
let count = 0;
let daemon: TestDaemon;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-ways-")));
  daemon = await TestDaemon.start({ dataDir: join(root, "data"), env: { SIGNALBOX_WORKSPACES: "auto" } });
});
afterAll(async () => {
  await daemon.end();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  repo = join(root, `repo${++count}`);
  await mkdir(repo);
  await git("init", "--quiet", "--initial-branch=main", ".");
  await git("config", "user.name", "A Person");
  await git("config", "user.email", "person@example.test");
  await writeFile(join(repo, "a.txt"), "one\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "start");
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

/** A session in a workspace whose agent does this and ends. */
async function worked(command: string) {
  const session = await daemon.client.createSession({
    ...{ harness: "terminal", cwd: repo, workspace: "new", title: "work" },
    args: ["/bin/sh", "-c", command],
  });
  await expect.poll(async () => (await daemon.client.getSession(session.id)).state.alive).toBe(false);
  return session;
}

/** A session without a workspace that is alive until it is deleted. */
function living(cwd: string) {
  return daemon.client.createSession({ harness: "terminal", cwd, args: ["/bin/sh", "-c", "sleep 600"] });
}

test("a check is run, decides a finish, and is not run again on what has passed", async () => {
  const { id } = await worked("echo two > a.txt");
  const none = await cli("check", id);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("The project has no check")]);
  await cli("projects", "add", repo);
  const set = await cli(
    "projects",
    "set",
    `repo${count}`,
    "--check",
    "grep -q three a.txt || (echo not three; exit 4)",
  );
  expect([set.code, set.stderr]).toEqual([0, ""]);
  const failed = await cli("check", id);
  expect([failed.code, failed.stdout]).toEqual([
    1,
    expect.stringMatching(/not three\n.*failed \(exit code 4\)/),
  ]);
  const refused = await cli("finish", id, "--how", "merge");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("its check has not passed")]);
  const [workspace] = (await daemon.client.listWorkspaces({ id })).items;
  await writeFile(join(workspace?.path ?? "", "a.txt"), "three\n");
  expect((await cli("check", id)).code).toBe(0);
  const done = await cli("finish", id, "--how", "merge");
  expect([done.code, done.stderr]).toEqual([0, ""]);
  expect(await readFile(join(repo, "a.txt"), "utf8")).toBe("three\n");
});

test("conflicts are handed to the agent as one message, and gone on with", async () => {
  const { client } = daemon;
  const { id, cwd } = await client.createSession({
    harness: "demo",
    cwd: repo,
    workspace: "new",
    approve: "auto",
  });
  await expect.poll(async () => (await client.listWorkspaces({ id })).items[0]?.status).toBe("ready");
  await writeFile(join(cwd, "a.txt"), "the agent's\n");
  await writeFile(join(repo, "a.txt"), "the person's\n");
  await git("commit", "--quiet", "-am", "other");
  const early = await cli("workspaces", "resolve", id);
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("Nothing is in conflict")]);
  const finished = await cli("finish", id, "--how", "merge", "--ask-agent");
  expect([finished.code, finished.stderr]).toEqual([1, expect.stringContaining("is asked to resolve")]);
  const { items } = await client.listEvents(id, {});
  expect(JSON.stringify(items)).toContain('these files are in conflict:\\n- \\"a.txt\\"');
  await expect.poll(async () => (await client.listWorkspaces({ id })).items[0]?.running).toBe(0);
  await writeFile(join(cwd, "a.txt"), "both\n");
  await expect.poll(async () => (await cli("workspaces", "retry", id)).code).toBe(0);
  expect(await readFile(join(repo, "a.txt"), "utf8")).toBe("both\n");
});

test("the second session of a repository has a workspace, unless it is to have none", async () => {
  const alone = await cli("new", "demo", "--cwd", repo, "--json");
  const first = JSON.parse(alone.stdout) as { id: string; workspaceId?: string };
  expect(first.workspaceId).toBeUndefined();
  const { id } = await living(repo);
  const second = await cli("new", "demo", "--cwd", repo, "--json");
  expect(JSON.parse(second.stdout)).toMatchObject({ workspaceId: expect.any(String) as string });
  expect(second.stderr).toContain("so this one has a workspace");
  const third = await cli("new", "demo", "--cwd", repo, "--no-workspace", "--json");
  const shared = JSON.parse(third.stdout) as { id: string; sharedWith?: string[]; workspaceId?: string };
  expect(shared.workspaceId).toBeUndefined();
  expect(shared.sharedWith).toContain(id);
  expect((await daemon.client.getSession(id)).sharedWith).toContain(shared.id);
  // Where no workspace can be made, it works without.
  const plain = join(root, "plain");
  await mkdir(plain);
  await living(plain);
  const there = await cli("new", "demo", "--cwd", plain, "--json");
  expect([there.code, (JSON.parse(there.stdout) as { cwd: string }).cwd]).toEqual([0, plain]);
});

test("a project says what its sessions are started with, and what runs what they made", async () => {
  await writeFile(join(repo, ".worktreeinclude"), "# brought along\n.env\n");
  await writeFile(join(repo, ".gitignore"), ".env\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "include");
  await writeFile(join(repo, ".env"), "A=1\n");
  const none = await cli("new", "default", "--cwd", repo);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no default agent")]);
  await cli("projects", "add", repo);
  const name = `repo${count}`;
  const set = await cli(
    ...[
      "projects",
      "set",
      name,
      "--agent",
      "demo",
      "--approve",
      "auto",
      "--run",
      "cat .env > ran.txt; sleep 600",
    ],
  );
  expect([set.code, set.stderr]).toEqual([0, ""]);
  const begun = await cli("new", "default", "--cwd", repo, "--workspace", "--json");
  const { id, cwd, harness, approve } = JSON.parse(begun.stdout) as Record<string, string>;
  expect([harness, approve]).toEqual(["demo", "auto"]);
  await expect.poll(async () => (await daemon.client.listWorkspaces({ id })).items[0]?.status).toBe("ready");
  // The repository is not trusted: what it wants to be brought along is not.
  expect(existsSync(join(cwd ?? "", ".env"))).toBe(false);
  await writeFile(join(cwd ?? "", ".env"), "B=2\n");
  const ran = await cli("workspaces", "run", id ?? "");
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  await expect.poll(() => readFile(join(cwd ?? "", "ran.txt"), "utf8").catch(() => "")).toBe("B=2\n");
});

test("a session is deleted with or without its workspace, and nothing dirty goes without a word", async () => {
  const dirty = await worked("echo two > a.txt");
  const both = await cli("rm", dirty.id, "--keep-workspace", "--discard-workspace");
  expect(both.code).toBe(2);
  const refused = await cli("rm", dirty.id, "--discard-workspace");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("nothing was deleted")]);
  const kept = await cli("rm", dirty.id);
  expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining("its workspace stays")]);
  expect(await readFile(join(dirty.cwd, "a.txt"), "utf8")).toBe("two\n");
  const other = await worked("echo two > a.txt");
  const gone = await cli("rm", other.id, "--discard-workspace", "--yes");
  expect([gone.code, gone.stderr]).toEqual([0, ""]);
  expect(existsSync(other.cwd)).toBe(false);
  const clean = await worked("true");
  expect((await cli("rm", clean.id, "--discard-workspace")).code).toBe(0);
  expect(existsSync(clean.cwd)).toBe(false);
});
