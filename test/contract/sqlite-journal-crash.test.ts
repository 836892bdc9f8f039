/** What is left after a crash: of the process, or of the power. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { threadFrom, type StreamEvent } from "../../src/core/index.js";
import { SqliteJournal } from "../../src/journal/sqlite/sqlite-journal.js";
import type { Entry, Journal } from "../../src/runtime/ports.js";
import { buildJournal, COMMIT_LOOP } from "./build-journal.js";
import { loopEvents, loopLoaded, loopNumber } from "./commit-loop.js";

const KILLS = 8;
const COPIES = 8;

let folder: string;
let path: string;
let loopers: Looper[] = [];

beforeAll(buildJournal, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-crash-"));
  path = join(folder, "journal.db");
});
afterEach(async () => {
  await Promise.all(loopers.map((looper) => looper.kill()));
  loopers = [];
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

/** A process that commits, and the number of its last acknowledged commit. */
class Looper {
  acked = 0;
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly ended: Promise<unknown>;
  private stderr = "";

  constructor() {
    this.process = spawn(process.execPath, [COMMIT_LOOP, path]);
    loopers.push(this);
    this.ended = once(this.process, "close");
    this.process.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    createInterface(this.process.stdout).on("line", (line) => (this.acked = Number(line)));
  }

  async untilAcked(n: number): Promise<void> {
    while (this.acked < n) {
      if (this.process.exitCode !== null) throw new Error(`It ended: ${this.stderr}`);
      await delay(2);
    }
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.process.kill(signal);
  }

  /** All that it said before has been read then. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}

async function readAll(journal: Journal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const page = await journal.readEntries({ after: entries.at(-1)?.position ?? 0, limit: 1_000 });
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

/** Nothing acknowledged is missing, and what is there is whole. Gives the number of the last commit. */
async function checkWhole(journalPath: string, acked: number): Promise<number> {
  const journal = await SqliteJournal.open(journalPath);
  try {
    const { finishedStreams, ...loaded } = await journal.load();
    const n = loopNumber({ ...loaded, finishedStreams });
    expect(n).toBeGreaterThanOrEqual(acked);
    expect(loaded).toEqual(loopLoaded(n));
    const events = Array.from({ length: n }, (_, index) => loopEvents(index + 1)).flat();
    const whole = threadFrom(events);
    const read = async () =>
      threadFrom((await readAll(journal)).map(({ body }) => JSON.parse(body) as StreamEvent));
    expect(await read()).toEqual(whole);
    for (const stream of finishedStreams) await journal.compact(stream);
    expect(await read()).toEqual(whole);
    return n;
  } finally {
    await journal.close();
  }
}

test("kill -9 at any moment loses nothing acknowledged and leaves nothing half done", async () => {
  let acked = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const looper = new Looper();
    // In every other round it may not even have opened the journal.
    if (round % 2 === 0) await looper.untilAcked(acked + 25);
    await delay(Math.random() * 120);
    await looper.kill();
    acked = await checkWhole(path, Math.max(acked, looper.acked));
  }
  expect(acked).toBeGreaterThan((KILLS / 2) * 25);
});

test("a copy of the files at any moment opens, with all that was acknowledged before", async () => {
  const looper = new Looper();
  for (let copy = 1; copy <= COPIES; copy += 1) {
    await looper.untilAcked(looper.acked + 25);
    await delay(Math.random() * 40);
    looper.signal("SIGSTOP");
    // All its threads must have stopped: then the files are as a power cut would leave them.
    await delay(50);
    const { acked } = looper;
    const copied = join(folder, `copy-${copy}.db`);
    for (const end of ["", "-wal"]) if (existsSync(path + end)) copyFileSync(path + end, copied + end);
    looper.signal("SIGCONT");
    expect(await checkWhole(copied, acked)).toBeGreaterThanOrEqual(25 * copy);
  }
});
