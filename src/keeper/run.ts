import { join } from "node:path";
import { HOLD_MS_MAX, INPUT_QUEUE_BYTES_MAX, type RunSignal } from "../protocol/keeper-format.js";
import type { Foreground, RunExit, RunReport } from "../protocol/keeper.js";
import type { AgentProcess, AgentProcessOwner } from "./agent-process.js";
import { isNewerEffect } from "./effect-id.js";
import { ForegroundWatch } from "./foreground-watch.js";
import type { MarkedProcess } from "./frozen-processes.js";
import { Hold, type HoldEnd, HoldRefusal } from "./hold.js";
import { HooksWatch } from "./hooks-watch.js";
import { exitThroughWall, OwnProcess } from "./own-process.js";
import { HOOKS_FILE } from "./paths.js";
import { signalGroup, signalOrphans } from "./process-group.js";
import { type SpoolOwner, SpoolWriter } from "./spool-writer.js";
import { StderrFile } from "./stderr-file.js";
import { StopTimers } from "./stop-timers.js";

/** What others in the agent's group get to end by themselves, once the agent is dead. */
const ORPHANS_KILL_AFTER_MS = 1_000;
/** Who left the group and still holds the pipe is waited for until it prints nothing for so long, */
const QUIET_MS = 100;
/** or for so many times that. */
const NOISY_CHECKS_MAX = 50;

export type RunChange = "output" | "hooks" | "foreground" | "exit";

export interface RunOptions {
  readonly runId: string;
  readonly effectId: string;
  readonly folder: string;
  readonly hooks: boolean;
  /** Of its terminal; null: it has pipes. */
  readonly size: RunSize | null;
  /** Its command is bubblewrap, which starts the agent. */
  readonly isWalled: boolean;
  readonly spoolBytesMax: number;
  /** For tests: how long a hold lasts when nobody releases it. */
  readonly holdMsMax?: number;
  readonly startedAtMs: number;
  readonly onChange: (run: Run, change: RunChange) => void;
}

export type RunSize = NonNullable<RunReport["size"]>;

export type InputResult = "taken" | "full" | "ended" | "gone";

/** One agent process, from its start until all it printed is in the spool, and then the report of its end. */
export class Run implements AgentProcessOwner, SpoolOwner {
  readonly runId: string;
  readonly folder: string;
  readonly spool: SpoolWriter;
  /** Set once the process has ended and all it wrote is in the spool. */
  exit: RunExit | null = null;
  pid = 0;
  /** The agent itself is dead. */
  leaderGone = false;
  private readonly startedAtMs: number;
  private readonly onChange: RunOptions["onChange"];
  private readonly holdMsMax: number;
  private readonly isWalled: boolean;
  private agent: AgentProcess | null = null;
  private own: OwnProcess | null = null;
  private readonly stderr: StderrFile;
  private readonly hooks: HooksWatch | null;
  private size: RunSize | null;
  private front: ForegroundWatch | null = null;
  private lastEffectId: string;
  private stopTimers: StopTimers | null = null;
  private outputExit: RunExit | null = null;
  private dismissed = false;
  /** The newest, until another one is taken. */
  private held: Hold | null = null;
  /** Holds are taken one after the other. Never rejects. */
  private taking: Promise<unknown> = Promise.resolve();
  /** Counts what ends holds, so that one that is just being taken is ended too. */
  private holdsEnded = 0;

  /** The folder must be there, and the file for hooks in it. */
  constructor(options: RunOptions) {
    this.runId = options.runId;
    this.folder = options.folder;
    this.startedAtMs = options.startedAtMs;
    this.lastEffectId = options.effectId;
    this.size = options.size;
    this.isWalled = options.isWalled;
    this.onChange = options.onChange;
    this.holdMsMax = options.holdMsMax ?? HOLD_MS_MAX;
    this.spool = new SpoolWriter(options.folder, options.spoolBytesMax, this);
    this.stderr = new StderrFile(options.folder, () => this.stderrReadable());
    this.hooks = options.hooks
      ? new HooksWatch(join(options.folder, HOOKS_FILE), () => this.onChange(this, "hooks"))
      : null;
  }

  /** The process whose owner this is. */
  attach(agent: AgentProcess): void {
    this.agent = agent;
    this.pid = agent.pid;
    const own = new OwnProcess(agent.pid, this.isWalled);
    this.own = own;
    if (this.size) this.front = new ForegroundWatch(own, () => this.onChange(this, "foreground"));
    this.outputReadable();
  }

  get hooksEnd(): number {
    return this.hooks?.end ?? 0;
  }

  get foreground(): Foreground | null {
    return this.front?.current ?? null;
  }

  report(): RunReport {
    const { size, foreground } = this;
    return {
      runId: this.runId,
      pid: this.pid,
      startedAtMs: this.startedAtMs,
      outEnd: this.spool.end,
      hooksEnd: this.hooksEnd,
      lastEffectId: this.lastEffectId,
      exit: this.exit,
      ...(size ? { size } : {}),
      ...(foreground ? { foreground } : {}),
    };
  }

  isNew(effectId: string): boolean {
    return isNewerEffect(effectId, this.lastEffectId);
  }

  applied(effectId: string): void {
    this.lastEffectId = effectId;
  }

  /** `holdId`: only for the addressee of that hold. */
  input(data: Buffer, holdId: string | null): InputResult {
    if (this.agent === null || this.leaderGone) return "ended";
    if (holdId !== null && !this.isHeld(holdId)) return "gone";
    this.front?.look();
    if (this.agent.queuedInputBytes + data.length > INPUT_QUEUE_BYTES_MAX) return "full";
    if (!this.agent.write(data)) return "ended";
    this.held?.noteInput(holdId !== null, data.length);
    return "taken";
  }

