/** The keeper, in memory: it does what `src/keeper` does, as far as a daemon can see. */
import { KeeperClosed, KeeperRefusal } from "../../src/daemon/keeper/keeper-client.js";
import type { RunExit, RunReport } from "../../src/protocol/keeper.js";
import type { Life } from "./life.js";
import { SimRun } from "./sim-run.js";
import type { SimWorld } from "./sim-world.js";

export type RunNotice =
  | { readonly type: "output"; readonly runId: string; readonly end: number }
  | { readonly type: "exit"; readonly runId: string; readonly end: number; readonly exit: RunExit };

interface Effect {
  readonly runId: string;
  readonly effectId: string;
}

export class SimKeeper {
  /** Every run that ever was. */
  readonly everyRun = new Map<string, SimRun>();
  /** Does not know an effect again. */
  forgetsEffects = false;
  private readonly runs = new Map<string, SimRun>();
  /** Run folders on the disk. */
  private readonly folders = new Map<string, SimRun>();
  private connection: SimConnection | null = null;

  constructor(private readonly world: SimWorld) {}

  connect(life: Life, onNotice: (notice: RunNotice) => void, onClosed: () => void): SimConnection {
    this.connection?.close();
    this.connection = new SimConnection(this, this.world, life, onNotice, onClosed);
    return this.connection;
  }

  reports(): readonly RunReport[] {
    return [...this.runs.values()].map((run) => run.report());
  }

  /** Runs whose folder is there and whose keeper is not. */
  leftovers(): readonly string[] {
    return [...this.folders.keys()].filter((runId) => !this.runs.has(runId));
  }

  removeFolder(runId: string): void {
    this.folders.delete(runId);
  }

  spoolEnd(runId: string): number {
    return this.folders.get(runId)?.outEnd ?? 0;
  }

  readSpool(runId: string, offset: number, length: number): Buffer {
    const run = this.folders.get(runId);
    if (!run) return this.world.fail(`the spool of ${runId} is read after it was forgotten`);
    if (offset < run.consumedTo)
      return this.world.fail(`${runId} is read at ${offset}, and its spool begins at ${run.consumedTo}`);
    return Buffer.from(run.spool.subarray(offset, offset + length));
  }

  /** All runs end with it, and a new one is there at once. */
  die(): void {
    for (const run of this.runs.values()) run.lose();
    this.dropAll();
  }

  losePower(): void {
    for (const run of this.runs.values()) run.loseTail();
    this.dropAll();
  }

  has(runId: string): boolean {
    return this.runs.has(runId);
  }

  spawn(effect: Effect, args: readonly string[]): number {
    const { runId, effectId } = effect;
    const { random, fail, counts, isCalm } = this.world;
    if (this.runs.has(runId)) return 1;
    if (this.folders.has(runId)) throw new KeeperRefusal("spawn_failed", "This run was already started.");
    if (this.everyRun.has(runId)) return fail(`${runId} is started a second time`);
    if (!isCalm && random.chance(0.04)) throw new KeeperRefusal("spawn_failed", "no such program");
    const resumeAt = args.indexOf("--resume");
    const resume = resumeAt < 0 ? null : (args[resumeAt + 1] ?? null);
    const run = new SimRun(runId, effectId, resume, this.world, (changed, change) =>
      this.tell(changed, change),
    );
    counts.add("runs");
    this.runs.set(runId, run);
    this.folders.set(runId, run);
    this.everyRun.set(runId, run);
    return 1;
  }

  input({ runId, effectId }: Effect, data: string): void {
    const run = this.running(runId);
    if (!run.isNew(effectId) && !this.forgetsEffects) return;
    if (!run.lives) throw new KeeperRefusal("ended", "The agent takes no input any more.");
    run.applied(effectId);
    run.input(data);
  }

  stop(effect: Effect, termAfterMs: number, killAfterMs: number): void {
    this.once(effect, (run) => run.stop(termAfterMs, killAfterMs));
  }

