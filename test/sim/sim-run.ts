/** One agent process at the simulated keeper: its pipe, its spool, its end. */
import type { ToldLine } from "../../src/harness/script/script-wire.js";
import type { RunExit, RunReport } from "../../src/protocol/keeper.js";
import { parseRunId } from "../../src/daemon/runs/run-id.js";
import { isNewerEffect } from "../../src/keeper/effect-id.js";
import { SimAgent } from "./sim-agent.js";
import type { SimWorld } from "./sim-world.js";

/** What a process that is killed may leave at the end of its output. */
const TORN = [Buffer.from('{"n":7,"type":"te'), Buffer.from([0xff, 0x00, 0xfe, 0x7b]), Buffer.from("\n\n]]")];

export interface Heard {
  readonly runId: string;
  readonly told: ToldLine;
}

export class SimRun {
  readonly agent: SimAgent;
  readonly sessionId: string;
  readonly run: number;
  /** The process is there. */
  lives = true;
  /** Set once it has ended and everything it printed is in the spool. */
  exit: RunExit | null = null;
  /** Its keeper has died, or the power was cut: nobody knows how it ended. */
  lost = false;
  isStopping = false;
  /** Where the lines of its texts end in its output, by which one knows which reached the spool. */
  readonly textEnds: number[] = [];
  spool = Buffer.alloc(0);
  /** Deleted up to here: nobody needs it again. */
  consumedTo = 0;
  private pipe = Buffer.alloc(0);
  private printed = 0;
  private ending: RunExit | null = null;
  private isDraining = false;

  constructor(
    readonly runId: string,
    private lastEffectId: string,
    resume: string | null,
    private readonly world: SimWorld,
    private readonly onChange: (run: SimRun, change: "output" | "exit") => void,
  ) {
    const { sessionId, run } = parseRunId(runId);
    this.sessionId = sessionId;
    this.run = run;
    this.agent = new SimAgent(runId, resume ?? `agent-of-${runId}`, {
      random: world.random,
      isCalm: () => world.isCalm,
      after: (delayMs, callback) =>
        void world.time.after(delayMs, null, () => {
          if (this.lives) callback();
        }),
      print: (text) => this.print(text),
      exit: (exit) => this.end(exit),
      heard: (told) => world.heard({ runId, told }),
      fault: (problem) => world.fail(problem),
    });
  }

  get outEnd(): number {
    return this.spool.length;
  }

  /** All that it printed is in the spool. */
  get isDrained(): boolean {
    return this.pipe.length === 0;
  }

  report(): RunReport {
    const { runId, outEnd, lastEffectId, exit } = this;
    return { runId, pid: 1, startedAtMs: 0, outEnd, hooksEnd: 0, lastEffectId, exit };
  }

  /** Whether an effect has not acted yet. */
  isNew(effectId: string): boolean {
    return isNewerEffect(effectId, this.lastEffectId);
  }

  applied(effectId: string): void {
    this.lastEffectId = effectId;
  }

  input(data: string): void {
    for (const line of data.split("\n")) if (line !== "") this.agent.hear(line);
  }

  stop(termAfterMs: number, killAfterMs: number): void {
    if (this.isStopping || !this.lives) return;
    this.isStopping = true;
    this.signal("SIGINT");
    this.world.time.after(termAfterMs, null, () => this.signal("SIGTERM"));
    this.world.time.after(killAfterMs, null, () => this.kill("SIGKILL"));
  }

  signal(signal: "SIGINT" | "SIGTERM"): void {
    if (this.lives && this.agent.heeds(signal)) this.kill(signal);
  }

  /** With its keeper: what was not yet in the spool is gone, and how it ended; the end of the spool may be torn. */
  lose(): void {
    const hadEnded = this.exit !== null;
    this.lives = false;
    this.lost = true;
    this.pipe = Buffer.alloc(0);
    if (!hadEnded && this.world.random.chance(0.3)) this.tear();
  }

  /** The power is gone: so is some of what was never synced. */
  loseTail(): void {
    this.lose();
    const kept = this.world.random.between(this.consumedTo, this.spool.length);
    if (this.world.random.chance(0.5)) this.spool = this.spool.subarray(0, kept);
  }

  private tear(): void {
    this.world.counts.add("torn output");
    this.spool = Buffer.concat([this.spool, this.world.random.pick(TORN)]);
  }

  private kill(signal: string): void {
    if (!this.lives) return;
    const { random, counts } = this.world;
    if (random.chance(0.3)) {
      counts.add("torn output");
      this.pipe = Buffer.concat([this.pipe, random.pick(TORN)]);
    }
    this.end({ code: null, signal });
  }

  private end(exit: RunExit): void {
    if (!this.lives) return;
    this.lives = false;
    this.ending = exit;
    this.world.trace.note(`${this.runId} ends: ${JSON.stringify(exit)}`);
    this.drainSoon();
  }

  private print(text: string): void {
    const bytes = Buffer.from(text);
    this.printed += bytes.length;
    const isWhole = text.endsWith("\n");
    if (this.agent.texts.length > this.textEnds.length)
      this.textEnds.push(isWhole ? this.printed : this.printed + 1);
    this.pipe = Buffer.concat([this.pipe, bytes]);
    this.drainSoon();
  }

  private drainSoon(): void {
    if (this.isDraining) return;
    this.isDraining = true;
    void this.world.scheduler.defer(`${this.runId}: its output is spooled`, null, () => {
      this.isDraining = false;
      this.drain();
    });
  }

  private drain(): void {
    const { disk, random, time } = this.world;
    if (this.lost) return;
    // The keeper does not read what it cannot keep.
    if (disk.full) {
      this.isDraining = true;
      time.after(random.between(20, 300), null, () => {
        this.isDraining = false;
        this.drainSoon();
      });
      return;
    }
    const length = random.chance(0.7) ? this.pipe.length : random.between(0, this.pipe.length);
    if (length > 0) {
      this.spool = Buffer.concat([this.spool, this.pipe.subarray(0, length)]);
      this.pipe = this.pipe.subarray(length);
      this.onChange(this, "output");
    }
    if (this.pipe.length > 0) this.drainSoon();
    else if (this.ending && !this.exit) {
      this.exit = this.ending;
      this.onChange(this, "exit");
    }
  }
}
