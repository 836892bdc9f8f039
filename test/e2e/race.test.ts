/** A race of a real daemon: agents from one commit, their checks, a daemon that is killed meanwhile, one that is chosen. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CreateRace, RaceRow } from "../../src/protocol/race.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

const START = { env: { SIGNALBOX_CHECKPOINTS: "on" } };
const SLOW = { timeout: 60_000, interval: 200 };

let root = "";
let repo = "";
let daemon: TestDaemon;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "signalbox-race-")));
  repo = join(root, "repo");
  await mkdir(repo);
  await git("init", "--quiet", "--initial-branch=main", ".");
  await git("config", "user.name", "A Person");
  await git("config", "user.email", "person@example.test");
  await writeFile(join(repo, "a.txt"), "one\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "start");
  daemon = await TestDaemon.start({ dataDir: join(root, "data"), ...START });
});
afterAll(async () => {
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

/** Writes a file, and waits before it is done until another is there. */
function writing(text: string, waitMs = 0) {
  const usage = { type: "usage", inputTokens: 1_000, outputTokens: 50, costUsd: 0.25 };
  const turn = [
    { emit: { type: "request" } },
    { write: "answer.txt", text },
    { waitMs },
    { emit: { type: "text", text: "It is written." } },
    { emit: usage },
    { emit: { type: "done" } },
  ];
  return { harness: "script", args: ["--inline", JSON.stringify({ turns: [turn] })] };
}

async function restart(): Promise<void> {
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir: daemon.dataDir, ...START });
}

/** They are there to be looked at, with their branches. */
async function expectBranches(entries: readonly RaceRow[], texts: readonly string[]): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    expect(entry.problem).toBeNull();
    expect(await git("show", `${entry.branch ?? ""}:answer.txt`)).toBe(texts[index]);
    expect(existsSync(entry.path ?? "")).toBe(true);
  }
}

/** The same for the same request, and refused for another. */
async function expectOneRace(body: CreateRace, id: string): Promise<void> {
  expect((await daemon.client.createRace(body)).id).toBe(id);
  await expect(daemon.client.createRace({ ...body, prompt: "Another" })).rejects.toThrow(/clientId/);
}

async function commitMeanwhile(): Promise<void> {
  await writeFile(join(repo, "b.txt"), "of a person\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "meanwhile");
}

test("three agents, a daemon killed at every stage, checks, a choice, and parked branches", async () => {
  const body = {
    prompt: "Write the answer",
    directory: repo,
    entries: [writing("right\n"), writing("wrong\n"), writing("slow\n", 8_000)],
    check: "echo checked; sleep 1; grep -q right answer.txt",
    clientId: "the-race",
  };
  const { id, base } = await daemon.client.createRace(body);
  const commit = await git("rev-parse", "HEAD");
  expect(base).toEqual({ branch: "main", commit });
  await expectOneRace(body, id);
  // Killed while its entries are made.
  await restart();
  // The base goes on meanwhile; all begin at the commit of the start nevertheless.
  await commitMeanwhile();
  const race = () => daemon.client.getRace(id);
  await expect
    .poll(async () => (await race()).entries.every(({ sessionId }) => sessionId !== null), SLOW)
    .toBe(true);
  await restart();
  // Killed while checks run.
  await expect.poll(async () => (await race()).entries.some(({ check }) => check !== null), SLOW).toBe(true);
  await restart();
  const outcome = async () => (await race()).entries.slice(0, 2).map(({ check }) => check?.status);
  await expect.poll(outcome, SLOW).toEqual(["passed", "failed"]);

  const told = await race();
  const { items } = await daemon.client.listSessions();
  expect(items).toHaveLength(3);
  const { items: workspaces } = await daemon.client.listWorkspaces();
  expect(workspaces.map((each) => each.base.commit)).toEqual([commit, commit, commit]);
  const [first, second] = told.entries;
  expect(first).toMatchObject({ status: "completed", files: 1, added: 1, removed: 0, asksAnswered: 0 });
  expect(first?.usage).toMatchObject({ inputTokens: 1_000, outputTokens: 50, costUsd: 0.25 });
  expect(first?.timeMs).toBeGreaterThan(0);
  expect(second?.check).toMatchObject({ exitCode: 1, output: "checked\n" });
  const listed = await cli("races");
  expect(listed.stdout).toContain("Write the answer");
  const shown = await cli("races", id.slice(0, 6));
  expect(shown.stdout).toMatch(/script.*passed.*\+1 −0/);

  // One that only the race knows is chosen: nothing was, while the base is dirty.
  await writeFile(join(repo, "a.txt"), "changed by a person\n");
  const refused = await cli("race", "choose", id, first?.sessionId ?? "", "--how", "squash");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("uncommitted changes")]);
  expect((await race()).status).toBe("running");
  await git("checkout", "--quiet", "a.txt");
  const how = ["--how", "squash", "-m", "The answer"];
  const chosen = await cli("race", "choose", id, first?.sessionId ?? "", ...how);
  expect([chosen.code, chosen.stderr]).toEqual([0, ""]);
  await restart();
  const parked = async () => (await race()).entries.slice(1).map(({ isParked }) => isParked);
  await expect.poll(parked, SLOW).toEqual([true, true]);
  const after = await race();
  expect(after).toMatchObject({ status: "chosen", chosen: { sessionId: first?.sessionId, how: "squash" } });
  expect(await git("log", "--format=%s", "main")).toBe("The answer\nmeanwhile\nstart");
  expect(await readFile(join(repo, "answer.txt"), "utf8")).toBe("right\n");
  await expectBranches(after.entries.slice(1), ["wrong", "slow"]);
  const slow = await daemon.client.getSession(after.entries[2]?.sessionId ?? "");
  expect(["stopped", "completed"]).toContain(slow.status);
});

test("what cannot be started is said before anything is, and a race is stopped", async () => {
  const { client } = daemon;
  const before = (await client.listSessions()).items.length;
  const one = { prompt: "Go", directory: repo };
  await expect(client.createRace({ ...one, entries: [writing("x")] })).rejects.toThrow(/two agents/);
  const unknown = { ...one, entries: [writing("x"), { harness: "nobody" }] };
  await expect(client.createRace(unknown)).rejects.toThrow(/entries\[1\]\.harness/);
  await expect(client.createRace({ ...one, directory: root, entries: [writing("x")], n: 2 })).rejects.toThrow(
    /not in a git repository/,
  );
  expect((await client.listSessions()).items).toHaveLength(before);
  const { id } = await client.createRace({ ...one, entries: [writing("x", 600_000)], n: 2 });
  const statuses = async () => (await client.getRace(id)).entries.map(({ status }) => status);
  await expect.poll(statuses, SLOW).toEqual(["streaming", "streaming"]);
  await client.stopRace(id);
  await expect.poll(statuses, SLOW).toEqual(["stopped", "stopped"]);
});
