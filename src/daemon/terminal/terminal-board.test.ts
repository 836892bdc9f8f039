import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { TerminalPeer, type Refused } from "../../../test/e2e/terminal-peer.js";
import { initialSession } from "../../core/index.js";
import type { RunReport } from "../../protocol/keeper.js";
import { TOKEN_PRINCIPAL } from "../../protocol/principal.js";
import { SPOOL_SEGMENT_BYTES, spoolSegmentName } from "../../protocol/keeper-format.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import { KeeperClosed, KeeperRefusal, type KeeperClient } from "../keeper/keeper-client.js";
import { TerminalBoard, type TerminalBoardOptions } from "./terminal-board.js";

const RECORD: SessionRecord = {
  id: "a",
  createdAtMs: 0,
  updatedAtMs: 0,
  statusSinceMs: 0,
  settings: { harness: "terminal", title: "", cwd: "/", model: null, args: [], env: {} },
  state: { ...initialSession, status: "completed", run: 1, alive: true },
  seq: 1,
  callCount: 0,
  seatedRun: 1,
  removing: false,
  progress: { run: 1, outOffset: 0, hooksOffset: 0, skipping: false, codec: null },
  askDetails: {},
  openTools: {},
  grants: [],
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: null },
};

/** One session with a terminal, on a board behind a real server; its run is a folder that the test writes to. */
class Bench {
  record: SessionRecord | null = RECORD;
  /** Of the run's process; null: nobody reads its output. */
  pid: number | null = null;
  readonly seen: TerminalObservation[] = [];
  /** How many handshakes have reached the board. */
  knocks = 0;
  readonly problems: unknown[] = [];
  readonly typed: unknown[] = [];
  private constructor(
    readonly board: TerminalBoard,
    readonly url: string,
    private readonly folder: string,
  ) {}

