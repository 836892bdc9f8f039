/** One seed: people, agents and faults around the real runtime, until everything has come to its end. */
import { Caretaker } from "./caretaker.js";
import { Counts } from "./counts.js";
import { Crowd } from "./crowd.js";
import { FAULT_SHARES, FAULTS, FAULTS_WHILE_DOWN } from "./faults.js";
import { Hearing } from "./hearing.js";
import { Ledger } from "./ledger.js";
import { Life } from "./life.js";
import { NO_MUTANT, type Mutant } from "./mutant.js";
import { checkQuiet, checkStored } from "./quiet-checks.js";
import { Random } from "./random.js";
import { Scheduler, settleMicrotasks } from "./scheduler.js";
import { SimDaemon } from "./sim-daemon.js";
import { SimDisk } from "./sim-disk.js";
import { SimJournal } from "./sim-journal.js";
import { SimKeeper } from "./sim-keeper.js";
import { SimSubscriber } from "./sim-subscriber.js";
import type { SimWorld } from "./sim-world.js";
import { Trace, Violation } from "./trace.js";
import { VirtualTime } from "./virtual-time.js";

export interface SimulationOptions {
  readonly seed: number;
  readonly journal: "memory" | "sqlite";
  readonly mutant?: Mutant;
  /** How long faults happen; then come as many steps as it takes to settle. */
  readonly steps?: number;
}

export interface Outcome {
  readonly seed: number;
  readonly counts: Counts;
  readonly violation: string | null;
  readonly trace: readonly string[];
}

const STEPS = 2_000;
const CALM_STEPS_MAX = 30_000;
const SUBSCRIBERS = 3;
const CARE_INTERVAL_MS = 5_000;
/** Longer than any delay after which something is tried again. */
const RECOVERY_MS = 3_000;
const CLOSE_TIMEOUT_MS = 20_000;

export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const simulation = new Simulation(options);
  try {
    await simulation.run();
    return simulation.outcome(null);
  } catch (error) {
    return simulation.outcome(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await simulation.close();
  }
}

class Simulation {
  private readonly random: Random;
  private readonly time = new VirtualTime();
  private readonly trace = new Trace(() => this.time.nowMs);
  private readonly counts = new Counts();
  private readonly scheduler: Scheduler;
  private readonly world: SimWorld;
  private readonly disk: SimDisk;
  private readonly ledger: Ledger;
  private readonly hearing: Hearing;
  private readonly keeper: SimKeeper;
  private readonly crowd: Crowd;
  private readonly subscribers: readonly SimSubscriber[];
  private readonly mutant: Mutant;
  private violation: Violation | null = null;
  private life = new Life(0);
  private daemon: SimDaemon | null = null;
  private idCount = 0;
  private published = 0;
  private isRestarting = false;
  private checkedAfterStart = true;
  /** What failed is tried again for a while. */
  private recoveredAtMs = 0;

  constructor(private readonly options: SimulationOptions) {
    this.mutant = options.mutant ?? NO_MUTANT;
    this.random = new Random(options.seed);
    this.scheduler = new Scheduler(this.random, (text) => this.trace.note(text));
    const fail = (problem: string): never => this.fail(problem);
    this.ledger = new Ledger(fail);
    this.hearing = new Hearing(this.ledger, fail);
    this.disk = new SimDisk({
      kind: options.journal,
      random: this.random,
      onChange: (change) => this.ledger.take(change),
      onSynced: (length) => this.ledger.sync(length),
      onRefused: () => this.recoverSoon(),
    });
    this.world = {
      random: this.random,
      time: this.time,
      scheduler: this.scheduler,
      trace: this.trace,
      counts: this.counts,
      disk: this.disk,
      isCalm: false,
      heard: (heard) => this.hearing.take(heard),
      fail,
      expect: (promise, hear) => void promise.then(hear).catch((error: unknown) => this.note(error)),
    };
    this.keeper = new SimKeeper(this.world);
    this.crowd = new Crowd(this.world, this.ledger);
    this.subscribers = Array.from(
      { length: SUBSCRIBERS },
      (_, index) => new SimSubscriber(`subscriber ${index}`, this.world, this.ledger),
    );
    this.mutant.prepare(this.disk, this.keeper);
  }

  outcome(problem: string | null): Outcome {
    this.counts.add("steps", this.trace.steps);
    this.counts.add("entries", this.ledger.lastPosition);
    return { seed: this.options.seed, counts: this.counts, violation: problem, trace: this.trace.last };
  }

