import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import { ConfigError } from "../../permissions/config/harness-configs.js";
import type { Board } from "./board.js";
import type { Log } from "../log/log.js";

/** Probing starts programs; what they said stays true for a moment. */
const REPORT_LIFE_MS = 10_000;
/** Whoever asks waits no longer for programs that take their time to tell their version. */
const PATIENCE_MS = 800;

interface Probed {
  readonly report: Promise<HarnessReport>;
  readonly startedAtMs: number;
}

/**
 * What is installed here: at once, as far as it is known. However many ask at once, each harness is probed once; what is
 * older than a moment is still told, and probed anew behind it.
 */
export class HarnessReports {
  readonly #board: Pick<Board, "harnesses" | "setup">;
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #patienceMs: number;
  readonly #probes = new Map<string, Probed>();
  readonly #known = new Map<string, HarnessReport>();

  constructor(
    board: Pick<Board, "harnesses" | "setup">,
    log: Log,
    nowMs: () => number,
    patienceMs = PATIENCE_MS,
  ) {
    this.#board = board;
    this.#log = log;
    this.#nowMs = nowMs;
    this.#patienceMs = patienceMs;
  }

  async read(): Promise<HarnessReport[]> {
    const harnesses = this.#harnesses();
    const names = new Set(harnesses.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    const probes = harnesses.map((harness) => this.#fresh(harness));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs);
    });
    await Promise.race([Promise.all(probes), patience]);
    clearTimeout(timer);
    return harnesses.map(({ name }) => this.#known.get(name) ?? stillAsked(name));
  }

  /** The newest probe, or a new one. */
  #fresh(harness: Harness): Promise<HarnessReport> {
    const { name } = harness;
    const nowMs = this.#nowMs();
    const latest = this.#probes.get(name);
    if (latest && nowMs - latest.startedAtMs < REPORT_LIFE_MS) return latest.report;
    const report = this.#probe(harness).then((probed) => {
      this.#known.set(name, probed);
      return probed;
    });
    this.#probes.set(name, { report, startedAtMs: nowMs });
    return report;
  }

  /** With those that are configured; a broken configuration is told with each that it could be about. */
  #harnesses(): readonly Harness[] {
    const { setup } = this.#board;
    try {
      return setup?.harnesses() ?? this.#board.harnesses();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return this.#board.harnesses();
    }
  }

  async #probe(harness: Harness): Promise<HarnessReport> {
    try {
      return { ...(await this.#probeConfigured(harness)), enforcement: harness.enforcement };
    } catch (error) {
      this.#log.warn("a harness could not be probed", { harness: harness.name, error });
      const problems = ["It could not be found out whether this agent is installed; the log says why."];
      const { name } = harness;
      return { name, installed: false, version: null, path: null, login: "unknown", problems, hint: null };
    }
  }

  async #probeConfigured(harness: Harness): Promise<HarnessReport> {
    const { setup } = this.#board;
    if (!setup) return harness.probe();
    try {
      const { command = null, env = {} } = setup.ownConfig(harness.name);
      const report = await harness.probe({ program: command, env });
      if (command === null || report.installed) return report;
      const problem = `there is no program ${JSON.stringify(command)}, which is configured for it`;
      return { ...report, problems: [...new Set([problem, ...report.problems])], hint: null };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const report = await harness.probe();
      return { ...report, problems: [...report.problems, error.message] };
    }
  }
}

/** What is not installed is known at once: one that is still asked is there. */
function stillAsked(name: string): HarnessReport {
  return {
    ...{ name, installed: true, version: null, path: null, login: "unknown", problems: [], hint: null },
    note: "it has not told its version yet; ask again",
  };
}
