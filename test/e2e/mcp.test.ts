/** `signalbox mcp`, spoken to by the official client, against a real daemon. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { SESSION_VARIABLE } from "../../src/protocol/session-variable.js";
import { PROGRAM, runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let daemon: TestDaemon;
let folder = "";
let config = "";
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-mcp-"));
  config = join(folder, "config");
  await mkdir(join(config, "signalbox"), { recursive: true });
  daemon = await TestDaemon.start({ env: { XDG_CONFIG_HOME: config, SIGNALBOX_CHECKPOINTS: "" } });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

afterEach(() => client.close());

async function rules(text: string): Promise<void> {
  await writeFile(join(config, "signalbox", "permissions.toml"), `[permissions]\n${text}`);
}

async function connect(env: Readonly<Record<string, string>> = {}): Promise<void> {
  client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", "--data-dir", daemon.dataDir],
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", ...env },
    }),
  );
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [part] = content as readonly { readonly text: string }[];
  return isError === true ? `refused: ${part?.text ?? ""}` : JSON.parse(part?.text ?? "");
}

const ASKING = {
  turns: [
    [
      { emit: { type: "request" } },
      { emit: { type: "ask", askId: "q1", ask: "followup", title: "Red or blue?" } },
      { answer: "q1", approve: [{ emit: { type: "text", text: "Thanks.\n" } }], reject: [] },
      { emit: { type: "done" } },
    ],
  ],
};

test("an agent that is permitted starts, waits for, reads, messages and stops another", async () => {
  await rules('allow = ["Mcp(signalbox/*)"]\n');
  await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "list_sessions",
    "start_session",
    "read_session",
    "send_message",
    "wait_for_session",
    "stop_session",
    "start_race",
    "read_race",
    "read_workspace",
    "read_changes",
    "finish_workspace",
  ]);
  const started = (await call("start_session", { harness: "script", prompt: "Hello, you" })) as {
    id: string;
  };
  expect(started).toMatchObject({ harness: "script", cwd: folder });
  const { id: sessionId } = started;
  expect(await call("wait_for_session", { sessionId, timeoutSeconds: 20 })).toMatchObject({
    status: "completed",
    timedOut: false,
  });
  expect(await call("read_session", { sessionId })).toMatchObject({
    text: "[person] Hello, you\n\nHello, you",
  });
  expect(await call("send_message", { sessionId, text: "Again" })).toMatchObject({ sessionId });
  await expect.poll(async () => JSON.stringify(await call("read_session", { sessionId }))).toContain("Again");
  await call("wait_for_session", { sessionId, timeoutSeconds: 20 });
  expect(await call("list_sessions", { status: "completed" })).toMatchObject({ total: 1 });
  expect(await call("stop_session", { sessionId: sessionId.slice(0, 8) })).toMatchObject({
    status: "stopped",
  });
  const { id: other } = await daemon.client.createSession({ harness: "script", cwd: folder, prompt: "Hi" });
  await expect.poll(async () => (await daemon.client.getRoster()).connected).toBe(other);
  expect(await call("send_message", { sessionId, text: "Either", fallback: true })).toMatchObject({
    sessionId: other,
  });
  await daemon.client.cancel(other);
  await daemon.client.deleteSession(other);
  const never = await call("wait_for_session", { sessionId, statuses: ["streaming"], timeoutSeconds: 0.2 });
  expect(never).toMatchObject({ status: "stopped", timedOut: true });
});

test("an agent sees its own workspace and changes, and finishes nothing", async () => {
  await rules('allow = ["Mcp(signalbox/*)"]\n');
  const repo = join(folder, "repo");
  await mkdir(repo);
  const git = (...args: readonly string[]) =>
    promisify(execFile)("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: repo });
  await git("init", "-q", "-b", "main");
  await writeFile(join(repo, "a.txt"), "one\n");
  await git("add", "-A");
  await git("commit", "-qm", "first");
  const { id } = await daemon.client.createSession({
    ...{ harness: "script", cwd: repo, prompt: "Hello", workspace: "new" },
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  const { cwd } = await daemon.client.getSession(id);
  await writeFile(join(cwd, "a.txt"), "one\ntwo\n");
  await connect({ [SESSION_VARIABLE]: id });
  const seen = { base: "main", status: "ready", isDirty: true, commitsAhead: 0 };
  expect(await call("read_workspace")).toMatchObject(seen);
  expect(await call("read_changes", { path: "a.txt" })).toMatchObject({
    ...{ sessionId: id, total: { files: 1, added: 1, removed: 0 }, isCut: false },
    files: [{ path: "a.txt", status: "modified", added: 1, removed: 0 }],
    patch: expect.stringContaining("+two\n") as string,
  });
  expect(await call("read_changes", { maxLength: 0 })).not.toHaveProperty("patch");
  const asked = await call("finish_workspace", { how: "squash", message: "It's done" });
  expect(asked).toMatchObject({
    ...{ isDone: false, inTheWay: [] },
    forThePerson: `signalbox finish ${id} --how squash -m 'It'\\''s done'`,
    workspace: seen,
  });
  expect((await git("log", "--format=%s")).stdout).toBe("first\n");
  await client.close();
  await connect();
  expect(await call("read_workspace")).toContain("refused: You are no session of Signalbox");
  await daemon.client.cancel(id);
  await daemon.client.deleteSession(id);
});

test("the rules decide: what is denied, and what a person would be asked, is refused with the reason", async () => {
  await rules('allow = ["Mcp(signalbox/list_*)"]\ndeny = ["Mcp(signalbox/stop_session)"]\n');
  await connect();
  expect(await call("list_sessions")).toMatchObject({ total: 1 });
  const before = (await daemon.client.listSessions()).items.length;
  expect(await call("stop_session", { sessionId: "x" })).toContain(
    "refused: Mcp(signalbox/stop_session) is denied",
  );
  const asked = await call("start_session", { harness: "script", prompt: "Hello" });
  expect(asked).toContain("refused: Mcp(signalbox/start_session) needs a person's consent");
  expect(asked).toContain('signalbox permissions add --allow "Mcp(signalbox/start_session)"');
  expect((await daemon.client.listSessions()).items.length).toBe(before);
});

test("a session whose own agent asks has asked already; a made-up or ended one has not; denied is denied", async () => {
  await rules('deny = ["Mcp(signalbox/stop_session)"]\n');
  const slow = {
    turns: [
      [{ emit: { type: "request" } }, { emit: { type: "text", text: "." }, repeat: 1000, everyMs: 200 }],
    ],
  };
  const path = join(folder, "slow.json");
  await writeFile(path, JSON.stringify(slow));
  const args = ["--script", path];
  const { id } = await daemon.client.createSession({ harness: "script", cwd: folder, prompt: "Go", args });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("streaming");
  await connect({ [SESSION_VARIABLE]: id });
  expect(await call("list_sessions")).toMatchObject({ total: 2 });
  expect(await call("stop_session", { sessionId: id })).toContain("is denied");
  expect(await call("send_message", { sessionId: id, text: "me" })).toBe(
    "refused: That is your own session.",
  );
  await daemon.client.cancel(id);
  expect(await call("list_sessions")).toContain("needs a person's consent");
  await client.close();
  await connect({ [SESSION_VARIABLE]: "nobody" });
  expect(await call("list_sessions")).toContain("needs a person's consent");
});

test("there is no side door: no answer to an ask, no shell, no approval from an agent's own command line", async () => {
  await rules('allow = ["Mcp(signalbox/*)"]\n');
  const path = join(folder, "asking.json");
  await writeFile(path, JSON.stringify(ASKING));
  const args = ["--script", path];
  const { id } = await daemon.client.createSession({ harness: "script", cwd: folder, prompt: "Go", args });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("waiting_input");
  await connect();
  expect(await call("send_message", { sessionId: id, text: "blue" })).toContain(
    "refused: The session waits for a person's answer, which only a person gives.",
  );
  expect((await daemon.client.getSession(id)).status).toBe("waiting_input");
  expect(await call("wait_for_session", { sessionId: id })).toMatchObject({
    status: "waiting_input",
    waitsForAPerson: ["followup: Red or blue?"],
  });
  expect(await call("start_session", { harness: "terminal", prompt: "rm -rf /" })).toContain(
    "refused: No rule",
  );
  const shell = await daemon.client.createSession({ harness: "terminal", cwd: folder, args: ["/bin/sh"] });
  expect(await call("send_message", { sessionId: shell.id, text: "rm -rf /" })).toMatch(
    /^refused: No agent is in front of this terminal.* \(no_agent\)$/,
  );
  expect(await call("nothing").catch(String)).toMatch(/nothing/);
  const env = { [SESSION_VARIABLE]: id };
  for (const words of [["approve"], ["reject"], ["permissions", "add", "Shell(ls)"]]) {
    const { code, stderr } = await runSignalbox([...words, "--data-dir", daemon.dataDir], "", env);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`is for a person; this is session ${id}`)]);
  }
});

test("an agent knows its session", async () => {
  await rules("");
  await connect();
  const { id } = await daemon.client.createSession({
    harness: "terminal",
    cwd: folder,
    args: ["/bin/sh", "-c", `echo "$${SESSION_VARIABLE}" > ${join(folder, "known")}; sleep 1000`],
  });
  await expect.poll(() => readFile(join(folder, "known"), "utf8").catch(() => "")).toBe(`${id}\n`);
});

test("the skill is printed, and is one", async () => {
  await connect();
  const { code, stdout } = await runSignalbox(["mcp", "--print-skill"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^---\nname: signalbox\ndescription: .{50,}\n---\n/);
});
