/** The pump between a real keeper, with real processes, and a runtime. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildKeeper, KEEPER, shellRun } from "../../../test/reliability/built-keeper.js";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { until } from "../../../test/reliability/until.js";
import {
  agentLines,
  create,
  openBench,
  READY,
  request,
  startedBench,
  type Bench,
} from "../../../test/sim/runtime-fixture.js";
import { runFolder, runsFolder } from "../../keeper/paths.js";
import { spoolSegmentName } from "../../protocol/keeper-format.js";
import { KeeperClient, type RunNotice } from "../keeper/keeper-client.js";
import { OutputPump } from "./output-pump.js";
import { runIdOf } from "./run-id.js";
import { SMALL_TURN, Turns } from "./turns.js";

const SPOOL_BYTES_MAX = 1024 * 1024;

let dataDir = "";
let keeperPid = 0;
const pumps: OutputPump[] = [];

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-pump-")));
});

afterEach(async () => {
  for (const pump of pumps.splice(0)) await pump.close();
  if (isAlive(keeperPid)) {
    process.kill(keeperPid, "SIGTERM");
    await until(() => !isAlive(keeperPid));
  }
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function connect() {
  const notices: RunNotice[] = [];
  const connection = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    keeperArgs: ["--spool-bytes-max", String(SPOOL_BYTES_MAX)],
    onNotice: (notice) => notices.push(notice),
    onClosed: () => undefined,
  });
  ({ keeperPid } = connection);
  return { ...connection, notices };
}

/** `keeper`: null while there is none to speak to. */
function pumpOf(
  { runtime }: Bench,
  keeper: () => KeeperClient | null,
  onProblem: (what: string, error: unknown) => void = () => undefined,
  turns = new Turns(),
): OutputPump {
  const pump = new OutputPump({
    runtime,
    runFolder: (runId) => runFolder(dataDir, runId),
    keeper,
    tap: {
      keptBytes: () => 0,
      followed: () => undefined,
      foreground: () => undefined,
      grew: () => undefined,
      ended: () => Promise.resolve(),
    },
    pass: () => undefined,
    onProblem,
    turns,
  });
  pumps.push(pump);
  return pump;
}

test.each(["the same daemon", "the next daemon"])(
  "an agent whose spool became full while nobody spoke to its keeper goes on when %s does",
  async (who) => {
    const { client, notices } = await connect();
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const runId = runIdOf(id, 1);
    const lines = `head -c ${1.5 * SPOOL_BYTES_MAX} /dev/zero | tr '\\0' x | fold -w 4095`;
    const pid = await client.spawn(shellRun(runId, lines, dataDir));
    const told = (type: RunNotice["type"]) => notices.find((notice) => notice.type === type);
    await until(() => notices.some((notice) => "end" in notice && notice.end === SPOOL_BYTES_MAX));
    const report = { runId, pid, outEnd: SPOOL_BYTES_MAX, hooksEnd: 0, lastEffectId: null, exit: null };

    let isAway = true;
    const pump = pumpOf(bench, () => (isAway ? null : client));
    pump.follow(report);
    await until(() => bench.runtime.cursor(id)?.outOffset === SPOOL_BYTES_MAX);
    await request(bench, id, { type: "set_approve", approve: "auto" });
    for (const committed of bench.published) {
      pump.publish(committed);
      if (committed.sync === "full") pump.synced();
    }
    expect(told("exit")).toBeUndefined();

    isAway = false;
    if (who === "the same daemon") pump.follow(report);
    else pumpOf(await openBench(bench.journal), () => client).follow(report);
    await until(() => told("exit") !== undefined);
    expect(told("exit")).toMatchObject({ exit: { code: 0 } });
  },
);

test("a lost run that cannot be read just now is read later, and keeps no other from being started", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  const folder = runFolder(dataDir, runIdOf(id, 1));
  mkdirSync(runsFolder(dataDir));
  writeFileSync(folder, "");
  const problems: unknown[] = [];
  const pump = pumpOf(
    bench,
    () => null,
    (_what, error) => problems.push(error),
  );
  const followed = pump.followLost(runIdOf(id, 1));
  await until(() => problems.length > 0);
  expect(problems[0]).toMatchObject({ code: "ENOTDIR" });
  rmSync(folder);
  mkdirSync(folder);
  const printed = agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" });
  writeFileSync(join(folder, spoolSegmentName(0)), printed);
  await followed;
  await pump.earlierEnded(id, 2);
  expect(bench.runtime.session(id)?.state).toMatchObject({
    status: "paused",
    harnessSessionId: "S",
    alive: false,
  });
});

test("a lost run of which nothing is left is over at once", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  await pumpOf(bench, () => null).followLost(runIdOf(id, 1));
  expect(bench.runtime.session(id)?.state).toMatchObject({ run: 1, alive: false });
});

test("an agent that says much at once has no more of it in one commit than its turn", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  const folder = runFolder(dataDir, runIdOf(id, 1));
  mkdirSync(folder, { recursive: true });
  const words = Array.from({ length: 1_000 }, (_, index) => ({ type: "text", text: `${index}` }));
  const printed = agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }, ...words);
  writeFileSync(join(folder, spoolSegmentName(0)), printed);
  await pumpOf(bench, () => null).followLost(runIdOf(id, 1));
  const perCommit = bench.published.map(
    ({ entries }) =>
      entries.filter(({ kind, body }) => kind === "stream" && body.includes("text_delta")).length,
  );
  expect(perCommit.reduce((sum, count) => sum + count, 0)).toBe(1_000);
  expect(Math.max(...perCommit)).toBeLessThanOrEqual(200);
});

test("beside another's line a spool of 10,000 lines is taken a few lines a commit, and none is lost", async () => {
  const bench = await startedBench();
  const [loud, quiet] = [await create(bench, "hello"), await create(bench, "hello")];
  const lines = Array.from({ length: 10_000 }, (_, line) => ({ type: "text", text: `${line}` }));
  const spools = [
    [loud, Buffer.concat([READY, agentLines(3, ...lines)])],
    [quiet, Buffer.concat([READY, agentLines(3, { type: "text", text: "hi" })])],
  ] as const;
  // Time stands still: the other has always spoken just now.
  const turns = new Turns({ nowMs: () => 0, sleep: () => nextTurn() });
  const pump = pumpOf(bench, () => null, undefined, turns);
  for (const [id, spool] of spools.toReversed()) {
    const runId = runIdOf(id, 1);
    mkdirSync(runFolder(dataDir, runId), { recursive: true });
    writeFileSync(join(runFolder(dataDir, runId), spoolSegmentName(0)), spool);
    pump.follow({ runId, pid: 1, outEnd: spool.length, hooksEnd: 0, lastEffectId: null, exit: null });
  }
  for (const [id, spool] of spools) await until(() => bench.runtime.cursor(id)?.outOffset === spool.length);
  const taken = bench.journal.commits.map(
    ({ entries }) =>
      entries.filter(({ sessionId, body }) => sessionId === loud && body.includes('"text_delta"')).length,
  );
  expect(Math.max(...taken)).toBe(SMALL_TURN.lines);
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(lines.length);
  const first = bench.journal.commits.findIndex(({ entries }) =>
    entries.some(({ body }) => body.includes('"hi"')),
  );
  expect(taken.slice(0, first + 1).reduce((sum, count) => sum + count, 0)).toBeLessThan(
    10 * SMALL_TURN.lines,
  );
});
