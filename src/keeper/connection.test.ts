import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../test/reliability/until.js";
import type { KeeperNotice, KeeperRequest } from "../protocol/keeper.js";
import { Connection } from "./connection.js";
import { Run } from "./run.js";

let folder = "";
let ours: Socket;
let theirs: Socket;
let connection: Connection;
const ended: Connection[] = [];
const server = createServer();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-connection-"));
  server.listen(join(folder, "socket"));
  theirs = connect(join(folder, "socket"));
  [ours] = (await once(server, "connection")) as [Socket];
  connection = new Connection(ours, {
    handle: ({ id }: KeeperRequest): KeeperNotice => ({ type: "welcome", id, version: 1, pid: 1, runs: [] }),
    isSecret: () => true,
    refused: () => undefined,
    closed: (which) => ended.push(which),
  });
});

afterEach(async () => {
  theirs.destroy();
  ours.destroy();
  server.close();
  await once(server, "close");
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

function makeRun(runId: string): Run {
  return new Run({
    runId,
    effectId: "1.0",
    folder,
    hooks: false,
    size: null,
    isWalled: false,
    spoolBytesMax: 1,
    startedAtMs: 0,
    onChange: () => undefined,
  });
}

type Lines = readonly Readonly<Record<string, unknown>>[];

/** Reads until everything has come, and what else then comes. */
async function readLines(isAll: (lines: Lines) => boolean): Promise<Lines> {
  const lines: Lines[number][] = [];
  let rest = "";
  theirs.on("data", (chunk) => {
    const pieces = (rest + chunk.toString()).split("\n");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) lines.push(JSON.parse(piece) as Lines[number]);
  });
  await until(() => isAll(lines));
  await sleep(100);
  return lines;
}

test("nothing is told before hello, and each change is told once after it", async () => {
  const [first, second] = [makeRun("a.1"), makeRun("b.1")];
  connection.noteChange(first, "output");
  await nextTurn();
  theirs.write('{"type":"hello","id":5,"version":1,"secret":"s"}\n');
  await once(ours, "data");
  first.spool.end = 10;
  first.exit = { code: 0, signal: null };
  connection.noteChange(first, "exit");
  connection.noteChange(first, "output");
  connection.noteChange(second, "hooks");
  first.spool.end = 20;
  connection.noteChange(first, "output");
  expect(await readLines((lines) => lines.length >= 4)).toEqual([
    { type: "welcome", id: 5, version: 1, pid: 1, runs: [] },
    { type: "output", runId: "a.1", end: 20 },
    { type: "exit", runId: "a.1", end: 20, exit: { code: 0, signal: null } },
    { type: "hooks", runId: "b.1", end: 0 },
  ]);
});

test("what waits for a reader that never reads has a bound", async () => {
  const run = makeRun("a.1");
  theirs.write('{"type":"hello","id":5,"version":1,"secret":"s"}\n');
  await once(ours, "data");
  const changes = 50_000;
  let unsentMax = 0;
  for (let end = 1; end <= changes; end += 1) {
    run.spool.end = end;
    connection.noteChange(run, "output");
    await nextTurn();
    unsentMax = Math.max(unsentMax, ours.writableLength);
  }
  expect(unsentMax).toBeGreaterThan(0);
  expect(unsentMax).toBeLessThan(64 * 1024);
  const lines = await readLines((read) => read.at(-1)?.["end"] === changes);
  expect(lines.length).toBeLessThan(changes / 2);
  expect(lines.at(-1)).toEqual({ type: "output", runId: "a.1", end: changes });
});

test("who asks and never reads the answers is not read from", async () => {
  const request = '{"type":"hello","id":5,"version":1,"secret":"s"}\n'.repeat(1_000);
  const sent = 200_000;
  for (let count = 0; count < sent; count += 1_000) theirs.write(request);
  let unsentMax = 0;
  const look = () => {
    unsentMax = Math.max(unsentMax, ours.writableLength);
    return ours.isPaused();
  };
  await until(look);
  for (let turn = 0; turn < 200; turn += 1) {
    await sleep(1);
    look();
  }
  expect(unsentMax).toBeLessThan(8 * 1024 * 1024);
  expect(await readLines((lines) => lines.length >= sent)).toHaveLength(sent);
});

test("its end is told once", async () => {
  theirs.destroy();
  await once(ours, "close");
  connection.noteChange(makeRun("a.1"), "output");
  expect(ended.filter((which) => which === connection)).toHaveLength(1);
});
