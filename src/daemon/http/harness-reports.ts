import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import { ConfigError } from "../../permissions/config/harness-configs.js";
import type { Board } from "./board.js";
import type { Log } from "../log/log.js";

/** Probing starts programs; what they said stays true for a moment. */
const REPORT_LIFE_MS = 10_000;

/** What is installed here. However many ask at once, each harness is probed once. */
export class HarnessReports {
  readonly #board: Pick<Board, "harnesses" | "setup">;
  readonly #log: Log;
  readonly #nowMs: () => number;
  #latest: { readonly reports: Promise<HarnessReport[]>; readonly atMs: number } | null = null;

  constructor(board: Pick<Board, "harnesses" | "setup">, log: Log, nowMs: () => number) {
    this.#board = board;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  read(): Promise<HarnessReport[]> {
    const nowMs = this.#nowMs();
    if (this.#latest && nowMs - this.#latest.atMs < REPORT_LIFE_MS) return this.#latest.reports;
    const reports = Promise.all(this.#harnesses().map((harness) => this.#probe(harness)));
    this.#latest = { reports, atMs: nowMs };
    return reports;
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
      return await this.#probeConfigured(harness);
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