  static async open(options: Partial<TerminalBoardOptions> = {}, pid: number | null = 7): Promise<Bench> {
    const folder = await mkdtemp(join(tmpdir(), "signalbox-terminal-"));
    await mkdir(join(folder, "a.1"));
    const board: TerminalBoard = new TerminalBoard({
      session: (sessionId) => (sessionId === "a" ? bench.record : null),
      isTerminal: (harness) => harness === "terminal",
      runFolder: (runId) => join(folder, runId),
      keeper: () => null,
      pidOf: () => bench.pid,
      observe: (_sessionId, _run, observation) => bench.seen.push(observation),
      onTyped: (by, sessionId) => bench.typed.push([by.kind, sessionId]),
      onProblem: (what, error) => bench.problems.push([what, error]),
      ...options,
    });
    const server = createServer().on("upgrade", (request, socket, head) => {
      const [sessionId = "", mode] = (request.url ?? "").slice(1).split("?");
      board.take({ sessionId, request, socket, head, typist: mode === "watch" ? null : TOKEN_PRINCIPAL });
      bench.knocks += 1;
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const bench = new Bench(board, `http://127.0.0.1:${port}`, folder);
    if (pid !== null) bench.follow(pid);
    onTestFinished(async () => {
      await board.close();
      server.close();
      await rm(folder, { recursive: true, maxRetries: 5 });
    });
    return bench;
  }

  /** Its process is there. */
  follow(pid: number, report: Partial<RunReport> = {}): void {
    this.pid = pid;
    this.board.followed("a", 1, { pid, outEnd: 0, lastEffectId: null, ...report });
  }

  look(sessionId = "a"): Promise<TerminalPeer | Refused> {
    return TerminalPeer.open(`${this.url}/${sessionId}`, {});
  }

  async attach(): Promise<TerminalPeer> {
    const peer = await this.look();
    if (!(peer instanceof TerminalPeer)) throw new Error(peer.body);
    await peer.until(({ frames }) => frames.length === 2);
    return peer;
  }

  /** The status and the code of a refusal. */
  async refusal(sessionId?: string): Promise<unknown> {
    const answer = await this.look(sessionId);
    if (answer instanceof TerminalPeer) return "opened";
    return [answer.status, (JSON.parse(answer.body) as { code: unknown }).code];
  }

  async print(text: string, startOffset = 0): Promise<void> {
    await writeFile(join(this.folder, "a.1", spoolSegmentName(startOffset)), text);
    this.board.grew("a", 1, startOffset + Buffer.byteLength(text));
  }

  async deletePrinted(startOffset: number): Promise<void> {
    await rm(join(this.folder, "a.1", spoolSegmentName(startOffset)));
  }

  change(record: SessionRecord | null): void {
    this.record = record;
    this.board.publish({ sync: "full", entries: [], sessionIds: ["a"], removedSessionIds: [] });
  }
}

test("who looks at what is not there is told so", async () => {
  const bench = await Bench.open();
  expect(await bench.refusal("b")).toEqual([404, "session_not_found"]);
  bench.record = { ...RECORD, settings: { ...RECORD.settings, harness: "claude" } };
  expect(await bench.refusal()).toEqual([409, "conflict"]);
  bench.record = { ...RECORD, state: { ...RECORD.state, alive: false } };
  expect(await bench.refusal()).toEqual([409, "conflict"]);
  bench.record = RECORD;
  await bench.board.close();
  expect(await bench.refusal()).toEqual([503, "internal"]);
});

test("there is room for 64 clients", async () => {
  const bench = await Bench.open();
  const peers: TerminalPeer[] = [];
  while (peers.length < 64) peers.push(await bench.attach());
  expect(await bench.refusal()).toEqual([503, "internal"]);
  peers[0]?.close();
  await peers[0]?.closed;
  await expect.poll(() => bench.refusal()).toBe("opened");
});

test("who comes before the process waits for it", async () => {
  const bench = await Bench.open({}, null);
  const early = bench.look();
  await expect.poll(() => bench.knocks).toBe(1);
  bench.change({ ...RECORD, seq: 2 });
  await bench.print("hello");
  bench.follow(7, { outEnd: 5 });
  bench.change({ ...RECORD, seq: 3 });
  const peer = await early;
  if (!(peer instanceof TerminalPeer)) throw new Error(peer.body);
  await peer.until(({ frames }) => frames.length === 2);
  expect((await peer.lines())[0]).toBe("hello");
});

test("who waits for a process that does not come is turned away, and who leaves is forgotten", async () => {
  const bench = await Bench.open({}, null);
  const early = bench.refusal();
  const impatient = new WebSocket(`${bench.url}/a`);
  impatient.on("error", () => undefined);
  await expect.poll(() => bench.knocks).toBe(2);
  impatient.terminate();
  bench.change({ ...RECORD, state: { ...RECORD.state, alive: false } });
  expect(await early).toEqual([409, "conflict"]);
});

test.each([
  ["no JSON", "{", false, 1007],
  ["another shape", '{"inputs":"x"}', false, 1008],
  ["two things at once", '{"input":"x","resize":{"cols":80,"rows":24}}', false, 1008],
  ["a size that is too large", '{"resize":{"cols":1001,"rows":24}}', false, 1008],
  ["a size that is no size", '{"resize":{"cols":80.5,"rows":24}}', false, 1008],
  ["bytes", "x", true, 1008],
  ["more than a frame may have", `{"input":"${"x".repeat(64 * 1024)}"}`, false, 1009],
  ["input that nobody can take", '{"input":"x"}', false, 1013],
])("a frame with %s ends the connection, with the reason", async (_name, frame, isBinary, code) => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  const other = await bench.attach();
  peer.socket.send(frame, { binary: isBinary });
  expect((await peer.closed).code).toBe(code);
  expect(other.socket.readyState).toBe(WebSocket.OPEN);
});

test("who may only look sees all of it; sizes are passed over, and keys end the connection", async () => {
  const bench = await Bench.open();
  const watcher = new WebSocket(`${bench.url}/a?watch`);
  await once(watcher, "message");
  watcher.send('{"resize":{"cols":40,"rows":10}}');
  watcher.send('{"input":"x"}');
  const [code, reason] = (await once(watcher, "close")) as [number, Buffer];
  expect([code, String(reason)]).toEqual([
    1008,
    "typing needs the role operate, and a person: agents may only look",
  ]);
});

test("who does not answer is cut", async () => {
  const bench = await Bench.open({ pingEveryMs: 50 });
  const alive = await bench.attach();
  const dead = new WebSocket(`${bench.url}/a`, { autoPong: false });
  const [code] = (await once(dead, "close")) as [number];
  expect(code).toBe(1006);
  expect(alive.socket.readyState).toBe(WebSocket.OPEN);
});

test("the end is told after the last byte", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  await bench.print("last words");
  await bench.board.ended("a", 1, { code: null, signal: "SIGKILL" });
  expect(await peer.closed).toEqual({ code: 1000, reason: "the program has ended" });
  expect(peer.bytes().toString()).toBe("last words");
  expect(peer.frames.slice(2)).toEqual([{ type: "exit", code: null, signal: "SIGKILL" }]);
});

test("an end that nobody tells is told by the session", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  const ended = { ...RECORD, state: { ...RECORD.state, alive: false } };
  bench.change(ended);
  bench.pid = null;
  bench.change({ ...RECORD, seq: 2 });
  expect(peer.frames.length).toBe(2);
  bench.change(ended);
  expect((await peer.closed).code).toBe(1000);
  expect(peer.frames.slice(2)).toEqual([{ type: "exit", code: null, signal: null }]);
});

