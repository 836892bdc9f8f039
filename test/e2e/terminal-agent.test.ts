/** An agent in a terminal, by its screen and its hooks: a real daemon, a real terminal, and a small program for the agent. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionDetail } from "../../src/protocol/session.js";
import { TerminalPeer } from "./terminal-peer.js";
import { TestDaemon } from "./test-daemon.js";

const SMALL_AGENT = new URL("../../dist/test/e2e/programs/small-agent.js", import.meta.url).pathname;

let daemon: TestDaemon;
let folder = "";
let sessionId = "";

beforeAll(async () => {
  daemon = await TestDaemon.start();
});

afterAll(async () => {
  await daemon.end();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-agent-"));
  await mkdir(join(folder, "bin"));
  // By its name it is Claude: the first word of its command line.
  const script = `#!/bin/bash\nexec -a claude '${process.execPath}' '${SMALL_AGENT}' "$@"\n`;
  await writeFile(join(folder, "bin", "claude"), script);
  await chmod(join(folder, "bin", "claude"), 0o755);
});

afterEach(async () => {
  await daemon.client.deleteSession(sessionId);
  await rm(folder, { recursive: true, maxRetries: 5 });
});

async function start(args: readonly string[], prompt?: string): Promise<void> {
  const { PATH = "" } = process.env;
  const session = await daemon.client.createSession({
    harness: "terminal",
    cwd: folder,
    args: [...args],
    env: {
      PATH: `${join(folder, "bin")}:${PATH}`,
      SMALL_AGENT_LOG: join(folder, "log"),
      PS1: "$ ",
      ENV: "",
    },
    ...(prompt === undefined ? {} : { prompt }),
  });
  sessionId = session.id;
}

const CLAUDE = [join("bin", "claude")];
/** Without our hooks, as when a person gave settings of their own. */
const HOOKLESS = [...CLAUDE, "--settings={}"];

function session(): Promise<SessionDetail> {
  return daemon.client.getSession(sessionId);
}

async function until(status: SessionDetail["status"]): Promise<SessionDetail> {
  await expect.poll(async () => (await session()).status, { interval: 20 }).toBe(status);
  return await session();
}

/** What the agent took. */
async function log(): Promise<readonly string[]> {
  const text = await readFile(join(folder, "log"), "utf8").catch(() => "");
  return text
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as string);
}

async function ask(): Promise<SessionDetail["asks"][number]> {
  const { asks } = await until("waiting_approval");
  const [only, ...others] = asks;
  if (!only || others.length > 0) throw new Error(`${asks.length} asks`);
  return only;
}

async function answer(decision: "approve" | "reject", message?: string): Promise<void> {
  const { askId } = await ask();
  await daemon.client.answerAsk(sessionId, askId, {
    decision,
    ...(message === undefined ? {} : { message }),
  });
}

async function send(text: string): Promise<void> {
  await daemon.client.sendMessage(sessionId, { text });
}

async function attach(): Promise<TerminalPeer> {
  const { url, token } = daemon.ready;
  const peer = await TerminalPeer.open(`${url}/v1/sessions/${sessionId}/terminal`, {
    authorization: `Bearer ${token}`,
  });
  if (!(peer instanceof TerminalPeer)) throw new Error(peer.body);
  await peer.until(({ frames }) => frames.length === 2);
  return peer;
}

async function seats(): Promise<readonly (string | null)[]> {
  const roster = await daemon.client.getRoster();
  return roster.seats.filter((seat) => seat.sessionId === sessionId).map(({ agent }) => agent);
}

async function restart(): Promise<void> {
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
}

/** How it came to be in its state. */
async function sources(): Promise<readonly string[]> {
  const { changes } = await daemon.client.explain(sessionId);
  return changes.map(({ from, to, source }) => `${from} -> ${to}: ${source}`).toReversed();
}

