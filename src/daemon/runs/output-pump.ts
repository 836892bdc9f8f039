import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Foreground, RunExit, RunReport } from "../../protocol/keeper.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import { NotCommitted } from "../../runtime/not-committed.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { PassCrashPoint } from "../../runtime/crash-point.js";
import type { KeeperClient, RunNotice } from "../keeper/keeper-client.js";
import { SpoolGap, SpoolReader } from "../keeper/spool-reader.js";
import { LAST_EFFECT_ID, STOP } from "./stop.js";
import { parseRunId, runIdOf } from "./run-id.js";
import { FULL_TURN, Turns, type Allowance, type Share } from "./turns.js";

/** Read at least, so that short lines do not cost a read each. */
const CHUNK_BYTES_MIN = 4 * 1024;
const HOOKS_CHUNK_BYTES = 64 * 1024;
const HOOK_BYTES_MAX = 1024 * 1024;
const NEWLINE = 0x0a;
const RETRY_DELAY_MS = 1_000;
/** From an agent's last sign to its end being told: who is left of its group is ended first. */
const END_PATIENCE_MS = 5_000;
const END_CHECK_MS = 25;
/** The keeper is told what it may delete only now and then. */
const CONSUMED_STEP_BYTES = 256 * 1024;

/** Sees how runs go on, beside the runtime. */
export interface OutputTap {
  /** How much of what was read is to stay in the spool. */
  keptBytes(sessionId: string): number;
  /** The keeper has the run, and says how it stands with it: when it was started, and whenever the keeper is met. */
  followed(sessionId: string, run: number, report: FollowedRun): void;
  /** Somebody else is in the foreground of the run's terminal. */
  foreground(sessionId: string, run: number, foreground: Foreground): void;
  /** The run's output up to `end` is in the journal. */
  grew(sessionId: string, run: number, end: number): void;
  /** All of the run's output was read; when this resolves the spool is deleted. Never rejects. */
  ended(sessionId: string, run: number, exit: RunExit): Promise<void>;
}

/** What must be known of a run to read its output. */
export type FollowedRun = Omit<RunReport, "startedAtMs">;

export interface OutputPumpOptions {
  readonly runtime: Runtime;
  /** The folder of a run's spool. */
  readonly runFolder: (runId: string) => string;
  readonly keeper: () => KeeperClient | null;
  readonly tap: OutputTap;
  /** The run has ended, and the journal knows it. */
  readonly onEnded?: (sessionId: string, run: number) => void;
  /** What the run's agent said last on stderr, fit to be shown. */
  readonly lastWords?: (runId: string) => Promise<string | null>;
  readonly pass: PassCrashPoint;
  readonly onProblem: (what: string, error: unknown) => void;
  /** Of a test's own time. */
  readonly turns?: Turns;
}

interface SyncingRun {
  readonly runId: string;
  readonly outOffset: number;
}

interface Pumped {
  readonly runId: string;
  readonly sessionId: string;
  readonly run: number;
  /** Null until its start was answered. */
  pid: number | null;
  readonly reader: SpoolReader;
  readonly keptBytes: number;
  outEnd: number;
  hooksEnd: number;
  /** Of what all runs together may say. */
  readonly share: Share;
  /** What is read next: about as much as one turn takes. */
  chunkBytes: number;
  /** How far the hooks' file reached when it was last read: half a line is not read again until there is more. */
  hooksTried: number;
  /** How the process ended; `lost`: with its keeper, so that nobody knows. */
  exit: RunExit | "lost" | null;
  /** What is before this is not read again, whatever happens; */
  settled: number;
  /** and this the keeper was told of it. */
  consumed: number;
  pumping: Promise<void> | null;
  /** Called once, when what was there at first has been read. */
  readonly onCaughtUp: (() => void)[];
  /** How far it reached at first; null when that has been read. */
  firstEnd: number | null;
  /** Called once, when it has printed something, or ended. */
  readonly onSpoke: (() => void)[];
  /** Called when the process has ended and the journal knows it. */
  readonly onEnded: (() => void)[];
}

/** Carries every run's output from its spool to the runtime, from the cursor on, and its end after the last byte. */
export class OutputPump implements Bus {
  private readonly runs = new Map<string, Pumped>();
  private readonly turns: Turns;
  /** Sessions with content in the journal that was not synced yet. */
  private readonly unsynced = new Set<string>();
  /** How far each of them had come with a commit that is being synced; those commits in order. */
  private readonly syncing: (readonly SyncingRun[])[] = [];
  private closed = false;

  constructor(private readonly options: OutputPumpOptions) {
    this.turns = options.turns ?? new Turns();
  }