test("a screen that falls too far behind begins anew, and so do its clients", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  await bench.print("old");
  await peer.until(({ sizeBytes }) => sizeBytes === 3);
  await bench.deletePrinted(0);
  await bench.print("1m rest\r\nnew", SPOOL_SEGMENT_BYTES);
  await peer.until(({ frames }) => frames.length === 4);
  expect(peer.frames.slice(2)).toEqual([
    { type: "snapshot", cols: 120, rows: 40, data: "new\x1b[1;4H", offset: SPOOL_SEGMENT_BYTES + 12 },
    { type: "size", cols: 120, rows: 40, owner: false },
  ]);
  expect(bench.problems).toEqual([]);
});

test("an agent whose beginning is not kept any more takes pastes as before; of any other program that is not known", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  const takesPastes = () => bench.board.terminalOf("a", 1)?.takesPastes;
  const front = (command: string) =>
    bench.board.foreground("a", 1, { pid: 8, start: "8@boot", programs: [{ command, args: [] }] });
  await bench.print("old");
  await peer.until(({ sizeBytes }) => sizeBytes === 3);
  front("claude");
  expect(takesPastes()).toBe(false);
  await bench.deletePrinted(0);
  await bench.print("1m rest\r\nnew", SPOOL_SEGMENT_BYTES);
  await peer.until(({ frames }) => frames.length === 4);
  expect(takesPastes()).toBe(true);
  front("make");
  expect(takesPastes()).toBe(false);
});

/** A keeper that notes what it is told. */
function listeningKeeper(): { readonly told: unknown[]; readonly client: KeeperClient } {
  const told: unknown[] = [];
  const client = {
    input: ({ effectId, data }: { effectId: string | null; data: string }) => {
      told.push(effectId === null ? data : [effectId, data]);
      return Promise.resolve();
    },
    resize: ({ cols, rows }: { cols: number; rows: number }) => {
      told.push([cols, rows]);
      return Promise.resolve();
    },
  };
  return { told, client: client as unknown as KeeperClient };
}

test("a spool that cannot be read ends the connections, and is said", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  bench.board.grew("a", 1, 10);
  expect((await peer.closed).code).toBe(1011);
  expect(bench.problems).toEqual([["the terminal of a.1", new Error("the spool ends before 10")]]);
  await bench.print("0123456789");
  expect(await bench.refusal()).toBe("opened");
});

test("a terminal that cannot be read is read again by itself, at its own size, and nothing is typed twice", async () => {
  const { told, client } = listeningKeeper();
  const bench = await Bench.open({ keeper: () => client });
  const peer = await bench.attach();
  peer.resize(100, 30);
  await peer.until(({ frames }) => frames.length === 3);
  const terminal = bench.board.terminalOf("a", 1);
  bench.board.foreground("a", 1, { pid: 7, programs: [{ command: "/bin/sh", args: [] }] });
  await terminal?.type("1.0", { type: "keys", keys: ["x"] }, new AbortController().signal);
  bench.board.grew("a", 1, 2);
  await peer.closed;
  expect(bench.board.terminalOf("a", 1)?.look()).toBe(null);
  await bench.print("$ ");
  await expect
    .poll(() => bench.board.terminalOf("a", 1)?.look()?.activity, { timeout: 10_000 })
    .toBe("shell");
  await bench.board
    .terminalOf("a", 1)
    ?.type("1.0", { type: "keys", keys: ["x"] }, new AbortController().signal);
  expect(told).toEqual([
    [100, 30],
    ["1.1", "x"],
  ]);
  expect((await bench.attach()).frames[0]).toMatchObject({ cols: 100, rows: 30, data: "$ \x1b[1;3H" });
});

test("a terminal that cannot be read when its program ends is given up", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  await bench.print("012");
  bench.board.grew("a", 1, 10);
  await peer.closed;
  await bench.board.ended("a", 1, { code: 0, signal: null });
  expect([bench.board.terminalOf("a", 1), bench.problems.length]).toEqual([null, 2]);
});

test("whoever asked for a size last decides it, and then the one before", async () => {
  const { told, client } = listeningKeeper();
  const bench = await Bench.open({ keeper: () => client });
  const first = await bench.attach();
  const second = await bench.attach();
  first.resize(100, 30);
  await second.until(({ frames }) => frames.length === 3);
  second.resize(50, 10);
  await first.until(({ frames }) => frames.length === 4);
  second.close();
  await first.until(({ frames }) => frames.length === 5);
  expect([told, first.frames.slice(2), second.frames.slice(2)]).toEqual([
    [
      [100, 30],
      [50, 10],
    ],
    [
      { type: "size", cols: 100, rows: 30, owner: true },
      { type: "size", cols: 50, rows: 10, owner: false },
      { type: "size", cols: 50, rows: 10, owner: true },
    ],
    [
      { type: "size", cols: 100, rows: 30, owner: false },
      { type: "size", cols: 50, rows: 10, owner: true },
    ],
  ]);
});

