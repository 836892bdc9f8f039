/** The built keeper as a process, spoken to without the client: how it starts, ends, and takes nonsense. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildKeeper, KEEPER } from "../../test/reliability/built-keeper.js";
import { isAlive } from "../../test/reliability/is-alive.js";
import { until } from "../../test/reliability/until.js";
import { KEEPER_LINE_BYTES_MAX } from "../protocol/keeper-format.js";
import { keeperSocketPath } from "./paths.js";

let dataDir = "";
const keepers: ChildProcess[] = [];

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-keeper-")));
});

afterEach(async () => {
  for (const keeper of keepers.splice(0)) {
    keeper.kill("SIGTERM");
    await ended(keeper);
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function start(...args: readonly string[]): ChildProcess {
  const keeper = spawn(process.execPath, [KEEPER, "--data-dir", dataDir, ...args], { stdio: "ignore" });
  keepers.push(keeper);
  return keeper;
}

/** Its exit code and signal, once it has ended. */
async function ended(keeper: ChildProcess): Promise<readonly unknown[]> {
  await until(() => keeper.exitCode !== null || keeper.signalCode !== null);
  return [keeper.exitCode, keeper.signalCode];
}

async function ready(): Promise<void> {
  await until(() => existsSync(keeperSocketPath(dataDir)));
}

/** A connection that remembers every line it got. */
async function open(): Promise<{ socket: Socket; lines: unknown[] }> {
  const socket = connect(keeperSocketPath(dataDir));
  socket.on("error", () => undefined);
  const lines: unknown[] = [];
  let text = "";
  socket.on("data", (chunk) => {
    const parts = (text + chunk.toString()).split("\n");
    text = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line) as unknown));
  });
  await once(socket, "connect");
  return { socket, lines };
}

/** One that has shown the secret. */
async function openTrusted(): Promise<{ socket: Socket; lines: unknown[] }> {
  const opened = await open();
  say(opened.socket, hello(99));
  await until(() => opened.lines.length === 1);
  opened.lines.length = 0;
  return opened;
}

function say(socket: Socket, ...requests: readonly object[]): void {
  socket.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
}

function hello(id: number) {
  return {
    type: "hello",
    id,
    version: 3,
    secret: readFileSync(join(dataDir, "keeper.secret"), "utf8").trim(),
  };
}

function spawnRequest(id: number, script: string) {
  const env = { PATH: process.env["PATH"] };
  const run = { runId: `s.${id}`, effectId: "1.0", cwd: dataDir, env, hooks: false };
  return { type: "spawn", id, ...run, command: "sh", args: ["-c", script] };
}

describe("the secret of the data folder", () => {
  test("is made by the keeper, for nobody else to read, and stays", async () => {
    start();
    await ready();
    expect(statSync(join(dataDir, "keeper.secret")).mode & 0o777).toBe(0o600);
    expect(hello(1).secret).toMatch(/^[\w-]{43}$/);
  });

  test.each([
    ["no hello", { type: "input", id: 4, runId: "s.1", effectId: null, data: "approve", encoding: "utf8" }],
    ["no secret", { type: "hello", id: 4, version: 3 }],
    ["a wrong secret", { type: "hello", id: 4, version: 3, secret: "x".repeat(43) }],
    ["a shutdown", { type: "shutdown", id: 4 }],
  ])("%s is refused, told to whoever is trusted, and cut", async (_name, request) => {
    const keeper = start();
    await ready();
    const daemon = await open();
    say(daemon.socket, hello(1));
    await until(() => daemon.lines.length === 1);
    const stranger = await open();
    say(stranger.socket, request, { type: "shutdown", id: 5 });
    await until(() => stranger.socket.closed);
    expect(stranger.lines).toEqual([
      {
        type: "failed",
        id: 4,
        code: "invalid",
        message: "the keeper talks only to whoever has the secret of its data folder",
      },
    ]);
    expect(daemon.lines.slice(1)).toEqual([{ type: "stranger" }]);
    expect(keeper.exitCode).toBeNull();
    daemon.socket.destroy();
  });

  test("a daemon of before learns only that the keeper is newer", async () => {
    const keeper = start();
    await ready();
    const old = await open();
    say(old.socket, { type: "hello", id: 1, version: 2 });
    await until(() => old.socket.closed);
    expect(old.lines).toEqual([{ type: "welcome", id: 1, version: 3, pid: keeper.pid }]);
  });

  test("the file decides, also when it is another one now", async () => {
    start();
    await ready();
    writeFileSync(join(dataDir, "keeper.secret"), "n".repeat(43));
    const { socket, lines } = await open();
    say(socket, hello(1));
    await until(() => lines.length === 1);
    expect(lines).toMatchObject([{ type: "welcome", id: 1 }]);
    socket.destroy();
  });
});

