/** Idle agents rest: a real process is ended, and the next message resumes its conversation. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../reliability/is-alive.js";
import { BuiltinLab } from "./builtin-lab.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let daemon: TestDaemon;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-resting-"));
  const config = join(folder, "config", "signalbox");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "config.toml"), '[idle]\nafter = "1s"\n[harness.demo]\nidle_after = "off"\n');
  const env = { XDG_CONFIG_HOME: join(folder, "config") };
  daemon = await TestDaemon.start({ dataDir: join(folder, "data"), env });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** An agent that is done with its first turn. */
async function open(title: string, args: readonly string[] = []): Promise<string> {
  const made = { harness: "script", cwd: folder, prompt: `I am ${title}`, title, args: [...args] };
  const { id } = await daemon.client.createSession(made);
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  return id;
}

async function pidOf(id: string): Promise<number> {
  return (await daemon.client.explain(id)).process.pid ?? 0;
}

async function isResting(id: string): Promise<boolean> {
  return (await daemon.client.getSession(id)).ui.resting;
}

async function places(): Promise<Readonly<Record<string, string>>> {
  const { seats } = await daemon.client.getRoster();
  return Object.fromEntries(seats.map(({ sessionId, status }) => [sessionId, status]));
}

async function textOf(id: string): Promise<string> {
  return JSON.stringify((await daemon.client.getThread(id)).items);
}

test("an idle agent's process ends, its seat stays, and a message resumes its conversation", async () => {
  const report = join(folder, "report");
  const first = await open("first", ["--report", report]);
  const pid = await pidOf(first);
  const second = await open("second");
  await expect.poll(() => isResting(first)).toBe(true);
  expect(isAlive(pid)).toBe(false);
  const session = await daemon.client.getSession(first);
  expect([session.status, session.state.alive, session.error, session.run]).toEqual([
    "completed",
    false,
    null,
    1,
  ]);
  expect(await places()).toEqual({ [first]: "disconnected", [second]: "connected" });

  // Named through the roster, it is there: the message resumes it, and goes nowhere else.
  const sent = await daemon.client.routeMessage({ text: "Still there?", sessionId: first, fallback: true });
  expect(sent.sessionId).toBe(first);
  await expect.poll(() => textOf(first)).toContain("Still there?");
  await expect.poll(async () => (await daemon.client.getSession(first)).status).toBe("completed");
  expect((await daemon.client.getSession(first)).run).toBe(2);
  const lines = (await readFile(report, "utf8")).trimEnd().split("\n");
  const heard = lines.flatMap((line) => {
    const told = JSON.parse(line) as { readonly pid: number; readonly heard?: { readonly text?: string } };
    return told.heard?.text === undefined ? [] : [[told.pid === pid, told.heard.text]];
  });
  expect(heard).toEqual([
    [true, "I am first"],
    [false, "Still there?"],
  ]);
  // To be resumed is no new start: who was connected is.
  expect(await places()).toEqual({ [first]: "disconnected", [second]: "connected" });
  await expect.poll(() => isResting(first)).toBe(true);
});

test("the built-in agent goes on with what was said before", async () => {
  const lab = await BuiltinLab.start('[idle]\nafter = "1s"\n');
  try {
    const session = await lab.open("The word is gingham. [[text:I see.]]");
    await session.reaches("completed");
    await (await lab.open("[[text:Hello.]]")).reaches("completed");
    await expect.poll(async () => (await session.now).ui.resting).toBe(true);
    await lab.daemon.client.sendMessage(session.id, { text: "Which word? [[text:That one.]]" });
    await expect.poll(() => JSON.stringify(lab.model.seen.at(-1)?.body["messages"])).toContain("Which word?");
    expect(JSON.stringify(lab.model.seen.at(-1)?.body["messages"])).toContain("The word is gingham.");
    expect((await session.reaches("completed")).run).toBe(2);
  } finally {
    await lab.end();
  }
});

test("the connected agent, a terminal, and an agent that is configured so stay", async () => {
  const { id: demo } = await daemon.client.createSession({ harness: "demo", cwd: folder, prompt: "Hello" });
  const terminal = await daemon.client.createSession({ harness: "terminal", cwd: folder, args: ["/bin/sh"] });
  const connected = await open("connected");
  const other = await open("other");
  await daemon.client.connect({ sessionId: connected });
  await expect.poll(() => isResting(other)).toBe(true);
  // What was idle before has been looked at by now.
  const pids = await Promise.all([terminal.id, connected].map(pidOf));
  expect(pids.map(isAlive)).toEqual([true, true]);
  expect((await daemon.client.getSession(demo)).state.idleAfterMs).toBeNull();
  expect((await daemon.client.getSession(terminal.id)).state.idleAfterMs).toBeNull();
});

test("who rests still rests after the daemon was killed, and is resumed by the next one", async () => {
  const id = await open("survivor");
  await open("newest");
  await expect.poll(() => isResting(id)).toBe(true);
  const { dataDir } = daemon;
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir, env: { XDG_CONFIG_HOME: join(folder, "config") } });
  expect(await isResting(id)).toBe(true);
  expect((await places())[id]).toBe("disconnected");
  await daemon.client.sendMessage(id, { text: "And now?" });
  await expect.poll(() => textOf(id)).toContain("And now?");
  await expect.poll(async () => (await daemon.client.getSession(id)).run).toBe(2);
});