test("what a program asks its terminal is answered once, whoever looks, and not when it is old", async () => {
  const { told, client } = listeningKeeper();
  const bench = await Bench.open({ keeper: () => client }, null);
  await bench.print("\x1b[c");
  bench.follow(7, { outEnd: 3 });
  const peer = await bench.attach();
  const asked = "\x1b[c\x1b[c ab\x1b[6n\x1b]11;?\x07";
  await bench.print(asked);
  await peer.until(({ sizeBytes }) => sizeBytes === asked.length - 3);
  await expect.poll(() => told).toEqual(["\x1b[?1;2c", "\x1b[1;4R", "\x1b]11;rgb:1818/1818/1818\x1b\\"]);
  // The client's own terminal answers too.
  for (const reply of ["\x1b[?1;2c", "\x1b[1;4R", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"]) peer.type(reply);
  // Nobody typed any of this; and who types is told of once, not with every key.
  const person = await bench.attach();
  person.type("typed\x1b[A");
  person.type("more");
  await expect.poll(() => told.slice(3)).toEqual(["typed\x1b[A", "more"]);
  expect(bench.typed).toEqual([["token", "a"]]);
});

test("keys of a request reach whatever is in front, as they are", async () => {
  const { told, client } = listeningKeeper();
  const bench = await Bench.open({ keeper: () => client });
  expect(await bench.board.typeKeys("a", "ls\r\x1b[A")).toBe(null);
  expect(told).toEqual(["ls\r\x1b[A"]);
});

test("keys that nobody can take are refused", async () => {
  const refuse = (refusal: Error): KeeperClient =>
    ({ input: () => Promise.reject(refusal) }) as unknown as KeeperClient;
  let keeper: KeeperClient | null = null;
  const bench = await Bench.open({ keeper: () => keeper });
  const refusal = async (sessionId = "a") => {
    const refused = await bench.board.typeKeys(sessionId, "x");
    return refused && [refused.code, refused.message];
  };
  expect(await refusal("b")).toEqual(["session_not_found", "There is no session b."]);
  const full = ["conflict", "The program in this terminal does not take input now."];
  const away = ["keeper_away", "The keeper, which owns the terminals, has ended or does not answer."];
  expect(await refusal()).toEqual(away);
  keeper = refuse(new KeeperClosed("gone"));
  expect(await refusal()).toEqual(away);
  keeper = refuse(new KeeperRefusal("input_full", "full"));
  expect(await refusal()).toEqual(full);
  keeper = refuse(new Error("broken"));
  await expect(refusal()).rejects.toThrow("broken");
  bench.record = { ...RECORD, state: { ...RECORD.state, alive: false } };
  const nothing = ["conflict", "Nothing runs in this session's terminal now."];
  expect(await refusal()).toEqual(nothing);
  bench.record = { ...RECORD, state: { ...RECORD.state, run: 2 } };
  expect(await refusal()).toEqual(nothing);
  bench.record = { ...RECORD, settings: { ...RECORD.settings, harness: "claude" } };
  expect(await refusal()).toEqual(["conflict", "This session has no terminal."]);
  await bench.board.close();
  expect(await refusal()).toEqual(["internal", "The daemon is going away."]);
});

test("a person names the program in front, unless it is a shell", async () => {
  const bench = await Bench.open();
  const front = (command: string, pid: number) =>
    bench.board.foreground("a", 1, { pid, programs: [{ command, args: [] }] });
  front("/bin/sh", 7);
  expect(bench.board.nameAgent("a", "aider")).toEqual({
    ok: false,
    code: "no_agent",
    message: "Only a shell is in front of this terminal. Start aider in it first, then say that it is there.",
  });
  front("python3", 8);
  expect(bench.board.nameAgent("a", "aider")).toBe(null);
  expect(bench.seen.filter(({ type }) => type === "named")).toEqual([{ type: "named", name: "aider" }]);
});

test("who is in front, and what is shown, is told when it changes", async () => {
  const bench = await Bench.open();
  const front = (command: string, pid: number) =>
    bench.board.foreground("a", 1, { pid, programs: [{ command, args: [] }] });
  front("/bin/sh", 7);
  front("/bin/sh", 7);
  await bench.print("$ ");
  await expect.poll(() => bench.seen.length).toBe(2);
  front("claude", 8);
  expect(bench.seen).toMatchObject([
    { type: "foreground", pid: 7, command: "/bin/sh", agent: null, isShell: true, isOwn: true },
    { type: "screen", reading: { activity: "shell" }, stability: "fresh" },
    { type: "foreground", pid: 8, command: "claude", agent: "claude", isShell: false, isOwn: false },
  ]);
});
