/** How runs go on and end: the spool, stopping, terminals, hooks. A real keeper and real processes. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  buildKeeper,
  isDead,
  KEEPER,
  outputOf,
  programRun,
  shellRun,
} from "../../../test/reliability/built-keeper.js";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { until } from "../../../test/reliability/until.js";
import { runFolder } from "../../keeper/paths.js";
import type { Foreground } from "../../protocol/keeper.js";
import { SPOOL_SEGMENT_BYTES, spoolSegmentName } from "../../protocol/keeper-format.js";
import { KeeperClient, type RunNotice } from "./keeper-client.js";
import { SpoolReader } from "./spool-reader.js";

let dataDir = "";
let keeperPid = 0;

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-keeper-")));
});

afterEach(async () => {
  if (isAlive(keeperPid)) {
    process.kill(keeperPid, "SIGTERM");
    await until(() => !isAlive(keeperPid));
  }
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function connect(keeperArgs: readonly string[] = [], onNotice?: (notice: RunNotice) => void) {
  const notices: SpoolNotice[] = [];
  const fronts: string[][] = [];
  const connection = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    keeperArgs,
    onNotice: (notice) => {
      onNotice?.(notice);
      if (notice.type === "foreground") noteFront(fronts, notice.foreground);
      else notices.push(notice);
    },
    onClosed: () => undefined,
  });
  ({ keeperPid } = connection);
  return { ...connection, notices, fronts };
}

/** What is in front, by its programs. Between its fork and its start a program is still what it was forked from. */
function noteFront(fronts: string[][], { programs }: Foreground): void {
  const names = programs.map(({ command }) => command);
  if (fronts.at(-1)?.join() !== names.join()) fronts.push(names);
}

type SpoolNotice = Exclude<RunNotice, { readonly type: "foreground" }>;

const spec = (runId: string, command: string, ...args: readonly string[]) =>
  programRun(runId, dataDir, command, ...args);
const shell = (runId: string, script: string) => shellRun(runId, script, dataDir);

async function exitOf(notices: readonly SpoolNotice[], runId: string) {
  const find = () => notices.find((notice) => notice.type === "exit" && notice.runId === runId);
  await until(() => find() !== undefined);
  return find();
}

function segmentsOf(runId: string): readonly string[] {
  return readdirSync(runFolder(dataDir, runId)).filter((name) => name.startsWith("out-"));
}

const EXITED = { code: 0, signal: null };

