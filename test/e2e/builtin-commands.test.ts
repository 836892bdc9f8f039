/** `POST /v1/sessions/:id/commands`, with the built-in agent as a real process and its offline model. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/signalbox-error.js";
import type { Json } from "../../src/core/index.js";
import type { SessionSummary } from "../../src/protocol/session.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let daemon: TestDaemon;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-commands-"));
  daemon = await TestDaemon.start({
    dataDir: join(folder, "data"),
    // What is trusted here is nobody else's.
    env: { XDG_CONFIG_HOME: join(folder, "config") },
  });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open(prompt: string, env?: Readonly<Record<string, string>>): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "demo",
    cwd: folder,
    prompt,
    ...(env && { env }),
  });
  return id;
}

/** A folder of programs in which a second lasts for ever. */
async function endlessSleep(): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "sleep"), "#!/bin/sh\nexec tail -f /dev/null\n", { mode: 0o755 });
  return bin;
}

async function reaches(id: string, status: SessionSummary["status"]): Promise<void> {
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe(status);
}

/** What was told beside the text, in order. */
async function told(id: string, key: string): Promise<readonly Json[]> {
  const { items } = await daemon.client.listEvents(id, { limit: 1_000 });
  return items.flatMap((entry) => {
    const payload = entry.kind === "stream" ? entry.event.payload : {};
    return key in payload ? [payload[key] as Json] : [];
  });
}

async function tells(id: string, key: string, values: readonly unknown[]): Promise<void> {
  await expect.poll(() => told(id, key)).toEqual(values);
}

test("a harmless suggestion is run or inserted at the first word", async () => {
  const id = await open("suggest `echo hi`");
  await reaches(id, "completed");
  expect(await told(id, "suggestion")).toEqual([
    {
      command: "echo hi",
      description: "What stands between the backquotes",
      danger: "low",
      dangerNotes: "",
      confidence: "medium",
      confidenceNotes: "The demo always answers the same.",
    },
  ]);
  await daemon.client.command(id, { command: "insert" });
  await tells(id, "exit", [{ type: "insert", command: "echo hi" }]);
  await daemon.client.command(id, { command: "execute" });
  await tells(id, "exit", [
    { type: "insert", command: "echo hi" },
    { type: "execute", command: "echo hi" },
  ]);
  expect((await daemon.client.getSession(id)).status).toBe("completed");
});

test("a dangerous one needs two within five seconds, and after them two again", async () => {
  const id = await open("delete it");
  await reaches(id, "completed");
  const confirm = { command: "rm -f signalbox-demo.md", withinMs: 5_000 };
  await daemon.client.command(id, { command: "execute" });
  await tells(id, "confirm", [confirm]);
  expect(await told(id, "exit")).toEqual([]);
  await sleep(5_300);
  await daemon.client.command(id, { command: "execute" });
  await tells(id, "confirm", [confirm, confirm]);
  expect(await told(id, "exit")).toEqual([]);
  await daemon.client.command(id, { command: "execute" });
  await tells(id, "exit", [{ type: "execute", command: confirm.command }]);
});

test("interrupt_tools ends the tool, and the turn goes on with its result", async () => {
  const PATH = `${await endlessSleep()}:${process.env["PATH"] ?? ""}`;
  const id = await open("Show me.", { PATH });
  await expect.poll(async () => (await daemon.client.getSession(id)).asks.length).toBe(1);
  // Nothing runs yet.
  await daemon.client.command(id, { command: "interrupt_tools" });
  const refused = { command: "interrupt_tools", message: "No tool is running." };
  await tells(id, "refused", [refused]);
  const [ask] = (await daemon.client.getSession(id)).asks;
  await daemon.client.answerAsk(id, ask?.askId ?? "", { decision: "approve" });
  await expect.poll(async () => (await daemon.client.getSession(id)).phase).toBe("executing_tools");
  await daemon.client.command(id, { command: "interrupt_tools" });
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks[0]?.title)
    .toBe("Write signalbox-demo.md");
  const [result] = await told(id, "output");
  expect(result).not.toContain("hello");
  await daemon.client.cancel(id);
});