test("a prompt of several lines is typed once the agent waits, and its ask is approved from afar", async () => {
  await start(CLAUDE, "first line\nsecond line");
  await until("completed");
  await send("ask touch it");
  expect(await ask()).toMatchObject({ ask: "command", title: "Bash", detail: "touch it" });
  await answer("approve");
  await until("completed");
  expect(await log()).toEqual(["prompt first line\nsecond line", "prompt ask touch it", "ran touch it"]);
  expect(await seats()).toEqual(["claude"]);
  expect(await sources()).toContain("streaming -> waiting_approval: hooks");
});

test("without hooks the screen tells all of it", async () => {
  await start(HOOKLESS);
  await until("completed");
  await send("ask touch it");
  expect(await ask()).toMatchObject({
    ask: "tool",
    title: "Bash command",
    detail: "touch it\nDo you want to proceed?",
  });
  await answer("approve");
  await until("completed");
  expect(await log()).toEqual(["prompt ask touch it", "ran touch it"]);
  const from = new Set((await sources()).map((line) => line.split(": ")[1]));
  expect([...from].toSorted()).toEqual(["request", "screen"]);
});

test.each([
  ["with hooks", CLAUDE],
  ["by its screen", HOOKLESS],
])("a no carries a message, which is typed when the box is back: %s", async (_name, args) => {
  await start(args);
  await until("completed");
  await send("ask rm it");
  await answer("reject", "leave it");
  await expect.poll(log).toEqual(["prompt ask rm it", "rejected rm it", "prompt leave it"]);
  await until("completed");
});

test("a dialog before everything else is answered key by key, and the prompt waits behind it", async () => {
  await start([...CLAUDE, "--trust"], "hello");
  expect(await ask()).toMatchObject({ title: "Accessing workspace:" });
  expect((await session()).queue.map(({ status }) => status)).toEqual(["queued"]);
  await answer("approve");
  await expect.poll(log).toEqual(["trusted", "prompt hello"]);
  await until("completed");
});

test("a message to an agent that asks waits, and the dialog gets none of it", async () => {
  await start(CLAUDE);
  await until("completed");
  await send("ask touch it");
  await until("waiting_approval");
  await send("1");
  await sleep(500);
  expect((await session()).status).toBe("waiting_approval");
  await answer("approve");
  await expect.poll(log).toEqual(["prompt ask touch it", "ran touch it", "prompt 1"]);
});

test.each([
  ["with hooks", CLAUDE],
  ["by its screen", HOOKLESS],
])("Esc at the terminal is noticed, in a turn and in a dialog: %s", async (_name, args) => {
  await start(args);
  await until("completed");
  const peer = await attach();
  await send("work 60000");
  await until("streaming");
  await expect.poll(log).toEqual(["prompt work 60000"]);
  await sleep(300);
  peer.type("\x1b");
  await until("paused");
  await send("ask touch it");
  await until("waiting_approval");
  peer.type("\x1b");
  await expect.poll(async () => (await session()).asks).toEqual([]);
  await expect.poll(async () => (await session()).status).toMatch(/^(?:paused|completed)$/);
});

test.each([
  ["with hooks", CLAUDE],
  ["by its screen", HOOKLESS],
])("an approval of a dialog that is half drawn is applied, or asked for again: %s", async (_name, args) => {
  await start(args);
  await until("completed");
  await send("draw touch all of these files");
  await answer("approve");
  const ran = ["prompt draw touch all of these files", "ran touch all of these files"];
  await expect
    .poll(async () => {
      const isAsked = (await session()).status === "waiting_approval";
      const isRun = (await log()).length === ran.length;
      return isAsked || isRun;
    })
    .toBe(true);
  // It is told as open for as long as it is.
  if ((await log()).length < ran.length) {
    await sleep(1_000);
    await answer("approve");
  }
  await expect.poll(log, { timeout: 20_000 }).toEqual(ran);
  await until("completed");
});

test("an answer at the terminal closes the ask", async () => {
  await start(HOOKLESS);
  await until("completed");
  await send("ask touch it");
  const { askId } = await ask();
  (await attach()).type("1");
  await until("completed");
  await expect(daemon.client.answerAsk(sessionId, askId, { decision: "approve" })).rejects.toMatchObject({
    code: "ask_stale",
  });
  expect(await log()).toEqual(["prompt ask touch it", "ran touch it"]);
});

