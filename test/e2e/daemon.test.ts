/** The daemon as a client sees it: real processes, from a request to the agent and back. */
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionSummary } from "../../src/protocol/session.js";
import { SignalboxError } from "../../src/client/index.js";
import { isAlive } from "../reliability/is-alive.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let daemon: TestDaemon;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-daemon-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open(
  turns: readonly unknown[],
  more: { readonly autoApprove?: boolean } = {},
): Promise<string> {
  const args = ["--inline", JSON.stringify({ turns })];
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: folder,
    prompt: "go",
    args,
    ...more,
  });
  return id;
}

async function reaches(id: string, status: SessionSummary["status"]): Promise<void> {
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe(status);
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "granted";
  } catch (error) {
    return error instanceof SignalboxError ? `${error.status} ${error.code}` : String(error);
  }
}

/** The state events of a session, without what only the clock knows. */
async function stateEvents(id: string): Promise<readonly string[]> {
  const { items } = await daemon.client.listEvents(id, { limit: 1_000 });
  return items.flatMap((entry) => {
    if (entry.kind !== "state") return [];
    const { payload } = entry.event;
    if (payload.type === "state_changed") return [`${payload.from} ${payload.to} ${payload.reason}`];
    if (payload.type === "session_error") return [`error ${payload.code}`];
    if (payload.type === "tool_lifecycle") return [`${payload.toolName} ${payload.status}`];
    if (payload.type === "ask_opened") return [`ask ${payload.askId} needsHuman=${payload.needsHuman}`];
    if (payload.type === "ask_closed") return [`closed ${payload.askId} ${payload.reason}`];
    if (payload.type === "message_status") return [`message ${payload.status}`];
    if (payload.type === "certainty_changed") return [`certainty ${payload.certainty}`];
    if (payload.type === "rest_changed") return [`resting=${payload.resting}`];
    if (payload.type === "checkpoint") return [`checkpoint ${payload.turn} ${payload.status}`];
    return [`seat ${payload.to}`];
  });
}

const REQUEST = { emit: { type: "request" } };
const DONE = { emit: { type: "done" } };
const ASK = { emit: { type: "ask", askId: "a1", ask: "command", title: "rm -rf build", detail: "in ." } };

test("a turn with a tool and an approval: every change is told, in order", async () => {
  const tool = { emit: { type: "tool", callId: "c1", name: "shell" } };
  const toolDone = { emit: { type: "tool_done", callId: "c1", ok: true, output: "ok" } };
  const id = await open([[REQUEST, ASK, { answer: "a1", approve: [tool, toolDone] }, DONE]]);
  await reaches(id, "waiting_approval");
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks)
    .toEqual([
      {
        askId: "a1",
        ask: "command",
        source: "agent",
        title: "rm -rf build",
        detail: "in .",
        needsHuman: true,
        openedAtMs: expect.any(Number) as number,
        tool: "command",
        suggestions: expect.any(Array) as string[],
      },
    ]);
  await daemon.client.answerAsk(id, "a1", { decision: "approve" });
  await reaches(id, "completed");
  expect(await stateEvents(id)).toEqual([
    "idle creating start_session",
    "message sending",
    "seat connected",
    "creating streaming api_req_started",
    "message sent",
    "streaming waiting_approval ask:command",
    "ask a1 needsHuman=false",
    "ask a1 needsHuman=true",
    "waiting_approval streaming approve_action",
    "closed a1 approve_action",
    "streaming streaming harness_stream",
    "streaming streaming tool_started",
    "shell running",
    "streaming streaming harness_stream",
    "shell succeeded",
    "streaming streaming harness_stream",
    "streaming completed ask:completion_result",
  ]);
  expect(await refusal(daemon.client.answerAsk(id, "a1", { decision: "approve" }))).toBe("409 ask_stale");
});

