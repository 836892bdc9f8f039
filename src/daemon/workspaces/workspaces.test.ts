/** Projects and their workspaces of a daemon, without the daemon: real repositories, real commands, no wall. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database } from "../../journal/sqlite/database.js";
import { initialSession } from "../../core/index.js";
import type { Committed } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { WorkspaceRecord } from "../../workspace/workspace-desk.js";
import { SqliteWorkspaceStore } from "./workspace-store.js";
import { readWorkspacesFile, rebuildWorkspaces } from "./workspaces-file.js";
import { Workspaces } from "./workspaces.js";

let root = "";
let repo = "";
let workspaces: Workspaces;
let isTrusted = false;
let sessions: SessionRecord[] = [];
const problems: string[] = [];
let changedFiles: Record<string, readonly string[]> = {};

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sb-projects-")));
  repo = join(root, "repo");
  isTrusted = false;
  sessions = [];
  changedFiles = {};
  problems.length = 0;
  await mkdir(repo);
  await git("init", "--quiet", "--initial-branch=main", ".");
  await git("config", "user.name", "A Person");
  await git("config", "user.email", "person@example.test");
  await commit({ "a.txt": "one\n" });
  workspaces = await opened();
});
afterEach(async () => {
  await workspaces.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

async function opened(): Promise<Workspaces> {
  const dataDir = join(root, "data");
  await mkdir(dataDir, { recursive: true });
  const store = new SqliteWorkspaceStore(join(dataDir, "workspaces.db"), (what) => problems.push(what));
  const made = new Workspaces({
    ...{ dataDir, store, newId: () => "none" },
    backend: () => Promise.resolve(null),
    shell: (_, command) =>
      Promise.resolve({
        command: "/bin/sh",
        args: ["-c", command],
        env: { PATH: process.env["PATH"] ?? "" },
      }),
    isTrusted: () => isTrusted,
    isAutomatic: true,
    changedFiles: ({ id }) => Promise.resolve(changedFiles[id] ?? []),
    sessions: () => sessions,
    session: (id) => sessions.find((session) => session.id === id) ?? null,
    onProblem: (what, error) => problems.push(`${what}: ${String(error)}`),
  });
  made.load();
  made.start();
  return made;
}

function git(...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], HOME: homedir() };
    execFile("git", args, { cwd: repo, env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout.trim()),
    );
  });
}

async function commit(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(repo, name)), { recursive: true });
    await writeFile(join(repo, name), text);
  }
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "more");
}

async function made(id: string): Promise<WorkspaceRecord> {
  await workspaces.create({ directory: repo, id, branch: null, from: null, title: id });
  await workspaces.desk.settled(id);
  return workspaces.desk.look(id);
}

/** As it is when it has ended. */
async function checked(id: string, command: string) {
  workspaces.checks.begin(await workspaces.desk.look(id), command);
  await workspaces.checks.settled(id);
  const record = workspaces.desk.get(id);
  return record ? workspaces.checks.show(record) : null;
}

test("a check runs in the workspace, and its end is kept", async () => {
  const { place } = await made("one");
  await writeFile(join(place.path, "a.txt"), "two\n");
  const passed = await checked("one", "cat a.txt; pwd");
  const seen = (await workspaces.desk.look("one")).state.observed;
  expect(passed).toEqual({
    ...{ status: "passed", command: "cat a.txt; pwd", exitCode: 0, output: `two\n${place.path}\n` },
    ...{ head: seen?.head, observation: seen?.id, atMs: expect.any(Number) as number },
  });
  const failed = await checked("one", "yes line | head -c 100000; echo the end >&2; exit 3");
  expect(failed).toMatchObject({ status: "failed", exitCode: 3 });
  expect(failed?.output).toMatch(/the end\n$/);
  expect(failed?.output.length).toBeLessThanOrEqual(16 * 1024);
  expect(workspaces.checkCommand(await made("two"))).toBeNull();
  // What changes afterwards is another look.
  await writeFile(join(place.path, "a.txt"), "three\n");
  expect((await workspaces.desk.look("one")).state.observed?.id).not.toBe(failed?.observation);
});

test("while one runs it is shown, another is not begun, and one that is cut off has failed", async () => {
  await made("one");
  const record = await workspaces.desk.look("one");
  workspaces.checks.begin(record, "echo so far; sleep 60");
  workspaces.checks.begin(record, "echo another");
  const shown = () => workspaces.checks.show(workspaces.desk.get("one") ?? record);
  await expect.poll(shown).toMatchObject({ status: "running", output: "so far\n" });
  await workspaces.close();
  workspaces = await opened();
  expect(shown()).toMatchObject({ status: "failed", output: "so far\nIt was stopped.\n" });
  // A daemon that was killed has told nobody.
  const kept = workspaces.desk.get("one");
  if (kept?.check) workspaces.desk.note("one", { check: { ...kept.check, status: "running", output: "" } });
  await workspaces.close();
  workspaces = await opened();
  await expect.poll(shown).toMatchObject({
    ...{ status: "failed", output: expect.stringMatching(/^It was cut off/) as string },
  });
  expect(problems.filter((problem) => !problem.includes("no wall stands here"))).toEqual([]);
});

test("a repository brings its check only where it is trusted, as it is in the base commit", async () => {
  await commit({ ".signalbox/project.toml": 'check = "echo brought"\n' });
  expect(workspaces.checkCommand(await made("strange"))).toBeNull();
  isTrusted = true;
  const record = await made("known");
  await writeFile(join(record.place.path, ".signalbox/project.toml"), 'check = "echo the agent\'s"\n');
  expect(workspaces.checkCommand(await workspaces.desk.look("known"))).toBe("echo brought");
  const [project] = workspaces.projects();
  if (project) workspaces.changeProject(project, { check: "echo the person's" });
  expect(workspaces.checkCommand(record)).toBe("echo the person's");
});

