/** Backup, restore, repair and doctor, and what a person reads of a damaged journal. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtProgram } from "../built-program.js";
import { flipBytes, flipText } from "../contract/journal-damage.js";
import { TestDaemon } from "./test-daemon.js";

const CLI = builtProgram("cli/main.js");

let daemon: TestDaemon | null;
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "signalbox-care-"));
  daemon = null;
});
afterEach(async () => {
  await daemon?.end();
  await run("down", "--all");
  await rm(dataDir, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, SIGNALBOX_DATA_DIR: dataDir, SIGNALBOX_PORT: "0" };
    execFile(process.execPath, [CLI, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50);
}

/** A terminal at work on something that is named in its journal, and has a secret. */
async function startWork(): Promise<string> {
  daemon = await TestDaemon.start({ dataDir });
  const { id } = await daemon.client.createSession({
    harness: "terminal",
    cwd: dataDir,
    title: "Work",
    args: ["sh", "-c", "echo working; sleep 1000"],
    env: { API_KEY: "a-value-that-nobody-sees" },
  });
  const { client } = daemon;
  await until(async () => (await client.getSession(id)).status === "streaming");
  return id;
}

function flipHeader(): Promise<void> {
  flipBytes(journalPath(), 0, 64);
  return Promise.resolve();
}

const journalPath = (): string => join(dataDir, "journal.db");

test("a backup is restored: what ran is paused, and the values that it lacks are named", async () => {
  const id = await startWork();
  const file = join(dataDir, "copy.db");
  const made = await daemon?.client.backUp({ file });
  expect(made).toMatchObject({ file, sessions: 1, withoutSecrets: [{ sessionId: id, names: ["API_KEY"] }] });
  expect((await readFile(file)).includes("a-value-that-nobody-sees")).toBe(false);
  expect(await run("repair")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the daemon runs") as string,
  });
  await daemon?.kill("SIGTERM");
  expect(await run("restore", file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("1 agents still run") as string,
  });
  await rm(join(dataDir, "secrets.json"));
  expect(await run("restore", file, "--end-agents")).toMatchObject({ code: 0 });
  daemon = await TestDaemon.start({ dataDir });
  const { client } = daemon;
  await until(async () => (await client.getSession(id)).status === "paused");
  const explained = await client.explain(id);
  expect(explained.changes[0]).toMatchObject({ to: "paused", reason: "restored" });
  const { ok, checks } = await client.getHealth();
  expect(ok).toBe(false);
  expect(
    checks.filter((check) => !check.ok).map(({ name, detail }) => [name, detail.includes("API_KEY")]),
  ).toEqual([["secrets", true]]);
});

test("a damaged line is named by the API and by doctor, and a damaged record closes the journal for writing", async () => {
  const id = await startWork();
  await daemon?.client.shutdown({ agents: true });
  await daemon?.exited;
  expect(flipText(journalPath(), '"type":"start_session"')).toBeGreaterThan(0);
  daemon = await TestDaemon.start({ dataDir });
  const { items } = await daemon.client.listEvents(id, { kind: "request" });
  expect(items.map(({ damaged }) => damaged ?? false)).toContain(true);
  const doctor = await run("doctor");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(`BAD journal`);
  expect(doctor.stdout).toContain(id);
  await daemon.client.shutdown({ agents: true });
  await daemon.exited;
  flipText(journalPath(), '"title":"Work"');
  daemon = await TestDaemon.start({ dataDir });
  expect(await daemon.client.getHealth()).toMatchObject({ ok: false, readOnly: true });
  await expect(daemon.client.createSession({ harness: "demo", cwd: dataDir })).rejects.toThrow(
    /open for reading only/,
  );
  expect(daemon.log()).toContain("The journal is damaged");
});

test.each([
  ["header flipped", flipHeader, /its header is not that of a journal/],
  ["no journal", () => writeFile(journalPath(), Buffer.alloc(20_000, "garbage ")), /its header is not that/],
  ["cut to a page", () => truncate(journalPath(), 2_048), /is damaged/],
])("%s: a sentence with a remedy, and no stack", async (_name, damage, sentence) => {
  await startWork();
  await daemon?.client.shutdown({ agents: true });
  await daemon?.exited;
  daemon = null;
  await damage();
  const { code, stderr } = await run("ls");
  expect(code).toBe(69);
  expect(stderr).toMatch(sentence);
  expect(stderr).toContain("signalbox repair");
  expect(stderr).not.toMatch(/^\s+at /m);
  await rm(journalPath());
});
