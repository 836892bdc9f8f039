/**
 * A day of events, without the pauses: sessions work through their turns, some end and others begin, clients come and
 * go. Afterwards daemon and keeper hold no more than they did in the morning: memory, open files, spools.
 */
import { readdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HAS_PROCESS_COSTS, memoryBytes } from "../bench/process-costs.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { RawFollower } from "./raw-follower.js";

const IS_LONG = process.env["SIGNALBOX_LONG"] === "1";
const HOURS = 24;
const SESSIONS = IS_LONG ? 20 : 8;
/** One turn a minute, of sixty pieces: a busy day has 1.7 million of them. */
const TURNS_PER_HOUR = IS_LONG ? 60 : 3;
const PIECES = 60;
/** So many of the sessions are replaced by others in each hour. */
const REPLACED_PER_HOUR = 2;
const TIMEOUT_MS = IS_LONG ? 3_600_000 : 300_000;

/** The first hours fill what is only ever filled once: compiled code, caches, buffers. */
const MORNING = [6, 12] as const;
const EVENING = [18, 24] as const;
const GROWTH_MAX = 1.15;
/** Connections that clients keep for the next call; a file left behind by each hour would be more. */
const FILES_SPARE = 4;
const MEBIBYTE = 1024 * 1024;

const AGENT = new URL("./small-agent.sh", import.meta.url).pathname;

interface Sample {
  readonly daemonMib: number;
  readonly keeperMib: number;
  readonly files: number;
  readonly spools: number;
}

let folder: string;
let daemon: TestDaemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-soak-"));
  // Garbage of a whole day may lie around otherwise: with a small heap there is no hurry to collect it.
  daemon = await TestDaemon.start({ dataDir: join(folder, "data"), nodeArgs: ["--gc-global"] });
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function opened(): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: folder,
    args: ["--program", AGENT],
    env: { PIECES: String(PIECES) },
  });
  await idle(id);
  return id;
}

async function idle(id: string): Promise<void> {
  const isIdle = async () => {
    const { status, queue } = await daemon.client.getSession(id);
    return status === "completed" && queue.length === 0;
  };
  await expect.poll(isIdle, { timeout: 120_000, interval: 20 }).toBe(true);
}

/** All sessions at once, each one turn after the other, with somebody who follows. */
async function hour(ids: string[]): Promise<void> {
  const follower = await RawFollower.open(daemon.ready, null);
  await Promise.all(
    ids.map(async (id) => {
      for (let turn = 0; turn < TURNS_PER_HOUR; turn += 1) {
        await daemon.client.sendMessage(id, { text: "go" });
        await idle(id);
      }
    }),
  );
  const turns = ids.length * TURNS_PER_HOUR;
  await expect.poll(() => follower.completedTurns, { timeout: 120_000 }).toBe(turns);
  expect(follower.faults).toEqual([]);
  follower.close();
  for (const id of ids.splice(0, REPLACED_PER_HOUR)) await daemon.client.deleteSession(id);
  while (ids.length < SESSIONS) ids.push(await opened());
}

async function sample(): Promise<Sample> {
  const { pid, dataDir } = daemon.ready;
  const keeperPid = Number(await readFile(join(dataDir, "keeper.pid"), "utf8"));
  return {
    daemonMib: memoryBytes(pid) / MEBIBYTE,
    keeperMib: memoryBytes(keeperPid) / MEBIBYTE,
    files: (await readdir(`/proc/${pid}/fd`)).length,
    spools: (await readdir(join(dataDir, "runs"))).length,
  };
}

/** The least of some hours: what is left when garbage has been collected. */
function least(samples: readonly Sample[], [from, until]: readonly [number, number]): Sample {
  const hours = samples.slice(from, until);
  const of = (key: keyof Sample) => Math.min(...hours.map((one) => one[key]));
  return { daemonMib: of("daemonMib"), keeperMib: of("keeperMib"), files: of("files"), spools: of("spools") };
}

test.skipIf(!HAS_PROCESS_COSTS)(
  "a day of events leaves nothing behind in memory",
  async () => {
    const ids: string[] = [];
    while (ids.length < SESSIONS) ids.push(await opened());
    const samples: Sample[] = [];
    for (let done = 0; done < HOURS; done += 1) {
      await hour(ids);
      samples.push(await sample());
    }
    const [morning, evening] = [least(samples, MORNING), least(samples, EVENING)];
    const story = `by hour: ${JSON.stringify(samples)}`;
    expect(evening.daemonMib, story).toBeLessThan(morning.daemonMib * GROWTH_MAX);
    expect(evening.keeperMib, story).toBeLessThan(morning.keeperMib * GROWTH_MAX);
    expect(evening.files, story).toBeLessThanOrEqual(morning.files + FILES_SPARE);
    expect(evening.spools, story).toBeLessThanOrEqual(morning.spools);
  },
  TIMEOUT_MS,
);
