/** Carries output from the spools to the runtime as `OutputPump` of the daemon does, from memory and in virtual time. */
import { parseRunId, runIdOf } from "../../src/daemon/runs/run-id.js";
import { LAST_EFFECT_ID, STOP } from "../../src/daemon/runs/stop.js";
import type { RunExit, RunReport } from "../../src/protocol/keeper.js";
import type { Committed } from "../../src/runtime/ports.js";
import { NotCommitted } from "../../src/runtime/not-committed.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import type { Life } from "./life.js";
import type { RunNotice, SimConnection, SimKeeper } from "./sim-keeper.js";
import type { SimWorld } from "./sim-world.js";

const RETRY_DELAY_MS = 1_000;
const CONSUMED_STEP_BYTES = 300;

export interface SimPumpOptions {
  readonly world: SimWorld;
  readonly life: Life;
  readonly runtime: Runtime;
  readonly keeper: SimKeeper;
  readonly connection: () => SimConnection | null;
  /** Where the next byte is thought to be, for a pump that cannot count. */
  readonly misplace?: (offset: number) => number;
}

interface Pumped {
  readonly runId: string;
  readonly sessionId: string;
  readonly run: number;
  outEnd: number;
  exit: RunExit | "lost" | null;
  consumed: number;
  pumping: Promise<void> | null;
  readonly onEnded: (() => void)[];
}

export class SimPump {
  private readonly runs = new Map<string, Pumped>();
  private readonly unsynced = new Set<string>();
  private readonly syncing: { readonly runId: string; readonly outOffset: number }[][] = [];
  private closed = false;

  constructor(private readonly options: SimPumpOptions) {}

  follow(report: Pick<RunReport, "runId" | "outEnd" | "exit">): void {
    const pumped = this.runs.get(report.runId) ?? this.add(report.runId);
    pumped.outEnd = Math.max(pumped.outEnd, report.outEnd);
    pumped.exit ??= report.exit;
    this.pump(pumped);
  }

  async followLost(runId: string): Promise<void> {
    const { keeper, world, life } = this.options;
    const pumped = this.runs.get(runId) ?? this.add(runId);
    pumped.outEnd = await world.scheduler.defer(`the end of ${runId}`, life, () => keeper.spoolEnd(runId));
    pumped.exit ??= "lost";
    this.pump(pumped);
    await this.ended(runId);
  }

  notice(notice: RunNotice): void {
    const pumped = this.runs.get(notice.runId) ?? this.add(notice.runId);
    pumped.outEnd = Math.max(pumped.outEnd, notice.end);
    if (notice.type === "exit") pumped.exit ??= notice.exit;
    this.pump(pumped);
  }

  ended(runId: string): Promise<void> {
    const pumped = this.runs.get(runId);
    if (!pumped) return Promise.resolve();
    return new Promise((resolve) => {
      pumped.onEnded.push(resolve);
    });
  }

  /** Here, only the dead take no input. */
  isEnding(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async earlierEnded(sessionId: string, run: number): Promise<void> {
    const earlier = [...this.runs.values()].filter(
      (other) => other.sessionId === sessionId && other.run < run,
    );
    await Promise.all(earlier.map(({ runId }) => this.ended(runId)));
  }

  committed(committed: Committed): void {
    for (const sessionId of committed.sessionIds) this.unsynced.add(sessionId);
    if (committed.sync !== "full") return;
    this.syncing.push(
      [...this.unsynced].flatMap((sessionId) => {
        const durable = this.options.runtime.durableCursor(sessionId);
        return durable ? [{ runId: runIdOf(sessionId, durable.run), outOffset: durable.outOffset }] : [];
      }),
    );
    this.unsynced.clear();
  }

  /** When a run has printed something, which nobody here waits for. */
  spoke(): Promise<void> {
    return Promise.resolve();
  }

  synced(): void {
    for (const { runId, outOffset } of this.syncing.shift() ?? []) this.consume(runId, outOffset);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const { pumping } of this.runs.values()) await pumping;
  }

  private add(runId: string): Pumped {
    const ids = { runId, ...parseRunId(runId) };
    const pumped: Pumped = { ...ids, outEnd: 0, exit: null, consumed: 0, pumping: null, onEnded: [] };
    this.runs.set(runId, pumped);
    return pumped;
  }

  private consume(runId: string, outOffset: number): void {
    const pumped = this.runs.get(runId);
    if (!pumped || outOffset - pumped.consumed < CONSUMED_STEP_BYTES) return;
    pumped.consumed = outOffset;
    this.options.connection()?.consumed(runId, "out", outOffset);
  }

  private pump(pumped: Pumped): void {
    if (this.closed) return;
    pumped.pumping ??= this.run(pumped).finally(() => {
      pumped.pumping = null;
      if (!this.closed && this.runs.has(pumped.runId) && this.hasMore(pumped)) this.pump(pumped);
    });
  }

  private hasMore(pumped: Pumped): boolean {
    if (pumped.exit) return true;
    const cursor = this.options.runtime.cursor(pumped.sessionId);
    return cursor?.run === pumped.run && cursor.outOffset < pumped.outEnd;
  }

  private async run(pumped: Pumped): Promise<void> {
    const { world, life } = this.options;
    while (!this.closed) {
      try {
        // Who closes has not read it all: the end is left to the next daemon.
        const isReadUp = await this.readOn(pumped);
        if (isReadUp && pumped.exit) await this.end(pumped, pumped.exit);
        return;
      } catch (error) {
        if (!(error instanceof NotCommitted)) world.trace.note(`pump of ${pumped.runId}: ${String(error)}`);
        await world.time.sleep(RETRY_DELAY_MS, life);
      }
    }
  }

  /** Whether everything was read. */
  private async readOn(pumped: Pumped): Promise<boolean> {
    const { runtime, keeper, world, life, misplace = (offset) => offset } = this.options;
    const { runId, sessionId, run } = pumped;
    if (!runtime.cursor(sessionId)) await this.turnAway(pumped);
    while (!this.closed) {
      const cursor = runtime.cursor(sessionId);
      if (cursor?.run !== run || cursor.outOffset >= pumped.outEnd) return true;
      const length = Math.min(world.random.between(1, 400), pumped.outEnd - cursor.outOffset);
      const offset = misplace(cursor.outOffset);
      const chunk = await world.scheduler.defer(`read ${length} bytes of ${runId} at ${offset}`, life, () =>
        keeper.readSpool(runId, offset, length),
      );
      await runtime.feed(sessionId, run, chunk);
    }
    return false;
  }

  private async turnAway({ runId, sessionId, run, exit }: Pumped): Promise<void> {
    if (exit) return;
    await this.options.runtime.feed(sessionId, run, Buffer.alloc(0));
    await this.options.connection()?.stop({ runId, effectId: LAST_EFFECT_ID, ...STOP });
  }

  private async end(pumped: Pumped, exit: RunExit | "lost"): Promise<void> {
    const { runtime, keeper, connection, world } = this.options;
    const { runId, sessionId, run } = pumped;
    if (exit === "lost") await runtime.interrupted(sessionId, run);
    else await runtime.exit(sessionId, run, exit);
    this.runs.delete(runId);
    if (exit === "lost") keeper.removeFolder(runId);
    else
      connection()
        ?.forget(runId)
        .catch((error: unknown) => world.trace.note(`forgetting ${runId}: ${String(error)}`));
    for (const tell of pumped.onEnded) tell();
  }
}