describe("beginning and end", () => {
  test("a second keeper goes away quietly, and a socket of a dead one is replaced", async () => {
    const first = start();
    await ready();
    const second = start();
    expect(await ended(second)).toEqual([0, null]);
    expect(Number(readFileSync(join(dataDir, "keeper.pid"), "utf8"))).toBe(first.pid);
    first.kill("SIGKILL");
    await ended(first);
    expect(existsSync(keeperSocketPath(dataDir))).toBe(true);
    const third = start();
    await until(() => Number(readFileSync(join(dataDir, "keeper.pid"), "utf8")) === third.pid);
    const { socket, lines } = await open();
    say(socket, hello(1));
    await until(() => lines.length === 1);
    const { version: release } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(lines).toEqual([{ type: "welcome", id: 1, version: 3, release, pid: third.pid, runs: [] }]);
    socket.destroy();
  });

  test("it ends when nobody needs it, and not while somebody is connected", async () => {
    const keeper = start("--idle-exit-ms", "300");
    await ready();
    const { socket } = await open();
    await sleep(1_000);
    expect(keeper.exitCode).toBe(null);
    socket.destroy();
    expect(await ended(keeper)).toEqual([0, null]);
    expect(existsSync(keeperSocketPath(dataDir))).toBe(false);
  });

  test("a run that is just being started is named to who comes meanwhile", async () => {
    start();
    await ready();
    const { socket, lines } = await open();
    say(socket, hello(0), spawnRequest(1, "exec sleep 1000"), hello(2));
    await until(() => lines.length === 3);
    expect(lines).toMatchObject([
      { type: "welcome", id: 0 },
      { type: "done", id: 1 },
      { type: "welcome", id: 2, runs: [{ runId: "s.1", exit: null }] },
    ]);
    socket.destroy();
  });

  test("a terminal's signals do not end it; SIGTERM ends its runs first", async () => {
    const keeper = start();
    await ready();
    const { socket, lines } = await openTrusted();
    keeper.kill("SIGHUP");
    keeper.kill("SIGINT");
    say(
      socket,
      spawnRequest(1, "sleep 1000 & wait"),
      spawnRequest(2, "trap '' TERM; while :; do sleep 0.1; done"),
    );
    await until(() => lines.length === 2);
    const pids = lines.map((line) => (line as { pid: number }).pid);
    expect(pids.map(isAlive)).toEqual([true, true]);
    keeper.kill("SIGTERM");
    expect(await ended(keeper)).toEqual([0, null]);
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(existsSync(keeperSocketPath(dataDir))).toBe(false);
  });

  test("shutdown is answered when every run has ended", async () => {
    const keeper = start();
    await ready();
    const { socket, lines } = await openTrusted();
    say(socket, spawnRequest(1, "exec sleep 1000"));
    await until(() => lines.length === 1);
    const { pid } = lines[0] as { pid: number };
    say(socket, { type: "shutdown", id: 2 });
    await until(() => lines.some((line) => (line as { id?: number }).id === 2));
    expect(isAlive(pid)).toBe(false);
    expect(lines.at(-1)).toEqual({ type: "done", id: 2 });
    expect(await ended(keeper)).toEqual([0, null]);
  });

  test("a deleted socket is made again while a run lives", async () => {
    start();
    await ready();
    const first = await openTrusted();
    say(first.socket, spawnRequest(1, "exec sleep 1000"));
    await until(() => first.lines.length === 1);
    unlinkSync(keeperSocketPath(dataDir));
    await ready();
    const second = await open();
    say(second.socket, hello(1));
    await until(() => second.lines.length === 1);
    expect(second.lines).toMatchObject([{ runs: [{ runId: "s.1" }] }]);
    first.socket.destroy();
    second.socket.destroy();
  });

  test("a keeper whose place was taken ends, and leaves the other's socket alone", async () => {
    const keeper = start();
    await ready();
    unlinkSync(keeperSocketPath(dataDir));
    const other = createServer().listen(keeperSocketPath(dataDir));
    expect(await ended(keeper)).toEqual([0, null]);
    expect(existsSync(keeperSocketPath(dataDir))).toBe(true);
    other.close();
  });

  test("a long path gets a short socket, in a folder of our own", async () => {
    dataDir = join(dataDir, "deep".repeat(30));
    mkdirSync(dataDir, { mode: 0o700 });
    const path = keeperSocketPath(dataDir);
    expect(path.length).toBeLessThan(92);
    start();
    await ready();
    const { socket } = await open();
    socket.destroy();
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    dataDir = dirname(dataDir);
  });

  test("a folder that others can write to is refused, and one that is gone is not made again", async () => {
    execFileSync("chmod", ["777", dataDir]);
    expect(await ended(start())).toEqual([1, null]);
    rmSync(dataDir, { recursive: true, maxRetries: 5 });
    expect(await ended(start())).toEqual([1, null]);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe("connections", () => {
  test("nonsense is answered, and the next line is read", async () => {
    start();
    await ready();
    const { socket, lines } = await openTrusted();
    socket.write(
      'nonsense\n\n[]\n{"type":"explode","id":7}\n{"type":"resize","id":8,"runId":"s.1","cols":0,"rows":1}\n',
    );
    socket.write(Buffer.from([0xff, 0xfe, 0x0a]));
    say(socket, { type: "forget", id: 9, runId: "../../etc.1" }, { type: "stop", id: 10, runId: "s.1" });
    say(socket, { type: "resize", id: 11, runId: "s.1", cols: 1, rows: 1 });
    await until(() => lines.length === 9);
    const invalid = (id: number, message: string) => ({ type: "failed", id, code: "invalid", message });
    expect(lines).toEqual([
      invalid(0, "not a JSON object"),
      invalid(0, "not a JSON object"),
      invalid(0, "not a JSON object"),
      invalid(7, "unknown type"),
      invalid(8, "resize: wrong cols"),
      invalid(0, "not a JSON object"),
      invalid(9, "forget: wrong runId"),
      invalid(10, "stop: wrong effectId"),
      { type: "failed", id: 11, code: "unknown_run", message: "There is no run s.1." },
    ]);
    socket.destroy();
  });

  test("a line without end closes its connection, and no other", async () => {
    start();
    await ready();
    const [bad, good] = [await open(), await open()];
    const piece = Buffer.alloc(1024 * 1024, "x");
    for (let sent = 0; sent <= KEEPER_LINE_BYTES_MAX + piece.length; sent += piece.length)
      bad.socket.write(piece);
    await until(() => bad.socket.closed);
    say(good.socket, hello(1));
    await until(() => good.lines.length === 1);
    good.socket.destroy();
  });

  test("a daemon that does not read gets only the newest when it does", async () => {
    start();
    await ready();
    const { socket, lines } = await open();
    say(socket, hello(0));
    await until(() => lines.length === 1);
    socket.pause();
    // More changes than a connection could hold: each is a write of its own.
    const runs = Array.from({ length: 8 }, (_, index) => index + 1);
    const script = "i=0; while [ $i -lt 4000 ]; do echo $i; i=$((i+1)); done; echo end; exec cat";
    say(socket, ...runs.map((id) => spawnRequest(id, script)));
    const size = (id: number) =>
      statSync(join(dataDir, "runs", `s.${id}`, "out-000000000000000"), { throwIfNoEntry: false })?.size;
    const total = 18_894;
    await until(() => runs.every((id) => size(id) === total));
    socket.resume();
    const newest = (id: number) => lines.findLast((line) => (line as { runId?: string }).runId === `s.${id}`);
    await until(() => runs.every((id) => (newest(id) as { end?: number } | undefined)?.end === total));
    expect(runs.map(newest)).toEqual(runs.map((id) => ({ type: "output", runId: `s.${id}`, end: total })));
    socket.destroy();
  });
});