describe("the end", () => {
  test.each([
    ["exit 7", { code: 7, signal: null }],
    ["kill -9 $$", { code: null, signal: "SIGKILL" }],
  ])("%s is told, and known until it is forgotten", async (script, exit) => {
    const first = await connect();
    const pid = await first.client.spawn(shell("s.1", `echo last words; ${script}`));
    const told = { type: "exit", runId: "s.1", end: 11, exit };
    expect(await exitOf(first.notices, "s.1")).toEqual(told);
    first.client.close();
    const { client, runs, notices } = await connect();
    const report = { runId: "s.1", pid, startedAtMs: expect.any(Number) as number, hooksEnd: 0 };
    expect(runs).toEqual([{ ...report, outEnd: 11, lastEffectId: "1.0", exit }]);
    expect(await outputOf(dataDir, "s.1")).toBe("last words\n");
    await client.forget("s.1");
    await client.forget("s.1");
    expect(readdirSync(join(dataDir, "runs"))).toEqual([]);
    expect((await connect()).runs).toEqual([]);
    expect(notices).toEqual([]);
  });

  test("a run that lives is not forgotten", async () => {
    const { client } = await connect();
    await client.spawn(spec("s.1", "cat"));
    await expect(client.forget("s.1")).rejects.toMatchObject({ code: "invalid" });
  });

  test("what an agent leaves in its group ends with it, and what they printed is kept", async () => {
    const { client, notices } = await connect();
    const stubborn = "trap '' TERM; while :; do sleep 0.1; done";
    await client.spawn(shell("s.1", `sleep 1000 & echo $!; sh -c "${stubborn}" & echo $!; exit 3`));
    expect(await exitOf(notices, "s.1")).toMatchObject({ exit: { code: 3, signal: null } });
    const pids = (await outputOf(dataDir, "s.1")).trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    await until(() => pids.every(isDead));
  });

  test("who has left the group, and holds the pipe, is not waited for", async () => {
    const { client, notices } = await connect();
    await client.spawn(shell("s.1", "setsid sh -c 'echo $$; exec sleep 1000' & read line; exit 0"));
    await until(async () => (await outputOf(dataDir, "s.1")).endsWith("\n"));
    await client.closeInput({ runId: "s.1", effectId: "2.0" });
    expect(await exitOf(notices, "s.1")).toMatchObject({ exit: EXITED });
    const pid = Number(await outputOf(dataDir, "s.1"));
    expect(isDead(pid)).toBe(false);
    process.kill(pid, "SIGKILL");
  });

  test("an agent that ignores everything is killed, though the daemon is gone", async () => {
    const { client } = await connect();
    const pid = await client.spawn(
      shell("s.1", "trap 'echo int' INT; trap '' TERM; echo ready; while :; do sleep 0.05; done"),
    );
    await until(async () => (await outputOf(dataDir, "s.1")) === "ready\n");
    const stop = { runId: "s.1", effectId: "2.0", interrupt: true, termAfterMs: 100, killAfterMs: 600 };
    await client.stop(stop);
    await client.stop(stop);
    client.close();
    await until(() => isDead(pid));
    const again = await connect();
    await until(async () => (await connect()).runs[0]?.exit !== null);
    expect((await connect()).runs).toMatchObject([{ exit: { code: null, signal: "SIGKILL" } }]);
    expect(await outputOf(dataDir, "s.1")).toBe("ready\nint\n");
    await again.client.stop({ ...stop, effectId: "3.0" });
  });
});

describe("the spool", () => {
  test("holds what is told before it is told", async () => {
    const missing: unknown[] = [];
    const { client } = await connect([], (notice) => {
      if (notice.type !== "output") return;
      const path = join(runFolder(dataDir, "s.1"), spoolSegmentName(0));
      if (statSync(path).size < notice.end) missing.push(notice);
    });
    await client.spawn(shell("s.1", "i=0; while [ $i -lt 200 ]; do echo $i; i=$((i+1)); sleep 0.001; done"));
    await until(async () => (await outputOf(dataDir, "s.1")).endsWith("199\n"));
    expect(missing).toEqual([]);
    expect(await outputOf(dataDir, "s.1")).toBe(Array.from({ length: 200 }, (_, i) => `${i}\n`).join(""));
  });

  test("is cut into segments, which go when they are consumed", async () => {
    const { client, notices } = await connect();
    const total = 2 * SPOOL_SEGMENT_BYTES + 1_000;
    await client.spawn(shell("s.1", `yes 0123456 | head -c ${total}; read line`));
    await until(() => notices.some((notice) => notice.type === "output" && notice.end === total));
    const names = [0, SPOOL_SEGMENT_BYTES, 2 * SPOOL_SEGMENT_BYTES].map(spoolSegmentName);
    expect(segmentsOf("s.1")).toEqual(names);
    expect(await outputOf(dataDir, "s.1")).toBe("0123456\n".repeat(total / 8));
    client.consumed("s.1", "out", SPOOL_SEGMENT_BYTES);
    await until(() => segmentsOf("s.1").length === 2);
    expect(segmentsOf("s.1")).toEqual(names.slice(1));
    client.consumed("s.1", "out", total + 1);
    client.consumed("s.1", "out", total);
    await until(() => segmentsOf("s.1").length === 1);
    expect(segmentsOf("s.1")).toEqual(names.slice(2));
    await client.input({ runId: "s.1", effectId: "2.0", data: "\n", encoding: "utf8" });
    expect(await exitOf(notices, "s.1")).toEqual({ type: "exit", runId: "s.1", end: total, exit: EXITED });
    await until(() => segmentsOf("s.1").length === 0);
  });

  test.each([
    ["pipes", {}],
    ["a terminal", { pty: { cols: 80, rows: 24 } }],
  ])("makes an agent with %s wait for a slow daemon, and loses nothing", async (_, how) => {
    const boundBytes = 64 * 1024;
    const { client, notices } = await connect(["--spool-bytes-max", String(boundBytes)]);
    const total = 1_000_000;
    const script = `stty raw 2>/dev/null; seq 1 1000000 | head -c ${total}`;
    await client.spawn({ ...shell("s.1", script), ...how });
    const end = () => notices.findLast((notice) => notice.type !== "hooks")?.end ?? 0;
    await until(() => end() === boundBytes);
    await sleep(300);
    expect(notices.at(-1)).toEqual({ type: "output", runId: "s.1", end: boundBytes });
    const reader = new SpoolReader(runFolder(dataDir, "s.1"));
    let text = "";
    while (text.length < total) {
      const piece = await reader.read(text.length, 40_000);
      text += piece.toString();
      client.consumed("s.1", "out", text.length);
      if (piece.length === 0) await sleep(5);
    }
    await reader.close();
    expect(await exitOf(notices, "s.1")).toMatchObject({ end: total, exit: EXITED });
    expect(
      text ===
        Array.from({ length: 200_000 }, (__, i) => `${i + 1}\n`)
          .join("")
          .slice(0, total),
    ).toBe(true);
  });
});