  async close(): Promise<void> {
    this.endLife();
    await this.disk.close();
  }

  async run(): Promise<void> {
    await this.startDaemon();
    this.scheduleCrowd();
    this.scheduleReaders();
    const steps = this.options.steps ?? STEPS;
    const faultShare = this.random.pick(FAULT_SHARES);
    while (this.trace.steps < steps) {
      if (this.random.chance(faultShare)) await this.fault();
      await this.step();
    }
    await this.calmDown();
  }

  /** One thing happens: something that was under way, or time passes. */
  private async step(): Promise<void> {
    const isIdle = this.scheduler.isIdle;
    if (isIdle || this.random.chance(0.1)) this.time.advance();
    else await this.scheduler.doOne();
    await this.settle();
    if (this.scheduler.isIdle) await this.quiet();
  }

  private async settle(): Promise<void> {
    await settleMicrotasks();
    if (this.violation) throw this.violation;
  }

  /** Nothing is under way: now everything must fit together. */
  private async quiet(): Promise<void> {
    const { daemon, disk, ledger, keeper, hearing, world } = this;
    if (!daemon?.isUp || disk.full || disk.failsOnce || this.time.nowMs < this.recoveredAtMs) return;
    if (this.checkedAfterStart && !this.random.chance(0.2)) return;
    this.checkedAfterStart = true;
    this.counts.add("quiet checks");
    const loaded = await checkStored(disk.journal, disk.model, world);
    checkQuiet({ world, runtime: daemon.runtime, keeper, ledger, hearing, loaded });
    const subscriber = this.random.pick(this.subscribers);
    if (!subscriber.hasCaughtUp) return;
    this.counts.add("subscribers compared");
    for (const kept of ledger.sessions.values()) subscriber.check(kept);
  }

  private async calmDown(): Promise<void> {
    this.world.isCalm = true;
    this.disk.full = false;
    this.disk.failsOnce = false;
    this.recoverSoon();
    this.trace.note("calm");
    const caretaker = new Caretaker(this.crowd);
    let nextCareMs = 0;
    for (let step = 0; step < CALM_STEPS_MAX; step += 1) {
      if (this.daemon?.isUp && this.time.nowMs >= nextCareMs && this.scheduler.isIdle) {
        if (caretaker.look(this.daemon.runtime, this.time.nowMs) && (await this.isAtRest())) {
          await this.checkRest();
          return;
        }
        nextCareMs = this.time.nowMs + CARE_INTERVAL_MS;
        this.time.at(nextCareMs, null, () => undefined);
      }
      await this.step();
    }
    this.fail("it does not settle");
  }

  /** Everything is settled, and nothing is left to do. */
  private async isAtRest(): Promise<boolean> {
    const { outbox, timers, sessions } = await this.disk.journal.load();
    const isDying = [...this.keeper.everyRun.values()].some((run) => run.lives && run.isStopping);
    const isRemoving = sessions.some(({ removing }) => removing);
    const isRecovered = this.time.nowMs >= this.recoveredAtMs;
    return outbox.length === 0 && timers.length === 0 && !isDying && !isRemoving && isRecovered;
  }

  private async checkRest(): Promise<void> {
    this.checkedAfterStart = false;
    await this.quiet();
    for (const { messageId, status } of this.ledger.messages.values())
      if (status !== "sent") this.fail(`at the end the message ${messageId} is ${status}`);
    this.counts.add("messages settled", this.ledger.messages.size);
  }

  // Daemons

  private async startDaemon(): Promise<void> {
    const { world, keeper, mutant } = this;
    this.isRestarting = false;
    this.life = new Life(this.life.number + 1);
    const { life } = this;
    this.trace.note(`daemon ${life.number} starts`);
    const inner = await this.disk.open();
    const journal = mutant.journal(new SimJournal(inner, this.disk, this.scheduler, life));
    this.published = this.ledger.lastPosition;
    const daemon = new SimDaemon({
      world,
      life,
      keeper,
      journal,
      mutant,
      newId: () => this.newId(),
      onPublished: ({ entries }) => this.guarded(() => this.publish(entries)),
    });
    this.daemon = daemon;
    this.checkedAfterStart = false;
    world.expect(daemon.start(), () => {
      for (const subscriber of this.subscribers) this.catchUp(subscriber);
    });
  }

  private newId(): string {
    this.idCount += 1;
    return `id${this.idCount}`;
  }