  signal(effect: Effect, signal: "SIGINT" | "SIGTERM"): void {
    this.once(effect, (run) => run.signal(signal));
  }

  consumed(runId: string, offset: number): void {
    const run = this.runs.get(runId);
    if (run) run.consumedTo = Math.max(run.consumedTo, offset);
  }

  forget(runId: string): void {
    const run = this.runs.get(runId);
    if (run && !run.exit) throw new KeeperRefusal("invalid", "The run has not ended.");
    this.runs.delete(runId);
    this.folders.delete(runId);
  }

  private once({ runId, effectId }: Effect, act: (run: SimRun) => void): void {
    const run = this.running(runId);
    if (!run.isNew(effectId)) return;
    act(run);
    run.applied(effectId);
  }

  private running(runId: string): SimRun {
    const run = this.runs.get(runId);
    if (!run) throw new KeeperRefusal("unknown_run", `There is no run ${runId}.`);
    return run;
  }

  private tell(run: SimRun, change: "output" | "exit"): void {
    const { runId, outEnd: end, exit } = run;
    if (change === "output") this.connection?.tell({ type: "output", runId, end });
    else if (exit) this.connection?.tell({ type: "exit", runId, end, exit });
  }

  private dropAll(): void {
    this.runs.clear();
    this.connection?.close();
    this.connection = null;
  }
}

/** One daemon's connection: what `KeeperClient` is to the real one. */
export class SimConnection {
  private isOpen = true;
  /** Runs whose end was told: nothing but that end is told of them again. */
  private readonly ended = new Set<string>();

  constructor(
    private readonly keeper: SimKeeper,
    private readonly world: SimWorld,
    private readonly life: Life,
    private readonly onNotice: (notice: RunNotice) => void,
    private readonly onClosed: () => void,
  ) {}

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (this.life.alive) this.onClosed();
  }

  spawn(fields: Effect & { readonly args: readonly string[] }): Promise<number> {
    return this.later(`spawn ${fields.runId}`, () => this.keeper.spawn(fields, fields.args));
  }

  input(fields: Effect & { readonly data: string }): Promise<void> {
    return this.later(`input ${fields.effectId} of ${fields.runId}: ${fields.data.trim()}`, () =>
      this.keeper.input(fields, fields.data),
    );
  }

  stop(fields: Effect & { readonly termAfterMs: number; readonly killAfterMs: number }): Promise<void> {
    return this.later(`stop ${fields.runId}`, () =>
      this.keeper.stop(fields, fields.termAfterMs, fields.killAfterMs),
    );
  }

  signal(fields: Effect & { readonly signal: "SIGINT" | "SIGTERM" }): Promise<void> {
    return this.later(`signal ${fields.runId}`, () => this.keeper.signal(fields, fields.signal));
  }

  consumed(runId: string, _spool: "out", offset: number): void {
    if (this.isOpen) this.keeper.consumed(runId, offset);
  }

  forget(runId: string): Promise<void> {
    return this.later(`forget ${runId}`, () => this.keeper.forget(runId));
  }

  /** Late, sometimes twice, and not in order. */
  tell(notice: RunNotice): void {
    const { random, scheduler, counts } = this.world;
    const times = random.chance(0.05) ? 2 : 1;
    if (times === 2) counts.add("repeated notices");
    for (let time = 0; time < times; time += 1) {
      void scheduler.defer(`notice: ${notice.type} of ${notice.runId} up to ${notice.end}`, this.life, () => {
        const { runId, type } = notice;
        if (!this.isOpen || (type === "output" && this.ended.has(runId))) return;
        if (type === "exit") this.ended.add(runId);
        this.onNotice(notice);
      });
    }
  }

  private later<T>(label: string, act: () => T): Promise<T> {
    return this.world.scheduler.defer(`keeper: ${label}`, this.life, () => {
      if (!this.isOpen) throw new KeeperClosed("The connection to the keeper is closed.");
      return act();
    });
  }
}