test.each([
  ["pipes", 100_000, {}],
  ["a terminal", 6_000, { pty: { cols: 80, rows: 24 } }],
])("what an agent with %s printed before its death is read when the daemon can", async (_, unread, how) => {
  const boundBytes = 64 * 1024;
  const { client, notices } = await connect(["--spool-bytes-max", String(boundBytes)]);
  const total = boundBytes + unread;
  const script = `seq 1 1000000 | head -c ${total} | tr '\\n' ' '`;
  const pid = await client.spawn({ ...shell("s.1", script), ...how });
  await until(() => isDead(pid));
  await sleep(1_500);
  expect(notices.at(-1)).toEqual({ type: "output", runId: "s.1", end: boundBytes });
  client.consumed("s.1", "out", boundBytes);
  client.consumed("s.1", "out", boundBytes);
  await until(() => notices.at(-1)?.end === Math.min(total, 2 * boundBytes));
  client.consumed("s.1", "out", 2 * boundBytes - 1);
  expect(await exitOf(notices, "s.1")).toMatchObject({ end: total, exit: EXITED });
  const numbers = Array.from({ length: 50_000 }, (__, i) => `${i + 1} `);
  expect((await outputOf(dataDir, "s.1")) === numbers.join("").slice(0, total)).toBe(true);
});