  /** Never rejects; null: it is held. */
  hold(holdId: string, addressee: MarkedProcess): Promise<HoldRefusal | null> {
    const taken = this.taking.then(() => this.takeHold(holdId, addressee));
    this.taking = taken;
    return taken;
  }

  /** Null: there was no such hold, or another one has taken its place. */
  release(holdId: string, isTaken: boolean): HoldEnd | null {
    return this.held?.holdId === holdId ? this.held.release(isTaken) : null;
  }

  closeInput(): void {
    this.agent?.closeInput();
  }

  resize(cols: number, rows: number): void {
    if (this.size) this.size = { cols, rows };
    this.agent?.resize(cols, rows);
  }

  /** To the agent and everybody in its group. Who is frozen would not hear it. */
  signal(signal: RunSignal): void {
    this.endHold();
    if (this.leaderGone) return;
    // A shell behind a wall leads a group of its own. To end it for good, its wall is ended, and so everybody inside.
    const ownGroup = this.isWalled && signal !== "SIGKILL" ? this.own?.read()?.group : undefined;
    signalGroup(this.pid, signal);
    if (ownGroup !== undefined && ownGroup !== this.pid) signalGroup(ownGroup, signal);
  }

  /** Ends the run, whatever it takes. */
  stop(termAfterMs: number, killAfterMs: number): void {
    if (this.leaderGone) return;
    this.endHold();
    this.stopTimers ??= new StopTimers((signal) => this.signal(signal));
    this.stopTimers.schedule("SIGTERM", termAfterMs);
    this.stopTimers.schedule("SIGKILL", killAfterMs);
  }

  /** Ends who is left of the group of a dead agent. */
  killOrphans(): void {
    if (this.leaderGone) signalOrphans(this.pid, "SIGKILL");
  }

  /** Nobody wants to hear of it any more: whatever it holds is given back. */
  dismiss(): void {
    this.dismissed = true;
    if (this.agent !== null && !this.leaderGone) signalGroup(this.pid, "SIGKILL");
    this.endHold();
    this.stopTimers?.clear();
    this.spool.abandon();
    this.hooks?.close();
    this.front?.close();
    this.agent?.abandonOutput();
  }

  outputReadable(): void {
    if (this.spool.busy || this.dismissed) return;
    const chunk = this.agent?.readOutput() ?? null;
    if (chunk !== null) this.spool.push(chunk);
  }

  stderrReadable(): void {
    if (this.stderr.busy || this.dismissed) return;
    const chunk = this.agent?.readStderr() ?? null;
    if (chunk === null) this.finishIfDone();
    else this.stderr.append(chunk);
  }

  spoolGrew(): void {
    this.front?.look();
    this.onChange(this, "output");
  }

  spoolTook(): void {
    this.outputReadable();
    this.finishIfDone();
  }

  leaderExited(): void {
    if (this.leaderGone) return;
    this.leaderGone = true;
    this.endHold();
    this.front?.close();
    this.stopTimers?.clear();
    const orphans = signalOrphans(this.pid, "SIGTERM");
    setTimeout(() => {
      if (orphans) this.killOrphans();
      this.waitForQuiet(null, NOISY_CHECKS_MAX);
    }, ORPHANS_KILL_AFTER_MS);
  }

  outputEnded(exit: RunExit): void {
    this.outputExit = this.isWalled ? exitThroughWall(exit) : exit;
    this.finishIfDone();
  }

  private async takeHold(holdId: string, addressee: MarkedProcess): Promise<HoldRefusal | null> {
    const { agent, own, held, folder } = this;
    if (agent === null || own === null || this.leaderGone || this.dismissed) {
      return new HoldRefusal("agent_gone", "The agent no longer reads input.");
    }
    if (held?.look() && held.isFor(addressee)) {
      held.renew(holdId);
      return null;
    }
    held?.release(false);
    const { holdsEnded } = this;
    try {
      const onEnd = () => this.front?.look();
      const lastsMs = this.holdMsMax;
      this.held = await Hold.take({ holdId, addressee, agent, own, folder, lastsMs, onEnd });
    } catch (error) {
      if (error instanceof HoldRefusal) return error;
      throw error;
    }
    if (holdsEnded === this.holdsEnded) return null;
    this.held.release(false);
    return new HoldRefusal("agent_gone", "The run was stopped.");
  }

  private isHeld(holdId: string): boolean {
    return this.held?.holdId === holdId && this.held.look();
  }

  private endHold(): void {
    this.holdsEnded += 1;
    this.held?.release(false);
  }

  private finishIfDone(): void {
    const done = this.outputExit !== null && !this.spool.busy && !this.stderr.busy;
    if (!done || this.exit !== null || this.dismissed) return;
    this.exit = this.outputExit;
    this.agent = null;
    this.spool.finish();
    this.hooks?.look();
    this.onChange(this, "exit");
  }

  /** Quiet is who has printed nothing between two checks. What is not on disk yet is waited for as long as it takes. */
  private waitForQuiet(endBefore: number | null, checksLeft: number): void {
    if (this.outputExit !== null || this.dismissed) return;
    const { busy, stalled, end } = this.spool;
    const grew = end !== endBefore;
    if (checksLeft === 0 || (!grew && !busy)) {
      this.agent?.abandonOutput();
      return;
    }
    const noisy = grew && !stalled;
    setTimeout(() => this.waitForQuiet(end, noisy ? checksLeft - 1 : checksLeft), QUIET_MS);
  }
}