  private publish(entries: Parameters<SimSubscriber["publish"]>[0]): void {
    for (const entry of entries) {
      if (this.ledger.entries.get(entry.position)?.body !== entry.body)
        this.fail(`${entry.position} is told and not committed: ${entry.body}`);
      if (entry.position !== this.published + 1)
        this.fail(`${entry.position} is told after ${this.published}`);
      this.published = entry.position;
    }
    for (const subscriber of this.subscribers) subscriber.publish(entries);
  }

  private endLife(): void {
    this.life.end();
    this.scheduler.forget(this.life);
    this.time.forget(this.life);
    this.daemon = null;
    this.crowd.daemonEnded();
    for (const subscriber of this.subscribers) subscriber.disconnect();
  }

  private restartSoon(): void {
    if (this.isRestarting) return;
    this.isRestarting = true;
    this.time.after(this.random.between(0, 4_000), null, () => {
      void this.scheduler.defer("the daemon is started", null, () => this.startDaemon());
    });
  }

  // Faults

  private async fault(): Promise<void> {
    const fault = this.random.weighted(this.daemon ? FAULTS : FAULTS_WHILE_DOWN);
    this.trace.note(`fault: ${fault}`);
    this.counts.add(`fault ${fault}`);
    switch (fault) {
      case "crash":
        this.crash();
        break;
      case "crash_after":
        await this.scheduler.doOne(() => this.crash());
        break;
      case "close":
        if (this.daemon) this.closeDaemon(this.daemon);
        break;
      case "failed_commit":
        this.disk.failsOnce = true;
        break;
      case "full_disk":
        this.disk.full = true;
        this.time.after(this.random.between(100, 6_000), null, () => {
          this.disk.full = false;
        });
        break;
      case "keeper_death":
        this.keeper.die();
        this.recoverSoon();
        break;
      case "power_loss":
        await this.losePower();
        break;
    }
    await this.settle();
  }

  private recoverSoon(): void {
    this.recoveredAtMs = this.time.nowMs + RECOVERY_MS;
  }

  private crash(): void {
    if (!this.daemon) return;
    this.endLife();
    this.restartSoon();
  }

  /** It ends in good order, unless it takes too long. */
  private closeDaemon(daemon: SimDaemon): void {
    if (!daemon.isUp) return;
    const { life } = this;
    const end = (how: string): void => {
      if (!life.alive) return;
      this.counts.add(how);
      this.endLife();
      this.restartSoon();
    };
    this.world.expect(daemon.close(), () => end("closed in good order"));
    this.time.after(CLOSE_TIMEOUT_MS, life, () => end("killed while closing"));
  }

  private async losePower(): Promise<void> {
    this.endLife();
    this.keeper.losePower();
    const left = await this.disk.losePower();
    this.ledger.rebuild(left);
    if (this.ledger.lastPosition < this.crowd.acknowledgedTo)
      this.fail(`acknowledged up to ${this.crowd.acknowledgedTo}, left up to ${this.ledger.lastPosition}`);
    for (const subscriber of this.subscribers) subscriber.reset();
    this.restartSoon();
  }

  // Those who come by

  private scheduleCrowd(): void {
    this.time.after(this.random.between(5, 900), null, () => {
      if (this.world.isCalm) return;
      if (this.daemon?.isUp) this.crowd.act(this.daemon.runtime);
      this.scheduleCrowd();
    });
  }

  private scheduleReaders(): void {
    this.time.after(this.random.between(50, 2_000), null, () => {
      const subscriber = this.random.pick(this.subscribers);
      if (this.random.chance(0.3)) subscriber.fallBehind();
      this.catchUp(subscriber);
      if (!this.world.isCalm) this.scheduleReaders();
    });
  }

  private catchUp(subscriber: SimSubscriber): void {
    const { daemon } = this;
    if (!daemon?.isUp) return;
    const { runtime } = daemon;
    this.world.expect(
      subscriber.catchUp(runtime.journal, () => runtime.lastPosition()),
      () => undefined,
    );
  }

  // What is wrong

  private fail(problem: string): never {
    this.violation ??= new Violation(problem);
    throw this.violation;
  }

  private note(error: unknown): void {
    this.violation ??= error instanceof Violation ? error : new Violation(String(error), { cause: error });
  }

  /** The runtime must not hear of it: it would be in its way. */
  private guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.note(error);
    }
  }
}
