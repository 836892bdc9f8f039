/** The built-in agent, as a real process under the real daemon, with its offline model. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDemos } from "../../src/cli/demo-sessions.js";
import type { SessionSummary } from "../../src/protocol/session.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let daemon: TestDaemon;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-builtin-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open(prompt: string): Promise<string> {
  const { id } = await daemon.client.createSession({ harness: "demo", cwd: folder, prompt });
  return id;
}

async function reaches(id: string, status: SessionSummary["status"]): Promise<SessionSummary> {
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe(status);
  return daemon.client.getSession(id);
}

/** Answers the one ask that is open, once it is another than `before`. */
async function answer(id: string, decision: "approve" | "reject", message?: string): Promise<void> {
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks.map((ask) => ask.needsHuman))
    .toEqual([true]);
  const [ask] = (await daemon.client.getSession(id)).asks;
  const text = message === undefined ? {} : { message };
  await daemon.client.answerAsk(id, ask?.askId ?? "", { decision, ...text });
}

test("the sessions that a newcomer finds are asked about, and do what they are allowed to", async () => {
  const dataDir = join(folder, "data");
  expect(await startDemos(daemon.client, dataDir)).toBe(3);
  expect(await startDemos(daemon.client, dataDir)).toBe(0);
  const { items } = await daemon.client.listSessions({});
  const demos = items.filter(({ harness }) => harness === "demo");
  expect(demos).toHaveLength(2);
  for (const { id, cwd } of demos) {
    await answer(id, "approve");
    await expect
      .poll(async () => (await daemon.client.getSession(id)).asks[0]?.title)
      .toBe("Write signalbox-demo.md");
    await answer(id, "approve");
    await reaches(id, "waiting_input");
    expect(await readFile(join(cwd, "signalbox-demo.md"), "utf8")).toContain("from the demo");
  }
});

test("the tour: a command, a change, a question, a retry", async () => {
  const id = await open("Show me.");
  await answer(id, "approve");
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks[0]?.title)
    .toBe("Write signalbox-demo.md");
  expect((await daemon.client.getSession(id)).asks[0]?.detail).toContain("+This file is from the demo.");
  await answer(id, "approve");
  const asking = await reaches(id, "waiting_input");
  expect(asking.asks.map(({ ask, title }) => [ask, title])).toEqual([
    ["followup", "Which colour should a signal have?"],
  ]);
  await daemon.client.sendMessage(id, { text: "1" });
  const { usage } = await reaches(id, "completed");
  expect(usage).toEqual({ inputTokens: 4_800, outputTokens: 320, cachedTokens: 3_200, costUsd: 0 });
  expect(await readFile(join(folder, "signalbox-demo.md"), "utf8")).toContain("from the demo");
  // A newcomer has seen every kind of thing that there is to see.
  const { items } = await daemon.client.listEvents(id, { limit: 500 });
  const told = items.map((entry) => {
    if (entry.kind === "stream") return entry.event.type;
    return entry.kind === "state" ? entry.event.payload.type : entry.event.type;
  });
  for (const kind of [
    "thinking_delta",
    "text_delta",
    "ask:command",
    "tool_started",
    "ask:tool",
    "ask:followup",
    "retry_scheduled",
    "completed",
  ])
    expect(told).toContain(kind);
  const reached = items.flatMap((entry) =>
    entry.kind === "state" && entry.event.payload.type === "state_changed" ? [entry.event.payload.to] : [],
  );
  expect(new Set(reached)).toEqual(
    new Set(["creating", "streaming", "waiting_approval", "waiting_input", "completed"]),
  );
  const diffs = items.flatMap((entry) =>
    entry.kind === "stream" && entry.event.type === "tool_call_completed"
      ? [entry.event.payload["diff"]]
      : [],
  );
  expect(diffs[1]).toContain("+This file is from the demo.");
});

test("a rejection goes back to the model, and the turn goes on", async () => {
  const id = await open("Show me.");
  await answer(id, "reject", "Not now.");
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks[0]?.title)
    .toBe("Write signalbox-demo.md");
  await daemon.client.interrupt(id);
  await reaches(id, "paused");
  await daemon.client.cancel(id);
});

test("a failure is an error that can be retried", async () => {
  const id = await open("fail");
  const { error } = await reaches(id, "error");
  expect(error).toMatchObject({ code: "api_req_failed", message: "The demo fails when it is told to." });
  await daemon.client.retry(id);
  await reaches(id, "error");
  await daemon.client.cancel(id);
});

test("killed in the middle of a tool, it goes on with all that was shown", async () => {
  const id = await open("Show me.");
  await answer(id, "approve");
  // The command sleeps for a second.
  await expect.poll(async () => (await daemon.client.getSession(id)).phase).toBe("executing_tools");
  const { pid } = (await daemon.client.explain(id)).process;
  if (pid === null) throw new Error("it has no process");
  process.kill(pid, "SIGKILL");
  await reaches(id, "error");
  await daemon.client.retry(id);
  await answer(id, "approve");
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks[0]?.title)
    .toBe("Write signalbox-demo.md");
  const folderOfTalks = join(daemon.dataDir, "conversations");
  const files = await readdir(folderOfTalks);
  const talks = await Promise.all(
    files.map((file) => readFile(join(folderOfTalks, file), "utf8").catch(() => "")),
  );
  const [talk] = talks.filter((text) => text.includes("may or may not have been done"));
  expect(talk).toContain("Hello! I am the demo");
  await daemon.client.cancel(id);
});

test("an option that it does not know is told as such, and not where the program found it", async () => {
  const { id } = await daemon.client.createSession({
    harness: "demo",
    cwd: folder,
    prompt: "go",
    args: ["--bogus"],
  });
  expect((await reaches(id, "error")).error?.message).toMatch(
    /^the agent ended with code 2: signalbox agent: Unknown option '--bogus'/,
  );
});
