/** Terminals over the WebSocket: a real daemon, a real keeper, a real shell. */
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/signalbox-error.js";
import { spoolSegmentName, spoolSegmentStart } from "../../src/protocol/keeper-format.js";
import { HAS_PROCESS_COSTS, memoryBytes } from "../bench/process-costs.js";
import { runSignalbox } from "../cli/signalbox.js";
import { emptyTerminal, linesOf, TerminalPeer, writeTo, type Refused } from "./terminal-peer.js";
import { TestDaemon } from "./test-daemon.js";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await TestDaemon.start();
});

afterAll(async () => {
  await daemon.end();
});

/** A shell that says `~/ready$ ` when it waits, and has said so. */
async function startShell(): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "terminal",
    cwd: tmpdir(),
    args: ["/bin/sh"],
    env: { PS1: "~/ready$ ", ENV: "" },
  });
  await expect.poll(() => statusOf(id)).toBe("idle");
  return id;
}

function open(
  sessionId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TerminalPeer | Refused> {
  const { url, token } = daemon.ready;
  return TerminalPeer.open(`${url}/v1/sessions/${sessionId}/terminal`, {
    authorization: `Bearer ${token}`,
    ...headers,
  });
}

async function attach(sessionId: string): Promise<TerminalPeer> {
  const peer = await open(sessionId);
  if (!(peer instanceof TerminalPeer)) throw new Error(`refused: ${peer.body}`);
  await peer.until(({ frames }) => frames.length === 2);
  return peer;
}

async function refusal(sessionId: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const answer = await open(sessionId, headers);
  if (answer instanceof TerminalPeer) return "opened";
  return [answer.status, (JSON.parse(answer.body) as { code: unknown }).code];
}

function runFolder(sessionId: string): string {
  return join(daemon.dataDir, "runs", `${sessionId}.1`);
}

/** All that its run has printed, as long as nothing of it was deleted. */
function spooled(sessionId: string): Promise<Buffer> {
  return readFile(join(runFolder(sessionId), spoolSegmentName(0)));
}

/** What a terminal shows that got all of it. */
async function linesAfter(output: Buffer, cols = 120, rows = 40): Promise<readonly string[]> {
  const terminal = emptyTerminal(cols, rows);
  await writeTo(terminal, output);
  return linesOf(terminal);
}

/** Runs a command line, and waits until the shell is ready again. */
async function run(peer: TerminalPeer, command: string): Promise<void> {
  count += 1;
  peer.type(`${command}; echo did''${count}\r`);
  await peer.until(({ newest }) => newest.endsWith(`did${count}\r\n~/ready$ `));
}

let count = 0;

/** The last lines that were printed, without what `run` adds. */
async function lastLines(peer: TerminalPeer, length: number): Promise<readonly string[]> {
  const lines = (await peer.lines()).filter((line) => !/^(did\d+|~\/ready\$.*|)$/.test(line));
  return lines.slice(-length);
}

async function statusOf(sessionId: string): Promise<string> {
  return (await daemon.client.getSession(sessionId)).status;
}

test("keys of a request are typed at the terminal, into the shell that is in front", async () => {
  const id = await startShell();
  const peer = await attach(id);
  await daemon.client.typeKeys(id, { text: "echo $((40 + 2))\r" });
  await expect.poll(() => peer.lines()).toContain("42");
  await daemon.client.cancel(id);
  const typed = () =>
    daemon.client.typeKeys(id, { text: "x" }).then(
      () => "typed",
      (error: unknown) => error instanceof SignalboxError && error.code,
    );
  await expect.poll(typed).toBe("conflict");
});

test("what is typed is run, and changes nothing about the session", async () => {
  const id = await startShell();
  const peer = await attach(id);
  const [snapshot, ...more] = peer.frames;
  expect(snapshot).toMatchObject({ type: "snapshot", cols: 120, rows: 40 });
  expect(more).toEqual([{ type: "size", cols: 120, rows: 40, owner: false }]);
  await expect.poll(() => statusOf(id)).toBe("idle");
  const before = await daemon.client.listEvents(id);
  await run(peer, "echo $((6 * 7)) täglich");
  expect(await lastLines(peer, 1)).toEqual(["42 täglich"]);
  // Every key is a frame of its own, and many are under way at a time.
  for (const key of `echo ${"0123456789".repeat(7)}\r`) peer.type(key);
  await peer.untilPrinted(`\n${"0123456789".repeat(7)}\r\n~/ready$ `);
  await run(peer, "/exit");
  peer.type("quit\x03");
  await peer.untilPrinted("^C\r\n~/ready$ ");
  expect(await peer.lines()).toEqual(await linesAfter(await spooled(id)));
  expect(await daemon.client.listEvents(id)).toEqual(before);
  expect(await statusOf(id)).toBe("idle");
});

test("a shell gets no message on any way, and is shown as a shell", async () => {
  const id = await startShell();
  const peer = await attach(id);
  const refusal = (sent: Promise<unknown>) =>
    sent.then(
      () => "sent",
      (error: unknown) => {
        const { status, code } = error as { readonly status: number; readonly code: string };
        return `${status} ${code}`;
      },
    );
  const text = "echo sent $((2 + 2))";
  expect(await refusal(daemon.client.sendMessage(id, { text }))).toBe("409 no_agent");
  expect(await refusal(daemon.client.sendMessage(id, { text, force: true }))).toBe("409 no_agent");
  expect(await refusal(daemon.client.routeMessage({ text }))).toBe("409 no_agent");
  expect(await refusal(daemon.client.routeMessage({ text, sessionId: id }))).toBe("409 no_agent");
  expect(await refusal(daemon.client.routeMessage({ text, sessionId: id, fallback: true }))).toBe(
    "409 no_agent",
  );
  for (const words of [[text], [id, text], [id, text, "--force"], [id, text, "--fallback"]]) {
    const { code, stderr } = await runSignalbox(["send", ...words, "--data-dir", daemon.dataDir]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^signalbox: No agent .* \(no_agent\)\n/)]);
  }
  await run(peer, "echo typed $((1 + 2))");
  const said = (await peer.lines()).filter((line) => /sent|typed/.test(line) && !line.includes("~/ready$"));
  expect(said).toEqual(["typed 3"]);
  const { status, agent, addressee, ui } = await daemon.client.getSession(id);
  expect([status, agent, addressee, ui.showSpinner]).toEqual(["idle", null, "agent", false]);
});