describe("terminals", () => {
  test("echo, know their size, and are resized", async () => {
    const { client, notices } = await connect();
    const script = "stty size; read line; stty size; tty >/dev/null && echo $TERM; exit 5";
    await client.spawn({ ...shell("s.1", script), pty: { cols: 100, rows: 30 } });
    await until(async () => (await outputOf(dataDir, "s.1")) === "30 100\r\n");
    await client.resize({ runId: "s.1", cols: 41, rows: 17 });
    await client.input({ runId: "s.1", effectId: "2.0", data: "go\r", encoding: "utf8" });
    expect(await exitOf(notices, "s.1")).toMatchObject({ exit: { code: 5, signal: null } });
    expect(await outputOf(dataDir, "s.1")).toBe("30 100\r\ngo\r\n17 41\r\nxterm-256color\r\n");
  });

  test("say how large they are, and who is in front", async () => {
    const { client, fronts } = await connect();
    const type = (data: string) => client.input({ runId: "s.1", effectId: null, data, encoding: "utf8" });
    const asked = { ...spec("s.1", "/bin/sh"), pty: { cols: 100, rows: 30 } };
    const pid = await client.spawn({ ...asked, env: { ...asked.env, PS1: "$ ", ENV: "" } });
    const inFront = (...programs: string[]) => until(() => isDeepStrictEqual(fronts.at(-1), programs));
    await inFront("/bin/sh");
    await type("sleep 1000\r");
    await inFront("sleep");
    await type("\x03");
    await inFront("/bin/sh");
    // In a shell that is no shell to type at.
    await type("sh -c 'sleep 1000; :'\r");
    await inFront("sh", "sleep");
    await type("\x03");
    await inFront("/bin/sh");
    await client.resize({ runId: "s.1", cols: 41, rows: 17 });
    const foreground = { pid, programs: [{ command: "/bin/sh", args: [] }] };
    const { runs } = await connect();
    expect(runs).toMatchObject([{ size: { cols: 41, rows: 17 }, foreground }]);
  });

  test("that nobody reads from do not hold up others", async () => {
    const { client, notices } = await connect();
    const pty = { cols: 80, rows: 24 };
    await client.spawn({
      ...shell("s.1", "stty raw -echo; echo ready; sleep 0.5; head -c 1000000 | cksum"),
      pty,
    });
    await client.spawn(spec("s.2", "cat"));
    await until(async () => (await outputOf(dataDir, "s.1")) === "ready\n");
    await client.input({ runId: "s.1", effectId: "2.0", data: "x".repeat(1_000_000), encoding: "utf8" });
    await client.input({ runId: "s.2", effectId: "2.0", data: "hello\n", encoding: "utf8" });
    await until(async () => (await outputOf(dataDir, "s.2")) === "hello\n");
    expect(await outputOf(dataDir, "s.1")).toBe("ready\n");
    expect(await exitOf(notices, "s.1")).toMatchObject({ exit: EXITED });
    const expected = execFileSync("cksum", { input: "x".repeat(1_000_000), encoding: "utf8" });
    expect(await outputOf(dataDir, "s.1")).toBe(`ready\n${expected}`);
  });

  test("end with a signal, with everything in them", async () => {
    const { client, notices } = await connect();
    const asked = { ...shell("s.1", "sleep 1000 & echo $!; wait"), pty: { cols: 80, rows: 24 } };
    await client.spawn(asked);
    await until(async () => (await outputOf(dataDir, "s.1")).endsWith("\n"));
    await client.stop({
      runId: "s.1",
      effectId: "2.0",
      interrupt: false,
      termAfterMs: 0,
      killAfterMs: 1_000,
    });
    expect(await exitOf(notices, "s.1")).toMatchObject({ exit: { code: null, signal: "SIGTERM" } });
    const sleeper = Number((await outputOf(dataDir, "s.1")).trim());
    await until(() => isDead(sleeper));
  });
});

test("hooks append to a file, which is watched", async () => {
  const { client, notices } = await connect();
  const hooks = join(runFolder(dataDir, "s.1"), "hooks");
  await client.spawn({ ...shell("s.1", `echo '{"a":1}' | cat >> ${hooks}; exec cat`), hooks: true });
  await until(() => notices.length === 1);
  appendFileSync(hooks, '{"b":2}\n');
  await until(() => notices.length === 2);
  expect(notices).toEqual([
    { type: "hooks", runId: "s.1", end: 8 },
    { type: "hooks", runId: "s.1", end: 16 },
  ]);
  const reader = new SpoolReader(runFolder(dataDir, "s.1"));
  expect((await reader.readHooks(8, 1_000)).toString()).toBe('{"b":2}\n');
  expect((await connect()).runs).toMatchObject([{ outEnd: 0, hooksEnd: 16 }]);
});
