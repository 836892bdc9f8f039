import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { HOLD_MS_MAX, KEEPER_PROTOCOL_VERSION, SPOOL_BYTES_MAX } from "../protocol/keeper-format.js";
import type { KeeperNotice, KeeperRequest } from "../protocol/keeper.js";
import { SpawnFailure, type SpawnSpec } from "./agent-process.js";
import type { Connection, ConnectionOwner } from "./connection.js";
import { isRunning } from "./frozen-processes.js";
import { isKeeperSecret } from "./keeper-secret.js";
import { runFolder } from "./paths.js";
import type { Run, RunChange } from "./run.js";
import { startRun } from "./start-run.js";

/** When the keeper ends, agents get so long to end by themselves, */
const KILL_AFTER_MS = 2_000;
/** and then so long until they are given up. */
const GIVE_UP_AFTER_MS = 4_000;
/** Who says hello waits no longer for runs that are being started: a start may hang, and the others are to be met. */
const START_PATIENCE_MS = 5_000;

export interface KeeperOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  /** The Signalbox that it is part of. */
  readonly release: string;
  /** Unconsumed output of one run at which its agent has to wait. */
  readonly spoolBytesMax?: number;
  /** How long a hold lasts that nobody releases. */
  readonly holdMsMax?: number;
  /** Every run has ended on request, and every answer is given. */
  readonly onShutDown: () => void;
}

type Failed = Extract<KeeperNotice, { readonly type: "failed" }>;
type RunRequest = Extract<KeeperRequest, { readonly runId: string }>;
type EffectRequest = Extract<KeeperRequest, { readonly effectId: string }>;

/** The runs, and what can be asked of them. */
export class Keeper implements ConnectionOwner {
  private readonly runs = new Map<string, Run>();
  /** Never reject. */
  private readonly starting = new Map<string, Promise<Run | SpawnFailure>>();
  private readonly connections = new Set<Connection>();
  private ending = false;

  constructor(private readonly options: KeeperOptions) {}

  /** Nobody needs this keeper. */
  get idle(): boolean {
    return this.runs.size === 0 && this.starting.size === 0 && this.connections.size === 0;
  }

  get hasLiveRuns(): boolean {
    return this.starting.size > 0 || [...this.runs.values()].some((run) => !run.leaderGone);
  }

  opened(connection: Connection): void {
    this.connections.add(connection);
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
  }

  isSecret(given: string): boolean {
    return isKeeperSecret(this.options.dataDir, given);
  }

  refused(stranger: Connection): void {
    for (const connection of this.connections) if (connection !== stranger) connection.noteStranger();
  }

  handle(request: KeeperRequest): KeeperNotice | Promise<KeeperNotice> {
    switch (request.type) {
      case "hello":
        return this.welcome(request.id);
      case "spawn":
        return this.spawn(request);
      case "input":
        return this.withRun(request, (run) => input(request, run));
      case "hold":
        return this.withRun(request, (run) => hold(request, run));
      case "release":
        return this.withRun(request, (run) => release(request, run));
      case "close_input":
        return this.once(request, (run) => run.closeInput());
      case "signal":
        return this.once(request, (run) => run.signal(request.signal));
      case "stop":
        return this.once(request, (run) => {
          if (request.interrupt) run.signal("SIGINT");
          run.stop(request.termAfterMs, request.killAfterMs);
        });
      case "resize":
        return this.withRun(request, (run) => {
          run.resize(request.cols, request.rows);
          return done(request);
        });
      case "consumed":
        return this.withRun(request, (run) => consumed(request, run));
      case "forget":
        return this.forget(request);
      case "ping":
        return done(request);
      case "shutdown":
        return this.shutDown(request);
    }
  }

  /** Ends every run, with everything it started. Afterwards the keeper takes no new ones. */
  async endRuns(): Promise<void> {
    this.ending = true;
    await Promise.all(this.starting.values());
    const deadlineMs = performance.now() + GIVE_UP_AFTER_MS;
    const runs = [...this.runs.values()];
    for (const run of runs) run.stop(0, KILL_AFTER_MS);
    while (runs.some((run) => run.exit === null) && performance.now() < deadlineMs) await sleep(20);
    for (const run of runs) run.killOrphans();
  }

  /** With every run that was asked for: a daemon takes one that is not named for what a dead keeper has left. */
  private welcome(id: number, isPatient = true): KeeperNotice | Promise<KeeperNotice> {
    if (isPatient && this.starting.size > 0) return this.allStarted().then(() => this.welcome(id, false));
    const runs = [...this.runs.values()].map((run) => run.report());
    const { release } = this.options;
    return { type: "welcome", id, version: KEEPER_PROTOCOL_VERSION, release, pid: process.pid, runs };
  }

  private async allStarted(): Promise<void> {
    const patience = sleep(START_PATIENCE_MS, undefined, { ref: false });
    await Promise.race([Promise.all(this.starting.values()), patience]);
  }

  private async spawn(spec: SpawnSpec): Promise<KeeperNotice> {
    const started = this.runs.get(spec.runId) ?? (await (this.starting.get(spec.runId) ?? this.start(spec)));
    if (started instanceof SpawnFailure) return failed(spec, started.code, started.message);
    return { ...done(spec), pid: started.pid };
  }

