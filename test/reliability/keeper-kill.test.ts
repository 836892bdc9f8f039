/** The keeper dies with everything it owned: what it left behind is ended, and the sessions say so. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestDaemon } from "../e2e/test-daemon.js";
import { isAlive } from "./is-alive.js";

let folder: string;
let daemon: TestDaemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-keeper-kill-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Writes for ever, does not heed SIGTERM, and notes what it is told. */
const STUBBORN = {
  turns: [
    [
      { ignore: "SIGTERM" },
      { emit: { type: "request" } },
      { emit: { type: "tool", callId: "call-1", name: "shell" } },
      { emit: { type: "text", text: "$I " }, repeat: 1_000_000, everyMs: 5 },
    ],
    [{ emit: { type: "request" } }, { emit: { type: "done" } }],
  ],
};

async function open(index: number): Promise<{ readonly id: string; readonly reportFile: string }> {
  const reportFile = join(folder, `report-${index}`);
  const args = ["--inline", JSON.stringify(STUBBORN), "--report", reportFile];
  const { id } = await daemon.client.createSession({ harness: "script", cwd: folder, args, prompt: "go" });
  await expect.poll(async () => (await daemon.client.getSession(id)).phase).toBe("calling_llm");
  return { id, reportFile };
}

async function pidsOf(reportFile: string): Promise<readonly number[]> {
  const lines = (await readFile(reportFile, "utf8")).trim().split("\n");
  return lines.flatMap((line) => (JSON.parse(line) as { readonly started?: number }).started ?? []);
}

async function reasons(id: string): Promise<readonly string[]> {
  const { changes } = await daemon.client.explain(id);
  return changes.slice(0, 1).map(({ from, to, reason }) => `${from} ${to} ${reason}`);
}

test("its agents are ended, its sessions are paused as interrupted, and they can go on", async () => {
  const sessions = await Promise.all([0, 1, 2].map(open));
  const pids = await Promise.all(sessions.map(async ({ reportFile }) => (await pidsOf(reportFile))[0] ?? 0));
  expect(pids.map(isAlive)).toEqual([true, true, true]);

  process.kill(await daemon.keeperPid(), "SIGKILL");

  for (const { id } of sessions) {
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("paused");
    expect(await reasons(id)).toEqual(["streaming paused interrupted"]);
  }
  expect(pids.map(isAlive)).toEqual([false, false, false]);

  const [first] = sessions;
  if (!first) throw new Error("there are three");
  await daemon.client.sendMessage(first.id, { text: "go on" });
  await expect.poll(async () => (await daemon.client.getSession(first.id)).run).toBe(2);
  await expect.poll(async () => (await pidsOf(first.reportFile)).length).toBe(2);
  expect((await daemon.client.getRoster()).connected).toBe(first.id);
});

test("a keeper that dies while no daemon runs is found out at the next start", async () => {
  const { id, reportFile } = await open(0);
  const [pid = 0] = await pidsOf(reportFile);
  const keeperPid = await daemon.keeperPid();
  await daemon.kill("SIGKILL");
  process.kill(keeperPid, "SIGKILL");
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("paused");
  expect(await reasons(id)).toEqual(["streaming paused interrupted"]);
  expect(isAlive(pid)).toBe(false);
});

test("down with its agents: the sessions are interrupted, not failed", async () => {
  const { id, reportFile } = await open(0);
  const [pid = 0] = await pidsOf(reportFile);
  await daemon.client.shutdown({ agents: true });
  await daemon.exited;
  expect(isAlive(pid)).toBe(false);
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("paused");
});