test("who asked for a size last decides it, and then who asked before", async () => {
  const id = await startShell();
  const first = await attach(id);
  const second = await attach(id);
  expect(second.frames[1]).toEqual({ type: "size", cols: 120, rows: 40, owner: false });
  first.resize(100, 30);
  await run(first, "stty size");
  expect(await lastLines(first, 1)).toEqual(["30 100"]);
  expect(await first.lines()).toEqual(await linesAfter(await spooled(id), 100, 30));
  await second.until(({ frames }) => frames.length === 3);
  expect(second.frames[2]).toEqual({ type: "size", cols: 100, rows: 30, owner: false });
  second.resize(50, 10);
  await run(second, "stty size");
  expect(await lastLines(second, 1)).toEqual(["10 50"]);
  await first.until(({ frames }) => frames.length === 4);
  expect(first.frames[3]).toEqual({ type: "size", cols: 50, rows: 10, owner: false });
  second.close();
  await first.until(({ frames }) => frames.length === 5);
  expect(first.frames[4]).toEqual({ type: "size", cols: 50, rows: 10, owner: true });
});

test("a second client sees the same screen", async () => {
  const id = await startShell();
  const first = await attach(id);
  const print = "printf 'line %s \\033[3%sm日本\\033[0m\\n' $i $((i % 8))";
  await run(first, `i=0; while [ $i -lt 60 ]; do i=$((i + 1)); ${print}; done`);
  await run(first, "printf '\\033[5;10Hhere\\033[24;1H'");
  const second = await attach(id);
  const output = await spooled(id);
  expect(second.offset).toBe(output.length);
  expect(await second.lines()).toEqual(await linesAfter(output));
  expect(await first.lines()).toEqual(await linesAfter(output));
});