test("slash commands and skills", async () => {
  const skill = join(folder, ".signalbox", "skills", "greet");
  await mkdir(skill, { recursive: true });
  await writeFile(join(skill, "SKILL.md"), "---\ndescription: Greets\n---\nPlease suggest `echo $1`.");
  const id = await open("suggest");
  await reaches(id, "completed");
  await daemon.client.command(id, { command: "slash", name: "model" });
  // Which others there are depends on the machine.
  const model: unknown = expect.stringContaining("The model is demo.");
  await tells(id, "note", [model]);
  await daemon.client.command(id, { command: "slash", name: "/dance" });
  await tells(id, "note", [model, "There is no command /dance. /help says what there is."]);
  await daemon.client.command(id, { command: "skill", name: "greet", arguments: "you" });
  await expect.poll(async () => (await told(id, "suggestion")).at(-1)).toMatchObject({ command: "echo you" });
  await reaches(id, "completed");
  await daemon.client.command(id, { command: "skill", name: "none" });
  await expect.poll(async () => (await told(id, "note")).at(-1)).toBe('There is no skill "none".');
  await reaches(id, "completed");
});

test("a project's skills run commands, and its hooks run, only where the folder is trusted", async () => {
  const project = await mkdtemp(join(folder, "project-"));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(project, ".signalbox", path, ".."), { recursive: true });
    await writeFile(join(project, ".signalbox", path), text);
  };
  await write("skills/where/SKILL.md", "Please suggest the command !`printf '\\140echo ran\\140'`");
  await write("config.toml", `[[agent.post_tool_hooks]]\ncommand = "touch ${join(project, "hooked")}"\n`);
  const suggested = async (): Promise<Json | undefined> => {
    const { id } = await daemon.client.createSession({ harness: "demo", cwd: project, prompt: "/where" });
    await reaches(id, "completed");
    const [suggestion] = await told(id, "suggestion");
    return suggestion;
  };
  // Not run: so there is nothing between the backquotes.
  expect(await suggested()).toMatchObject({ command: "ls -la" });
  await daemon.client.trustFolder({ dir: project });
  expect(await suggested()).toMatchObject({ command: "echo ran" });
  const { id } = await daemon.client.createSession({ harness: "demo", cwd: project, prompt: "Show me." });
  await expect.poll(async () => (await daemon.client.getSession(id)).asks.length).toBe(1);
  const [ask] = (await daemon.client.getSession(id)).asks;
  await daemon.client.answerAsk(id, ask?.askId ?? "", { decision: "approve" });
  await expect.poll(() => readdir(project)).toContain("hooked");
  await daemon.client.cancel(id);
  // Changed since: what was trusted was something else.
  await write("skills/other/SKILL.md", "More.");
  expect(await suggested()).toMatchObject({ command: "ls -la" });
});

test("new archives the conversation, and the next message is in another one", async () => {
  const id = await open("suggest");
  await reaches(id, "completed");
  const before = (await daemon.client.getSession(id)).state.harnessSessionId;
  await daemon.client.command(id, { command: "new" });
  await expect.poll(async () => (await daemon.client.getSession(id)).state.harnessSessionId).not.toBe(before);
  const files = await readdir(join(daemon.dataDir, "conversations"));
  expect(files.some((file) => file.startsWith(`${before}.`) && file.endsWith(".archived.jsonl"))).toBe(true);
  // What was suggested before belongs to the old one.
  await daemon.client.command(id, { command: "execute" });
  await tells(id, "exit", [{ type: "cancel" }]);
  await daemon.client.sendMessage(id, { text: "suggest `true`" });
  await expect.poll(async () => (await told(id, "suggestion")).length).toBe(2);
});

test("without a running agent, or with one that has no commands, it is a conflict", async () => {
  const refusal = async (id: string): Promise<unknown> =>
    daemon.client.command(id, { command: "new" }).then(
      () => null,
      (error: unknown) =>
        error instanceof SignalboxError ? [error.status, error.code, error.detail] : error,
    );
  const id = await open("suggest");
  await reaches(id, "completed");
  await daemon.client.cancel(id);
  await reaches(id, "stopped");
  await expect.poll(() => refusal(id)).toEqual([409, "no_agent", "No agent is running in this session."]);
  const script = await daemon.client.createSession({ harness: "script", cwd: folder, prompt: "hello" });
  expect(await refusal(script.id)).toEqual([409, "state_transition_invalid", "This agent has no commands."]);
});