test("a backup holds them, a repair leaves out what is damaged, and a restore adds what is missing", async () => {
  const dataDir = join(root, "data");
  const backup = join(root, "backup.db");
  const before = [await made("one"), await made("two")];
  expect(workspaces.copyInto(backup)).toBe(2);
  expect(readWorkspacesFile(backup)?.workspaces.size).toBe(2);
  await workspaces.close();
  const database = new Database(join(dataDir, "workspaces.db"), { busyTimeoutMs: 1_000 });
  database.exec("UPDATE workspaces SET body = replace(body, 'ready', 'merged') WHERE id = 'one'");
  database.close();
  workspaces = await opened();
  expect([workspaces.desk.all().map(({ id }) => id), workspaces.damages]).toEqual([
    ["two"],
    ["a row of workspaces is not as it was written"],
  ]);
  await workspaces.close();
  expect(rebuildWorkspaces(dataDir, null, "1")).toMatchObject({
    ...{ workspaces: 1, added: 0, problems: [expect.any(String)], kept: `${dataDir}/workspaces.db.before-1` },
  });
  expect(readWorkspacesFile(join(dataDir, "workspaces.db"))).toMatchObject({ problems: [] });
  expect(rebuildWorkspaces(dataDir, null, "2")).toMatchObject({ workspaces: 1, kept: null });
  expect(rebuildWorkspaces(dataDir, backup, "3")).toMatchObject({ workspaces: 2, added: 1, problems: [] });
  // Nothing can be read of it at all.
  await writeFile(join(dataDir, "workspaces.db"), "no database ".repeat(1_000));
  expect(rebuildWorkspaces(dataDir, backup, "4")).toMatchObject({
    ...{ workspaces: 2, added: 2, problems: [expect.stringContaining("cannot be read")] },
  });
  workspaces = await opened();
  const after = workspaces.desk.all().toSorted((one, other) => one.id.localeCompare(other.id));
  expect(after.map(({ id, state, place }) => ({ id, state, place }))).toEqual(
    before.map(({ id, state, place }) => ({ id, state, place })),
  );
  expect(workspaces.projects()).toHaveLength(1);
  expect(workspaces.damages).toEqual([]);
});

/** As far as anybody looks at it here. */
function session(id: string, workspaceId: string, turn: number): SessionRecord {
  const state = { ...initialSession, checkpoints: true, turn };
  return { id, createdAtMs: 1, settings: { workspaceId }, state } as unknown as SessionRecord;
}

function turnEnded(ended: SessionRecord): void {
  sessions = [...sessions.filter(({ id }) => id !== ended.id), ended];
  workspaces.publish({ sessionIds: [ended.id], entries: [], removedSessionIds: [] } as unknown as Committed);
}

test("two workspaces that change the same files are marked, until one of them is merged", async () => {
  for (const id of ["one", "two", "three"]) await made(id);
  changedFiles = { s1: ["a.txt", "b.txt"], s2: ["b.txt", "c.txt"], s3: ["d.txt"] };
  turnEnded(session("s1", "one", 1));
  turnEnded(session("s2", "two", 1));
  turnEnded(session("s3", "three", 1));
  const shown = async (id: string) => {
    const record = workspaces.desk.get(id);
    return record ? (await workspaces.show(record)).overlaps : [];
  };
  await expect.poll(() => shown("one")).toEqual([{ workspaceId: "two", files: ["b.txt"], count: 1 }]);
  expect(await shown("two")).toEqual([{ workspaceId: "one", files: ["b.txt"], count: 1 }]);
  expect(await shown("three")).toEqual([]);
  // The same turn is not asked about twice, and a later one counts in its place.
  changedFiles = { s1: ["a.txt"] };
  turnEnded(session("s1", "one", 1));
  expect(await shown("one")).toHaveLength(1);
  turnEnded(session("s1", "one", 2));
  await expect.poll(() => shown("one")).toEqual([]);
});

test("workspaces of a project have a bound on the disk, which is told before it is reached", async () => {
  await made("one");
  const sizeOf = () => workspaces.desk.get("one")?.size?.bytes ?? 0;
  await expect.poll(sizeOf).toBeGreaterThan(0);
  expect([workspaces.nearlyFull, workspaces.projects()[0]?.diskBytes]).toEqual([[], sizeOf()]);
  const [project] = workspaces.projects();
  if (!project) throw new Error("none");
  workspaces.changeProject(project, { diskBytesMax: Math.ceil(sizeOf() * 1.1) });
  expect(workspaces.nearlyFull).toEqual([expect.stringContaining("repo: ")]);
  workspaces.changeProject(project, { diskBytesMax: sizeOf() });
  const wanted = { directory: repo, id: "two", title: "two", branch: null, from: null };
  await expect(workspaces.create(wanted)).rejects.toMatchObject({
    ...{ code: "disk_bound", message: expect.stringContaining("The workspaces of repo take") as string },
  });
  expect(workspaces.desk.all()).toHaveLength(1);
});

test("whoever listens is told of every change", async () => {
  const told: string[] = [];
  workspaces.listen(({ id, state }) => told.push(`${id} ${state.status}`));
  await made("one");
  expect([told[0], told.includes("one ready")]).toEqual(["one preparing", true]);
});