test("clients that come while much is printed miss nothing, and get nothing twice", async () => {
  const id = await startShell();
  const first = await attach(id);
  first.type("seq 1 60000 | sed 's/$/ and \\x1b[32mmore\\x1b[0m words 日本/'; echo the''end\r");
  const peers = [first];
  while (!first.newest.includes("theend\r\n") && peers.length < 40) peers.push(await attach(id));
  await first.untilPrinted("theend\r\n~/ready$ ");
  const output = await spooled(id);
  const lines = await linesAfter(output);
  for (const peer of peers) {
    await peer.until(({ offset, sizeBytes }) => offset + sizeBytes === output.length);
    expect(peer.bytes().equals(output.subarray(peer.offset))).toBe(true);
    expect((await peer.lines()).slice(-800)).toEqual(lines.slice(-800));
  }
  const joined = peers.filter(({ offset }) => offset > first.offset && offset < output.length);
  expect(joined.length).toBeGreaterThan(0);
});

test("the screen and the shell outlive the daemon", async () => {
  const id = await startShell();
  const before = await attach(id);
  before.resize(90, 20);
  await run(before, "kept=still; echo before the crash");
  await run(before, "printf '\\033[7;7Hmarked\\033[20;1H'");
  const lines = await before.lines();
  await daemon.kill("SIGKILL");
  expect((await before.closed).code).toBe(1006);
  daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
  const after = await attach(id);
  expect(after.frames[0]).toMatchObject({ cols: 90, rows: 20, offset: (await spooled(id)).length });
  expect(await after.lines()).toEqual(lines);
  await run(after, "echo $kept there; stty size");
  expect(await lastLines(after, 2)).toEqual(["still there", "20 90"]);
  expect(after.bytes()).toEqual((await spooled(id)).subarray(after.offset));
});

test("one who comes right after a crash in the middle of much output misses nothing", async () => {
  const id = await startShell();
  const before = await attach(id);
  before.type("seq 1 200000 | sed 's/$/ 日本/'; echo the''end\r");
  await before.until(({ sizeBytes }) => sizeBytes > 100_000);
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
  const after = await attach(id);
  await expect.poll(() => lastLines(after, 1), { timeout: 30_000 }).toEqual(["theend"]);
  const output = await spooled(id);
  expect(after.bytes().equals(output.subarray(after.offset))).toBe(true);
  expect((await after.lines()).slice(-800)).toEqual((await linesAfter(output)).slice(-800));
});

test("a client that is too slow gets a new snapshot instead of what it missed", async () => {
  const id = await startShell();
  const slow = await attach(id);
  const quick = await attach(id);
  slow.socket.pause();
  quick.type("seq 1 3000000; echo the''end\r");
  await expect.poll(() => quick.lines(), { timeout: 120_000 }).toContain("theend");
  slow.socket.resume();
  await slow.until(({ frames }) => frames.length > 3);
  expect(slow.frames.slice(2).map(({ type }) => type)).toEqual(["snapshot", "size"]);
  await run(slow, "echo and on");
  expect(await lastLines(slow, 3)).toEqual(["3000000", "theend", "and on"]);
  await quick.untilPrinted("and on\r\n");
  expect(await lastLines(quick, 700)).toEqual(await lastLines(slow, 700));
});

test.skipIf(!HAS_PROCESS_COSTS)("clients that never read cost a bounded amount of memory", async () => {
  const id = await startShell();
  const quick = await attach(id);
  const silent = await Promise.all(Array.from({ length: 8 }, () => attach(id)));
  for (const { socket } of silent) socket.pause();
  const before = memoryBytes(daemon.ready.pid);
  quick.type("seq 1 2500000; echo the''end\r");
  await expect.poll(() => quick.lines(), { timeout: 120_000 }).toContain("theend");
  // Kept for all of them it would be 150 MB.
  expect(memoryBytes(daemon.ready.pid) - before).toBeLessThan(100_000_000);
  for (const peer of silent) peer.socket.terminate();
});

