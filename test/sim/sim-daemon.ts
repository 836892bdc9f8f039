/** One life of the daemon: the real runtime and the real driver, put together as `src/daemon/daemon.ts` does. */
import type { Decision } from "../../src/core/index.js";
import { KeeperDriver } from "../../src/daemon/runs/keeper-driver.js";
import type { KeeperLink } from "../../src/daemon/runs/keeper-link.js";
import type { OutputPump } from "../../src/daemon/runs/output-pump.js";
import { runIdOf } from "../../src/daemon/runs/run-id.js";
import { harnessNamed } from "../../src/harness/registry.js";
import type { RunReport } from "../../src/protocol/keeper.js";
import type { Committed, Driver, Journal } from "../../src/runtime/ports.js";
import { Runtime } from "../../src/runtime/runtime.js";
import type { Life } from "./life.js";
import type { Mutant } from "./mutant.js";
import type { SimConnection, SimKeeper } from "./sim-keeper.js";
import { SimPump } from "./sim-pump.js";
import type { SimWorld } from "./sim-world.js";

const RECONNECT_DELAY_MS = 500;

/** Every verdict's; an agent that a rule rejects is told it. */
export const RULE_REASON = "the dice";

export interface SimDaemonOptions {
  readonly world: SimWorld;
  readonly life: Life;
  readonly keeper: SimKeeper;
  readonly journal: Journal;
  readonly mutant: Mutant;
  readonly newId: () => string;
  readonly onPublished: (committed: Committed) => void;
}

export class SimDaemon {
  /** Requests are taken. */
  isUp = false;
  private connection: SimConnection | null = null;
  private ready: Promise<SimConnection> | null = null;
  private readonly lost = new Set<string>();
  private pump: SimPump | null = null;
  private known: Runtime | null = null;

  constructor(private readonly options: SimDaemonOptions) {}

  get runtime(): Runtime {
    if (!this.known) throw new Error("the daemon has not started");
    return this.known;
  }

  async start(): Promise<void> {
    const { world, life, journal, keeper, mutant, newId, onPublished } = this.options;
    const runtime = await Runtime.open({
      journal,
      clock: world.time.clockOf(life),
      bus: {
        publish: (committed) => {
          onPublished(committed);
          this.pump?.committed(committed);
        },
        synced: () => this.pump?.synced(),
      },
      driver: { perform: (...call) => driver.perform(...call) },
      observer: {
        stepped: () => world.counts.add("transitions"),
        unknownMessage: () => undefined,
        failed: (what, error) => world.trace.note(`trouble: ${what}: ${String(error)}`),
      },
      harness: harnessNamed,
      newId,
      pass: () => undefined,
    });
    this.known = runtime;
    const pump = new SimPump({
      world,
      life,
      runtime,
      keeper,
      connection: () => this.connection,
      ...mutant.pump,
    });
    this.pump = pump;
    this.ready = this.connect();
    const driver = mutant.driver(this.driver(pump));
    await this.ready;
    runtime.start();
    this.isUp = true;
    world.trace.note(`daemon ${life.number} is up`);
  }

  /** As on SIGTERM: what is under way is written down, agents go on. */
  async close(): Promise<void> {
    this.isUp = false;
    await this.pump?.close();
    await this.known?.close();
  }

  private driver(pump: SimPump): Driver {
    const { world } = this.options;
    const link = { ready: () => this.ready };
    return new KeeperDriver({
      // They have private parts, which nobody here uses.
      link: Object.defineProperty({}, "ready", { get: link.ready }) as KeeperLink,
      pump: pump as unknown as OutputPump,
      terminals: { terminalOf: () => null },
      agentTerminals: { perform: () => Promise.reject(new Error("no agent here asks for a terminal")) },
      harness: harnessNamed,
      configured: (settings) => ({ settings, program: null }),
      permissions: {
        decide: () =>
          world.scheduler.defer("a verdict", this.options.life, (): Decision => {
            const verdict = world.random.pick(["allow", "deny", "ask", "none", "none"] as const);
            return { verdict, rule: null, file: null, because: RULE_REASON };
          }),
        accesses: () => [],
        isTrusted: () => false,
        decideAccess: () => Promise.reject(new Error("no agent here asks for files")),
        grant: (_record, scope) => Promise.resolve({ scope, rules: [], file: null, problem: null }),
      },
      hasCompany: () => world.random.chance(0.3),
      startsMax: Infinity,
      notify: () => world.counts.add("notifications"),
      dataDir: "",
      environment: {},
      limits: { umask: 0o022 },
      hooksFile: () => "",
      isLost: (runId) => this.lost.has(runId),
    });
  }

  private async connect(): Promise<SimConnection> {
    const { world, life, keeper } = this.options;
    const { connection, runs } = await world.scheduler.defer("connect to the keeper", life, () => ({
      connection: keeper.connect(
        life,
        (notice) => this.pump?.notice(notice),
        () => this.disconnected(),
      ),
      runs: keeper.reports(),
    }));
    this.connection = connection;
    await this.adopt(runs);
    return connection;
  }

  private disconnected(): void {
    const { world, life } = this.options;
    this.connection = null;
    this.ready = world.time.sleep(RECONNECT_DELAY_MS, life).then(() => this.connect());
    // Whoever uses it gets the error.
    this.ready.catch(() => undefined);
  }

  /** As `adopt-runs.ts`. */
  private async adopt(runs: readonly RunReport[]): Promise<void> {
    const { world, life, keeper } = this.options;
    const { runtime, pump } = this;
    const kept = new Set(runs.map(({ runId }) => runId));
    const leftovers = await world.scheduler.defer("list leftovers", life, () =>
      keeper.leftovers().filter((runId) => !kept.has(runId)),
    );
    for (const runId of leftovers) this.lost.add(runId);
    for (const report of runs) pump?.follow(report);
    for (const runId of leftovers)
      pump
        ?.followLost(runId)
        .catch((error: unknown) => world.trace.note(`left of ${runId}: ${String(error)}`));
    for (const { sessionId, run } of runtime.liveRuns()) {
      const runId = runIdOf(sessionId, run);
      if (kept.has(runId) || this.lost.has(runId) || runtime.awaitsSpawn(sessionId, run)) continue;
      runtime
        .interrupted(sessionId, run)
        .catch((error: unknown) => world.trace.note(`the end of ${runId}: ${String(error)}`));
    }
  }
}