  private start(spec: SpawnSpec): Promise<Run | SpawnFailure> {
    if (this.ending) return Promise.resolve(new SpawnFailure("The keeper is ending."));
    const { dataDir, spoolBytesMax = SPOOL_BYTES_MAX, holdMsMax = HOLD_MS_MAX } = this.options;
    const onChange = (run: Run, change: RunChange) => this.tell(run, change);
    const starting = startRun(spec, { dataDir, spoolBytesMax, holdMsMax, onChange }).then(
      (run) => this.started(run),
      (error: unknown) => {
        this.starting.delete(spec.runId);
        if (error instanceof SpawnFailure) return error;
        throw error;
      },
    );
    this.starting.set(spec.runId, starting);
    return starting;
  }

  private started(run: Run): Run {
    this.starting.delete(run.runId);
    this.runs.set(run.runId, run);
    // What happened until now was told to nobody.
    if (run.spool.end > 0) this.tell(run, "output");
    if (run.hooksEnd > 0) this.tell(run, "hooks");
    if (run.foreground !== null) this.tell(run, "foreground");
    if (run.exit !== null) this.tell(run, "exit");
    return run;
  }

  private tell(run: Run, change: RunChange): void {
    if (this.runs.get(run.runId) !== run) return;
    for (const connection of this.connections) connection.noteChange(run, change);
  }

  /** A run that is just being started is waited for. */
  private withRun(
    request: RunRequest,
    act: (run: Run) => KeeperNotice | Promise<KeeperNotice>,
  ): KeeperNotice | Promise<KeeperNotice> {
    const run = this.runs.get(request.runId);
    if (run !== undefined) return act(run);
    const starting = this.starting.get(request.runId);
    if (starting === undefined) return unknownRun(request);
    return starting.then((started) => (started instanceof SpawnFailure ? unknownRun(request) : act(started)));
  }

  /** Does what an effect asks unless it was done before. */
  private once(request: EffectRequest, act: (run: Run) => void): KeeperNotice | Promise<KeeperNotice> {
    return this.withRun(request, (run) => {
      if (run.isNew(request.effectId)) {
        act(run);
        run.applied(request.effectId);
      }
      return done(request);
    });
  }

  private async forget(request: RunRequest): Promise<KeeperNotice> {
    const run = this.runs.get(request.runId);
    if (this.starting.has(request.runId) || run?.exit === null) {
      return failed(request, "invalid", "The run has not ended.");
    }
    run?.dismiss();
    this.runs.delete(request.runId);
    try {
      await rm(runFolder(this.options.dataDir, request.runId), { recursive: true, force: true });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return failed(request, "disk_full", `The run's folder could not be deleted: ${why}`);
    }
    return done(request);
  }

  private async shutDown(request: KeeperRequest): Promise<KeeperNotice> {
    await this.endRuns();
    // After the answer was handed to the connection.
    setImmediate(this.options.onShutDown);
    return done(request);
  }
}

function input(request: Extract<KeeperRequest, { readonly type: "input" }>, run: Run): KeeperNotice {
  if (request.effectId !== null && !run.isNew(request.effectId)) return done(request);
  const { asker = null, hold = null } = request;
  if (asker !== null && !isRunning(asker))
    return failed(request, "agent_gone", "The program that has asked is gone.");
  switch (run.input(Buffer.from(request.data, request.encoding), hold)) {
    case "gone":
      return failed(request, "agent_gone", "The agent that it was meant for is gone.");
    case "full":
      return failed(request, "input_full", "The agent has not read what it was given before.");
    case "ended":
      return failed(request, "ended", "The agent no longer reads input.");
    case "taken":
      if (request.effectId !== null) run.applied(request.effectId);
      return done(request);
  }
}

async function hold(
  request: Extract<KeeperRequest, { readonly type: "hold" }>,
  run: Run,
): Promise<KeeperNotice> {
  const { holdId, pid, start } = request;
  const refusal = await run.hold(holdId, { pid, start });
  return refusal === null ? done(request) : failed(request, refusal.code, refusal.message);
}

function release(request: Extract<KeeperRequest, { readonly type: "release" }>, run: Run): KeeperNotice {
  const end = run.release(request.holdId, request.isTaken);
  return end === null
    ? failed(request, "no_hold", `There is no hold ${request.holdId}.`)
    : { ...done(request), hold: end };
}

function consumed(request: Extract<KeeperRequest, { readonly type: "consumed" }>, run: Run): KeeperNotice {
  // The file for hooks is appended to by others, and goes with the folder.
  const isThere = request.spool === "hooks" || run.spool.consume(request.offset);
  return isThere ? done(request) : failed(request, "invalid", "The spool does not reach so far.");
}

function done({ id }: KeeperRequest): Extract<KeeperNotice, { readonly type: "done" }> {
  return { type: "done", id };
}

function failed({ id }: KeeperRequest, code: Failed["code"], message: string): Failed {
  return { type: "failed", id, code, message };
}

function unknownRun(request: RunRequest): Failed {
  return failed(request, "unknown_run", `There is no run ${request.runId}.`);
}
