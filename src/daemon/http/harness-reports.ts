import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import type { Log } from "../log/log.js";

/** Probing starts programs; what they said stays true for a moment. */
const REPORT_LIFE_MS = 10_000;

/** What is installed here. However many ask at once, each harness is probed once. */
export class HarnessReports {
  readonly #harnesses: () => readonly Harness[];
  readonly #log: Log;
  readonly #nowMs: () => number;
  #latest: { readonly reports: Promise<HarnessReport[]>; readonly atMs: number } | null = null;

  constructor(harnesses: () => readonly Harness[], log: Log, nowMs: () => number) {
    this.#harnesses = harnesses;
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

  async #probe(harness: Harness): Promise<HarnessReport> {
    try {
      return await harness.probe();
    } catch (error) {
      this.#log.warn("a harness could not be probed", { harness: harness.name, error });
      const problems = ["It could not be found out whether this agent is installed; the log says why."];
      const { name } = harness;
      return { name, installed: false, version: null, path: null, login: "unknown", problems, hint: null };
    }
  }
}