test("who comes again sees a full-screen program as it is, also in a terminal that became narrower", async () => {
  const id = await startShell();
  const first = await attach(id);
  await run(first, "printf '\\033[?1049h\\033[H%0100d' 7");
  first.resize(40, 12);
  await run(first, "printf '\\033[2;1Hsecond row\\033[10;1H'");
  const lines = await first.lines();
  first.close();
  const again = await attach(id);
  expect(again.frames[0]).toMatchObject({ type: "snapshot", cols: 40, rows: 12 });
  expect(await again.lines()).toEqual(lines.map((line) => line.slice(0, 40)));
});

test("however much is printed, the newest of it is kept and no more", async () => {
  const id = await startShell();
  await daemon.client.typeKeys(id, {
    text: "head -c 200000000 /dev/zero | tr '\\0' x; echo; echo theend\r",
  });
  const peer = await attach(id);
  await expect.poll(() => lastLines(peer, 1), { timeout: 200_000, interval: 500 }).toEqual(["theend"]);
  expect(peer.offset + peer.sizeBytes).toBeGreaterThan(200_000_000);
  const starts = (await readdir(runFolder(id))).flatMap((name) => spoolSegmentStart(name) ?? []);
  expect(starts.length).toBeLessThanOrEqual(2);
});

test("how the program ended is told, and there is no terminal any more", async () => {
  const id = await startShell();
  const peer = await attach(id);
  peer.type("echo last words; exit 3\r");
  expect(await peer.closed).toEqual({ code: 1000, reason: "the program has ended" });
  expect(peer.frames.at(-1)).toEqual({ type: "exit", code: 3, signal: null });
  expect(await lastLines(peer, 1)).toEqual(["last words"]);
  expect(await refusal(id, {})).toEqual([409, "conflict"]);
});

test("a daemon that ends takes leave, and leaves the shell alone", async () => {
  const id = await startShell();
  const peer = await attach(id);
  await run(peer, "kept=still");
  await daemon.kill("SIGTERM");
  expect(await peer.closed).toEqual({ code: 1001, reason: "the daemon is going away" });
  daemon = await TestDaemon.start({ dataDir: daemon.dataDir });
  const after = await attach(id);
  await run(after, "echo $kept there");
  expect(await lastLines(after, 1)).toEqual(["still there"]);
});

test("only our own may look", async () => {
  const id = await startShell();
  await attach(id);
  const refusals = {
    "no token": await refusal(id, { authorization: "" }),
    "a wrong token": await refusal(id, { authorization: "Bearer wrong" }),
    "another host": await refusal(id, { host: "evil.example" }),
    "another page": await refusal(id, { origin: "https://evil.example" }),
    "another site": await refusal(id, { "sec-fetch-site": "cross-site" }),
    "our own page": await refusal(id, { origin: daemon.ready.url }),
    "no session": await refusal("none", {}),
  };
  expect(refusals).toEqual({
    "no token": [401, "unauthorized"],
    "a wrong token": [401, "unauthorized"],
    "another host": [403, "forbidden"],
    "another page": [403, "forbidden"],
    "another site": [403, "forbidden"],
    "our own page": "opened",
    "no session": [404, "session_not_found"],
  });
});

test("what has no terminal says so", async () => {
  const { id } = await daemon.client.createSession({ harness: "script", cwd: tmpdir(), prompt: "hello" });
  expect(await refusal(id, {})).toEqual([409, "conflict"]);
});

test("a program that cannot be started turns its clients away", async () => {
  const args = ["/nowhere/to/be/found"];
  const { id } = await daemon.client.createSession({ harness: "terminal", cwd: tmpdir(), args });
  expect(await refusal(id, {})).toEqual([409, "conflict"]);
  await expect.poll(() => statusOf(id)).toBe("error");
});