  has(runId: string): boolean {
    return this.runs.has(runId);
  }

  /** Of a run that is there. */
  pidOf(runId: string): number | null {
    return this.runs.get(runId)?.pid ?? null;
  }

  /** A run that the keeper has. Known again after a reconnection: only how far it reaches is news. */
  follow(report: FollowedRun): void {
    const pumped = this.runs.get(report.runId) ?? this.add(report.runId);
    pumped.pid = report.pid;
    pumped.outEnd = Math.max(pumped.outEnd, report.outEnd);
    pumped.hooksEnd = Math.max(pumped.hooksEnd, report.hooksEnd);
    pumped.exit ??= report.exit;
    if (!pumped.exit) this.options.tap.followed(pumped.sessionId, pumped.run, report);
    // What was said to a keeper that was away, or by a daemon before us, may not have arrived; and an agent waits for it.
    pumped.consumed = 0;
    this.consume(pumped);
    this.pump(pumped);
  }

  /** A run whose keeper died: what it wrote is still read, and then it is interrupted. */
  async followLost(runId: string): Promise<void> {
    const pumped = this.runs.get(runId) ?? this.add(runId);
    pumped.exit ??= "lost";
    this.pump(pumped);
    await this.ended(runId);
  }

  notice(notice: RunNotice): void {
    // A run may speak before its start was answered.
    const pumped = this.runs.get(notice.runId) ?? this.add(notice.runId);
    if (notice.type === "foreground") {
      this.options.tap.foreground(pumped.sessionId, pumped.run, notice.foreground);
      return;
    }
    this.options.pass("after_spool_write");
    if (notice.type === "hooks") pumped.hooksEnd = Math.max(pumped.hooksEnd, notice.end);
    else pumped.outEnd = Math.max(pumped.outEnd, notice.end);
    if (notice.type === "exit") pumped.exit ??= notice.exit;
    for (const tell of pumped.onSpoke.splice(0)) tell();
    this.pump(pumped);
  }

  /** Resolves when the run has printed something, or has ended; at once, when there is no such run. */
  spoke(runId: string): Promise<void> {
    const pumped = this.runs.get(runId);
    if (!pumped || pumped.exit || pumped.outEnd > 0) return Promise.resolve();
    return new Promise((resolve) => {
      pumped.onSpoke.push(resolve);
    });
  }

  /** Resolves when the run has ended and the journal knows it, or when there is no such run. */
  ended(runId: string): Promise<void> {
    const pumped = this.runs.get(runId);
    if (!pumped) return Promise.resolve();
    return new Promise((resolve) => {
      pumped.onEnded.push(resolve);
    });
  }

  /** Resolves when the journal has what the session's runs had said, and how they had ended, when they were found. */
  async caughtUp(sessionId: string): Promise<void> {
    const behind = [...this.runs.values()].filter(
      (pumped) => pumped.sessionId === sessionId && pumped.firstEnd !== null,
    );
    const told = behind.map(({ onCaughtUp }) => {
      return new Promise<void>((resolve) => {
        onCaughtUp.push(resolve);
      });
    });
    await Promise.all(told);
  }