test("what the machine rejects changes nothing, and is told as an error of the session", async () => {
  const id = await open([[REQUEST, DONE]]);
  await reaches(id, "completed");
  const before = (await daemon.client.getSession(id)).state;
  expect(await refusal(daemon.client.retry(id))).toBe("409 state_transition_invalid");
  expect((await daemon.client.getSession(id)).state).toEqual(before);
  expect((await stateEvents(id)).at(-1)).toBe("error state_transition_invalid");
});

test("an unknown session is not found, whatever is asked of it", async () => {
  const { client } = daemon;
  const calls = [
    client.getSession("nobody"),
    client.sendMessage("nobody", { text: "x" }),
    client.cancel("nobody"),
    client.explain("nobody"),
    client.listEvents("nobody"),
    client.getThread("nobody"),
    client.deleteSession("nobody"),
  ];
  expect(new Set(await Promise.all(calls.map(refusal)))).toEqual(new Set(["404 session_not_found"]));
});

test("the same clientId is one request, also twice at once; for another request it is a conflict", async () => {
  const id = await open([[REQUEST, DONE]]);
  await reaches(id, "completed");
  const say = (text: string): Promise<{ messageId: string }> =>
    daemon.client.sendMessage(id, { text, clientId: "twice" });
  const [first, second] = await Promise.all([say("again"), say("again")]);
  expect(second).toEqual(first);
  expect((await say("again")).messageId).toBe(first.messageId);
  expect(await refusal(say("something else"))).toBe("409 conflict");
});

test("messages to a busy agent wait, and are delivered one after the other", async () => {
  const turn = [REQUEST, { emit: { type: "text", text: "$TEXT;" } }, { waitMs: 30 }, DONE];
  const id = await open([turn]);
  for (const text of ["one", "two", "three"]) await daemon.client.sendMessage(id, { text });
  await expect
    .poll(async () => {
      const { items } = await daemon.client.getThread(id);
      return (items as unknown as readonly { type: string; text?: string }[])
        .filter((item) => item.type === "assistant_message")
        .map((item) => item.text);
    })
    .toEqual(["go;", "one;", "two;", "three;"]);
});

test("auto-approve answers what no rule decides", async () => {
  const id = await open([[REQUEST, ASK, { answer: "a1", approve: [DONE] }]], { autoApprove: true });
  await reaches(id, "completed");
});

test("a program that is not there is an error that says so, not a hang", async () => {
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: folder,
    args: ["--program", join(folder, "no-such-program")],
  });
  await reaches(id, "error");
  const { error } = await daemon.client.getSession(id);
  expect(error?.message).toContain("no-such-program");
});

const LONG = "x".repeat(64 * 1024);

test.each<[string, readonly unknown[]]>([
  ["junk", [{ raw: "not json\n{\n\u0000\u001b[2J\n[]\nnull\n" }]],
  ["a type from the future", [{ raw: '{"n":3,"type":"hologram"}\n' }]],
  ["a line longer than any message", [{ raw: LONG, times: 320 }, { raw: "\n" }]],
])("%s is kept or skipped, and never fatal", async (_name, steps) => {
  const id = await open([[REQUEST, ...steps, DONE]]);
  await reaches(id, "completed");
});

test("an agent that dies while it is asked leaves no open ask, and its whole group is gone", async () => {
  const id = await open([[REQUEST, ASK, { waitMs: 200 }, { kill: "SIGKILL" }]]);
  await reaches(id, "error");
  const { asks, error } = await daemon.client.getSession(id);
  expect(asks).toEqual([]);
  expect(error?.code).toBe("harness_failed");
});

test("an agent that does not heed signals is ended all the same", async () => {
  const id = await open([[{ ignore: "SIGTERM" }, { ignore: "SIGINT" }, REQUEST, { hang: true }]]);
  await reaches(id, "streaming");
  await daemon.client.cancel(id);
  await reaches(id, "stopped");
  await expect.poll(async () => (await daemon.client.getSession(id)).state.alive).toBe(false);
});

