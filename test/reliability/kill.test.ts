/**
 * The daemon is killed at each named point while sessions stream, and started again: nothing acknowledged is lost or
 * repeated, and the agents do not notice.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CRASH_POINTS, type CrashPoint } from "../../src/runtime/crash-point.js";
import { DiedAtStart, TestDaemon } from "../e2e/test-daemon.js";
import { Follower } from "./follower.js";
import { isAlive } from "./is-alive.js";
import { Load } from "./load.js";

const IS_LONG = process.env["SIGNALBOX_LONG"] === "1";
const SESSIONS = IS_LONG ? 20 : 6;
const ROUNDS_EACH = IS_LONG ? 5 : 1;
const RANDOM_ROUNDS = IS_LONG ? 100 : 3;
const TIMEOUT_MS = IS_LONG ? 3_600_000 : 300_000;

/** How often a point is passed before the daemon dies there: well into the load. */
const PASSINGS: Readonly<Record<CrashPoint, number>> = {
  after_spool_write: 120,
  before_commit: 60,
  after_commit: 70,
  before_effect: 20,
  after_effect: 21,
  during_compaction: 2,
  during_start: 1,
  during_shutdown: 1,
};

let folder: string;
let daemon: TestDaemon;
let follower: Follower;
let load: Load;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-kill-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  follower = new Follower();
  follower.attach(daemon.client);
  load = new Load(folder, () => daemon.client);
  await load.open(SESSIONS);
});

afterEach(async () => {
  await follower.detach();
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A new daemon on the same data; false when it died before it was ready. */
async function restart(env: Readonly<Record<string, string>>): Promise<boolean> {
  await follower.detach();
  try {
    daemon = await TestDaemon.start({ dataDir: join(folder, "data"), env });
  } catch (error) {
    if (error instanceof DiedAtStart && error.signal === "SIGKILL") return false;
    throw error;
  }
  follower.attach(daemon.client);
  return true;
}

/** Kills the daemon, lets the next one die at the point, and goes on with a third. */
async function killAt(point: CrashPoint, round: number): Promise<void> {
  await daemon.kill("SIGKILL");
  const passing = PASSINGS[point] + (point.startsWith("during_s") ? round % 2 : round);
  const isReady = await restart({ SIGNALBOX_CRASH_AT: `${point}:${passing}` });
  const working = point === "during_shutdown" ? keepWorking() : workUntilDead();
  if (point === "during_shutdown") await daemon.kill("SIGTERM");
  if (isReady) expect(await daemon.exited).toEqual({ code: null, signal: "SIGKILL" });
  expect(isReady && point === "during_start").toBe(false);
  expect(await restart({})).toBe(true);
  await working;
}

/** How often a point is passed depends on the machine: there is work for as long as it takes. */
async function workUntilDead(): Promise<void> {
  const dying = daemon;
  do await keepWorking();
  while (dying.isRunning);
}

/** Messages and approvals; they get through once the daemon is back. */
async function keepWorking(): Promise<void> {
  await load.speak();
  await load.approve();
  await load.speak();
  await load.approve();
}

async function check(): Promise<void> {
  await load.settle(60_000);
  await expect
    .poll(() => load.sessions.map(({ id }) => follower.textOf(id)))
    .toEqual(load.sessions.map((session) => Load.expectedText(session)));
  expect(follower.faults).toEqual([]);
  for (const session of load.sessions) {
    const report = await Load.report(session);
    expect(report.faults).toEqual([]);
    expect(report.heard).toEqual(Load.expectedHeard(session));
    expect(report.pids.length).toBe(1);
    expect(isAlive(report.pids[0] ?? 0)).toBe(true);
  }
}

test.each(CRASH_POINTS)(
  "nothing is lost or repeated when the daemon dies: %s",
  async (point) => {
    for (let round = 0; round < ROUNDS_EACH; round += 1) await killAt(point, round);
    await check();
  },
  TIMEOUT_MS,
);

test(
  "nothing is lost or repeated when the daemon is killed at any moment",
  async () => {
    for (let round = 0; round < RANDOM_ROUNDS; round += 1) {
      const working = keepWorking();
      await sleep(20 + ((round * 37) % 400));
      await daemon.kill("SIGKILL");
      await restart({});
      await working;
      // Queues have their bound, and killing is quicker than answering.
      if (round % 10 === 9) await load.settle(60_000);
    }
    await check();
  },
  TIMEOUT_MS,
);