  /** Of a run that takes no input: whether its process ends too, which is waited for; or it goes on without. */
  async isEnding(runId: string): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < END_PATIENCE_MS && !this.closed; waitedMs += END_CHECK_MS) {
      const pumped = this.runs.get(runId);
      if (!pumped || pumped.exit) return true;
      await sleep(END_CHECK_MS);
    }
    return false;
  }

  /** Resolves when no earlier run of the session is left. */
  async earlierEnded(sessionId: string, run: number): Promise<void> {
    const earlier = [...this.runs.values()].filter(
      (other) => other.sessionId === sessionId && other.run < run,
    );
    await Promise.all(earlier.map(({ runId }) => this.ended(runId)));
  }

  publish(committed: Committed): void {
    for (const sessionId of committed.sessionIds) this.unsynced.add(sessionId);
    if (committed.sync !== "full") return;
    this.syncing.push([...this.unsynced].flatMap((sessionId) => this.syncingRun(sessionId)));
    this.unsynced.clear();
  }

  /** What is on the disk for good need not be kept in the spool. */
  synced(): void {
    for (const { runId, outOffset } of this.syncing.shift() ?? []) {
      const pumped = this.runs.get(runId);
      if (pumped) this.settle(pumped, outOffset);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.runs.values()].flatMap(({ pumping }) => pumping ?? []));
    for (const { reader } of this.runs.values()) await reader.close();
  }

  private add(runId: string): Pumped {
    const reader = new SpoolReader(this.options.runFolder(runId));
    const ids = { runId, ...parseRunId(runId) };
    const durable = this.options.runtime.durableCursor(ids.sessionId);
    const pumped: Pumped = {
      ...ids,
      pid: null,
      reader,
      keptBytes: this.options.tap.keptBytes(ids.sessionId),
      outEnd: 0,
      hooksEnd: 0,
      share: this.turns.newShare(),
      chunkBytes: FULL_TURN.bytes,
      hooksTried: 0,
      exit: null,
      // What a journal has when it is opened is on the disk.
      settled: durable?.run === ids.run ? durable.outOffset : 0,
      consumed: 0,
      pumping: null,
      onCaughtUp: [],
      firstEnd: 0,
      onSpoke: [],
      onEnded: [],
    };
    this.runs.set(runId, pumped);
    return pumped;
  }

  private syncingRun(sessionId: string): readonly SyncingRun[] {
    const durable = this.options.runtime.durableCursor(sessionId);
    if (!durable) return [];
    const runId = runIdOf(sessionId, durable.run);
    return this.runs.has(runId) ? [{ runId, outOffset: durable.outOffset }] : [];
  }

  private settle(pumped: Pumped, offset: number): void {
    pumped.settled = offset;
    this.consume(pumped);
  }

  private consume(pumped: Pumped): void {
    const offset = pumped.settled - pumped.keptBytes;
    if (offset - pumped.consumed < CONSUMED_STEP_BYTES) return;
    pumped.consumed = offset;
    this.options.keeper()?.consumed(pumped.runId, "out", offset);
  }

  private pump(pumped: Pumped): void {
    if (this.closed) return;
    if (!pumped.pumping && pumped.firstEnd !== null) pumped.firstEnd = pumped.outEnd;
    pumped.pumping ??= this.run(pumped).finally(() => {
      pumped.pumping = null;
      tellCaughtUp(pumped);
      // What came while the last piece was on its way.
      if (!this.closed && this.runs.has(pumped.runId) && this.hasMore(pumped)) this.pump(pumped);
    });
  }

  private hasMore(pumped: Pumped): boolean {
    if (pumped.exit) return true;
    const cursor = this.options.runtime.cursor(pumped.sessionId);
    if (cursor?.run !== pumped.run) return false;
    return cursor.outOffset < pumped.outEnd || pumped.hooksEnd > pumped.hooksTried;
  }

  private async run(pumped: Pumped): Promise<void> {
    while (!this.closed) {
      // One that ends from here on is read once more first.
      const { exit } = pumped;
      try {
        if (exit === "lost") await this.measure(pumped);
        await this.readHooks(pumped);
        const isAtEnd = await this.readOn(pumped);
        if (isAtEnd && exit) await this.end(pumped, exit);
        return;
      } catch (error) {
        if (!(error instanceof NotCommitted)) this.options.onProblem(`the output of ${pumped.runId}`, error);
        if (error instanceof SpoolGap) this.tellGap(pumped);
        await sleep(RETRY_DELAY_MS);
      }
    }
  }

  /** How far it reaches only its files say, when there is no keeper that knows. */
  private async measure(pumped: Pumped): Promise<void> {
    pumped.outEnd = await pumped.reader.end();
    pumped.hooksEnd = await pumped.reader.hooksEnd();
  }

  /** Whole lines of the agent's hooks. */
  private async readHooks(pumped: Pumped): Promise<void> {
    const { runtime } = this.options;
    pumped.hooksTried = pumped.hooksEnd;
    while (!this.closed) {
      const cursor = runtime.cursor(pumped.sessionId);
      if (cursor?.run !== pumped.run || cursor.hooksOffset >= pumped.hooksEnd) return;
      let chunk = await pumped.reader.readHooks(cursor.hooksOffset, HOOKS_CHUNK_BYTES);
      // What a tool gave its agent may be long, and stands in one line.
      const isLong = chunk.length === HOOKS_CHUNK_BYTES && !chunk.includes(NEWLINE);
      if (isLong) chunk = await pumped.reader.readHooks(cursor.hooksOffset, HOOK_BYTES_MAX);
      const length = chunk.lastIndexOf(NEWLINE) + 1;
      // Half a line is left for later, unless it is longer than any hook's.
      const end = length > 0 ? length : chunk.length < HOOK_BYTES_MAX ? 0 : chunk.length;
      if (end === 0) return;
      const lines = chunk.toString("utf8", 0, length).split("\n").slice(0, -1);
      await runtime.feedHooks(pumped.sessionId, pumped.run, lines, cursor.hooksOffset + end);
    }
  }

  /** False: we are about to end, and there may be more. */
  private async readOn(pumped: Pumped): Promise<boolean> {
    const { runtime } = this.options;
    if (!runtime.cursor(pumped.sessionId)) await this.turnAway(pumped);
    while (!this.closed) {
      const cursor = runtime.cursor(pumped.sessionId);
      // Nobody waits for the output of a run that was replaced, or of a session that is gone.
      if (cursor?.run !== pumped.run || cursor.outOffset >= pumped.outEnd) return true;
      await this.turns.take(pumped.share, (allowed) => this.feed(pumped, cursor.outOffset, allowed));
    }
    return false;
  }

  private async feed(pumped: Pumped, offset: number, allowed: Allowance): Promise<Allowance> {
    const length = Math.min(pumped.chunkBytes, allowed.bytes, pumped.outEnd - offset);
    const read = await pumped.reader.read(offset, length);
    if (read.length === 0) throw new Error(`the spool ends before ${pumped.outEnd}`);
    const { chunk, lines } = this.oneTurn(pumped, read, allowed.lines);
    await this.options.runtime.feed(pumped.sessionId, pumped.run, chunk);
    this.fed(pumped, offset + chunk.length);
    return { bytes: chunk.length, lines };
  }

  /** As many lines as are taken at once. A terminal has none: nothing of its output goes to the journal. */
  private oneTurn(pumped: Pumped, read: Buffer, linesMax: number): FirstLines {
    if (pumped.keptBytes > 0) return { chunk: read, lines: 0 };
    const turn = firstLines(read, linesMax);
    pumped.chunkBytes = Math.min(FULL_TURN.bytes, Math.max(CHUNK_BYTES_MIN, turn.chunk.length * 2));
    return turn;
  }

  private fed(pumped: Pumped, end: number): void {
    this.options.tap.grew(pumped.sessionId, pumped.run, end);
    // One that has ended is caught up with when its end is told.
    if (pumped.firstEnd !== null && end >= pumped.firstEnd && !pumped.exit) tellCaughtUp(pumped);
    // The journal takes nothing of a terminal's output, so that none of it waits for a commit that is synced.
    if (pumped.keptBytes > 0) this.settle(pumped, end);
  }

  /** Content of a session that nobody knows (001): it is said once, and the run is ended. */
  private async turnAway(pumped: Pumped): Promise<void> {
    if (pumped.exit) return;
    await this.options.runtime.feed(pumped.sessionId, pumped.run, Buffer.alloc(0));
    await this.options.keeper()?.stop({ runId: pumped.runId, effectId: LAST_EFFECT_ID, ...STOP });
  }

  private async end(pumped: Pumped, exit: RunExit | "lost"): Promise<void> {
    const { runtime, keeper, runFolder, tap } = this.options;
    const { runId, sessionId, run } = pumped;
    if (exit === "lost") await runtime.interrupted(sessionId, run);
    else await runtime.exit(sessionId, run, exit, await this.wordsOf(runId));
    await tap.ended(sessionId, run, exit === "lost" ? { code: null, signal: null } : exit);
    this.runs.delete(runId);
    this.options.onEnded?.(sessionId, run);
    await pumped.reader.close();
    if (exit === "lost") await rm(runFolder(runId), { recursive: true, force: true });
    // Should the keeper be away, it lists the run again when it is back, and this ends it once more.
    else
      keeper()
        ?.forget(runId)
        .catch((error: unknown) => this.options.onProblem(`forgetting ${runId}`, error));
    for (const tell of pumped.onSpoke.splice(0)) tell();
    for (const tell of pumped.onEnded) tell();
  }

  private async wordsOf(runId: string): Promise<string | null> {
    try {
      return (await this.options.lastWords?.(runId)) ?? null;
    } catch (error) {
      // How it ended counts, whatever it said.
      this.options.onProblem(`the last words of ${runId}`, error);
      return null;
    }
  }

  private tellGap(pumped: Pumped): void {
    const error = "A part of the agent's output is missing from its spool.";
    this.options.runtime.fact(pumped.sessionId, { type: "process_error", run: pumped.run, error }, "daemon");
    pumped.outEnd = 0;
  }
}

interface FirstLines {
  readonly chunk: Buffer;
  readonly lines: number;
}

/** Up to the end of the last of so many lines; all of it where there are fewer. */
function firstLines(bytes: Buffer, linesMax: number): FirstLines {
  let end = -1;
  for (let lines = 0; lines < linesMax; lines += 1) {
    end = bytes.indexOf(NEWLINE, end + 1);
    if (end < 0) return { chunk: bytes, lines };
  }
  return { chunk: bytes.subarray(0, end + 1), lines: linesMax };
}

function tellCaughtUp(pumped: Pumped): void {
  pumped.firstEnd = null;
  for (const tell of pumped.onCaughtUp.splice(0)) tell();
}