test("an interruption from afar is Esc", async () => {
  await start(CLAUDE);
  await until("completed");
  await send("work 60000");
  await expect.poll(log).toEqual(["prompt work 60000"]);
  await daemon.client.interrupt(sessionId);
  await until("paused");
  expect(await log()).toEqual(["prompt work 60000", "interrupted"]);
});

test("who types at the terminal is not disturbed, and what was to be sent is kept", async () => {
  await start(CLAUDE);
  await until("completed");
  (await attach()).type("half a thought");
  await send("from afar");
  const { error, queue } = await until("error");
  expect(error).toMatchObject({ code: "delivery_failed", message: "Somebody is typing at the terminal." });
  expect(queue.map(({ status }) => status)).toEqual(["queued"]);
  expect(await log()).toEqual([]);
});

test("an agent that a person starts in a shell is seen, and so is its end; typing is neither", async () => {
  await start(["/bin/bash", "--norc"]);
  await until("idle");
  expect(await seats()).toEqual([null]);
  const peer = await attach();
  peer.type("echo cl''aude\r");
  await peer.untilPrinted("claude\r\n");
  peer.type("claude --settings={}\r");
  await expect.poll(seats).toEqual(["claude"]);
  await until("completed");
  await send("ask touch it");
  await answer("approve");
  await until("completed");
  peer.type("/exit");
  await peer.untilPrinted("/exit");
  await sleep(1_500);
  expect(await seats()).toEqual(["claude"]);
  peer.type("\r");
  await expect.poll(seats).toEqual([null]);
  await until("idle");
  peer.type("echo back $((40 + 2))\r");
  await peer.untilPrinted("back 42\r\n");
});

test("what only looks like a dialog is no ask", async () => {
  await start(["/bin/sh"]);
  await until("idle");
  const rows = [
    "─".repeat(60),
    " Bash command",
    "",
    " rm -rf /",
    "",
    " Do you want to proceed?",
    " ❯ 1. Yes",
  ];
  await writeFile(
    join(folder, "dialog"),
    [...rows, "   2. No", "", " Esc to cancel · Tab to amend"].join("\n"),
  );
  const peer = await attach();
  peer.type("clear; cat dialog; sleep 4; echo over $((40 + 2))\r");
  await peer.untilPrinted("over 42");
  expect(await session()).toMatchObject({ status: "idle", asks: [] });
  const items = (await daemon.client.listEvents(sessionId)).items.map((item) => JSON.stringify(item));
  expect(items.filter((item) => item.includes("ask:tool"))).toEqual([]);
});

test("an ask outlives the daemon, and is answered after it is back", async () => {
  await start(CLAUDE);
  await until("completed");
  await send("ask touch it");
  // Its screen may show it first; its hooks then know more of it.
  await expect.poll(async () => (await ask()).title).toBe("Bash");
  const before = await ask();
  await restart();
  expect(await ask()).toEqual(before);
  await answer("approve");
  await until("completed");
  expect(await log()).toEqual(["prompt ask touch it", "ran touch it"]);
});

test("however the daemon dies while it types, a message is entered once", async () => {
  await start(CLAUDE);
  await until("completed");
  const delays = [5, 40, 90, 140, 190, 260];
  for (const [at, delayMs] of delays.entries()) {
    await send(`message ${at}`);
    await sleep(delayMs);
    await restart();
    await expect.poll(log).toContain(`prompt message ${at}`);
    await until("completed");
  }
  expect(await log()).toEqual(delays.map((_, at) => `prompt message ${at}`));
});

test("a program that asks its terminal gets its answer, though nobody looks", async () => {
  const asks = "stty raw -echo; printf '\\033[6n'; IFS= read -r -d R at; printf '%s' \"$at\" > at; exit 0";
  await start(["/bin/bash", "-c", asks]);
  await until("completed");
  expect(await readFile(join(folder, "at"), "utf8")).toBe("\x1b[1;1");
});
