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
import { SPOOL_SEGMENT_BYTES, spoolSegmentName } from "../../protocol/keeper-format.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { TerminalBoard, type TerminalBoardOptions } from "./terminal-board.js";

const RECORD: SessionRecord = {
  id: "a",
  createdAtMs: 0,
  updatedAtMs: 0,
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
  isPumped = true;
  /** How many handshakes have reached the board. */
  knocks = 0;
  readonly problems: unknown[] = [];
  private constructor(
    readonly board: TerminalBoard,
    readonly url: string,
    private readonly folder: string,
  ) {}

  static async open(options: Partial<TerminalBoardOptions> = {}): Promise<Bench> {
    const folder = await mkdtemp(join(tmpdir(), "signalbox-terminal-"));
    await mkdir(join(folder, "a.1"));
    const board: TerminalBoard = new TerminalBoard({
      session: (sessionId) => (sessionId === "a" ? bench.record : null),
      isTerminal: (harness) => harness === "terminal",
      runFolder: (runId) => join(folder, runId),
      keeper: () => null,
      isPumped: () => bench.isPumped,
      onProblem: (what, error) => bench.problems.push([what, error]),
      ...options,
    });
    const server = createServer().on("upgrade", (request, socket, head) => {
      board.take({ sessionId: (request.url ?? "").slice(1), request, socket, head });
      bench.knocks += 1;
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const bench = new Bench(board, `http://127.0.0.1:${port}`, folder);
    onTestFinished(async () => {
      await board.close();
      server.close();
      await rm(folder, { recursive: true });
    });
    return bench;
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
  const bench = await Bench.open();
  bench.record = { ...RECORD, seatedRun: 0 };
  const early = bench.look();
  await expect.poll(() => bench.knocks).toBe(1);
  bench.change({ ...RECORD, seatedRun: 0, seq: 2 });
  await bench.print("hello");
  bench.change({ ...RECORD, progress: { ...RECORD.progress, outOffset: 5 } });
  const peer = await early;
  if (!(peer instanceof TerminalPeer)) throw new Error(peer.body);
  await peer.until(({ frames }) => frames.length === 2);
  expect((await peer.lines())[0]).toBe("hello");
});

test("who waits for a process that does not come is turned away, and who leaves is forgotten", async () => {
  const bench = await Bench.open();
  bench.record = { ...RECORD, seatedRun: 0 };
  const early = bench.refusal();
  const impatient = new WebSocket(`${bench.url}/a`);
  impatient.on("error", () => undefined);
  await expect.poll(() => bench.knocks).toBe(2);
  impatient.terminate();
  bench.change({ ...RECORD, seatedRun: 0, state: { ...RECORD.state, alive: false } });
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
  await other.until(({ frames }) => frames.length === 3);
  expect(other.frames[2]).toEqual({ type: "size", cols: 80, rows: 24, owner: true });
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
  bench.isPumped = false;
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
    { type: "snapshot", cols: 80, rows: 24, data: "new\x1b[1;4H", offset: SPOOL_SEGMENT_BYTES + 12 },
    { type: "size", cols: 80, rows: 24, owner: true },
  ]);
  expect(bench.problems).toEqual([]);
});

test("a spool that cannot be read ends the connections, and is said", async () => {
  const bench = await Bench.open();
  const peer = await bench.attach();
  bench.board.grew("a", 1, 10);
  expect((await peer.closed).code).toBe(1011);
  expect(bench.problems).toEqual([["the terminal of a.1", new Error("the spool ends before 10")]]);
  await bench.print("0123456789");
  expect(await bench.refusal()).toBe("opened");
});

test("a screen that nobody looks at is not kept for long", async () => {
  const bench = await Bench.open({ unwatchedMs: 1 });
  await bench.print("first");
  bench.record = { ...RECORD, progress: { ...RECORD.progress, outOffset: 5 } };
  const peer = await bench.attach();
  expect((await peer.lines())[0]).toBe("first");
  peer.close();
  await peer.closed;
  await bench.print("again");
  await expect.poll(async () => (await (await bench.attach()).lines())[0]).toBe("again");
});