test("what an agent's hooks write is evidence too, also across a crash of the daemon", async () => {
  const hook = (askId: string): unknown => ({
    hook: { type: "ask", askId, ask: "command", title: "by hook" },
  });
  const turns = [
    [REQUEST, hook("h1"), { answer: "h1", approve: [] }, { waitMs: 500 }, hook("h2"), { hang: true }],
  ];
  const args = ["--hooks", "--inline", JSON.stringify({ turns })];
  const { id } = await daemon.client.createSession({ harness: "script", cwd: folder, prompt: "go", args });
  await reaches(id, "waiting_approval");
  // What the session shows may be there a moment before the journal can tell why.
  await expect
    .poll(async () => (await daemon.client.explain(id)).changes[0])
    .toMatchObject({ reason: "ask:command", source: "hooks" });
  const { process: agent } = await daemon.client.explain(id);
  expect(isAlive(agent.pid ?? 0)).toBe(true);
  await daemon.client.answerAsk(id, "h1", { decision: "approve" });
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect
    .poll(async () => (await daemon.client.getSession(id)).asks.map(({ askId }) => askId))
    .toEqual(["h2"]);
  await daemon.client.cancel(id);
});

test("an interrupt pauses the turn, and the session goes on with the next message", async () => {
  const id = await open([
    [REQUEST, { hang: true }],
    [REQUEST, DONE],
  ]);
  await reaches(id, "streaming");
  await daemon.client.interrupt(id);
  await reaches(id, "paused");
  await daemon.client.sendMessage(id, { text: "go on" });
  await reaches(id, "completed");
});

test("a deleted session is gone: its agent, its rows, its files", async () => {
  const id = await open([[REQUEST, { hang: true }]]);
  await reaches(id, "streaming");
  await daemon.client.deleteSession(id);
  expect(await refusal(daemon.client.getSession(id))).toBe("404 session_not_found");
  await expect
    .poll(async () => (await readdir(join(daemon.dataDir, "runs"))).filter((run) => run.startsWith(id)))
    .toEqual([]);
});

test("messages go to the agent that started last, and to the one before when it ends", async () => {
  const first = await open([[REQUEST, DONE]]);
  await reaches(first, "completed");
  const second = await open([[REQUEST, DONE]]);
  await reaches(second, "completed");
  expect((await daemon.client.routeMessage({ text: "for whom?" })).sessionId).toBe(second);
  await daemon.client.connect({ sessionId: first });
  expect((await daemon.client.routeMessage({ text: "for whom?" })).sessionId).toBe(first);
  await daemon.client.cancel(first);
  await expect.poll(async () => (await daemon.client.getRoster()).connected).toBe(second);
  expect(await refusal(daemon.client.connect({ sessionId: first }))).toBe("409 no_agent");
});

test("what is kept is for nobody else to read", async () => {
  const names = ["token", "journal.db", "journal.db-wal", "keeper.sock", "daemon.json"];
  const modes = await Promise.all(
    [".", ...names].map(async (name) => (await stat(join(daemon.dataDir, name))).mode & 0o077),
  );
  expect(modes).toEqual([0, 0, 0, 0, 0, 0]);
});

test("a second daemon on the same data is refused, and says why, without a stack", async () => {
  await expect(TestDaemon.start({ dataDir: daemon.dataDir })).rejects.toThrow(
    /signalbox daemon: \S+ is open in another process\.\nAnother daemon has it: see signalbox status\./,
  );
});

test("of what is Signalbox's own an agent is told only which session it is", async () => {
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: folder,
    args: ["--program", "/bin/sh", "-c", 'env | grep "^SIGNALBOX_" > own; echo "$MINE" > mine'],
    env: { MINE: "given" },
  });
  await reaches(id, "error");
  expect([await readFile(join(folder, "own"), "utf8"), await readFile(join(folder, "mine"), "utf8")]).toEqual(
    [`SIGNALBOX_SESSION_ID=${id}\n`, "given\n"],
  );
});
