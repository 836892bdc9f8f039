/**
 * One table: agent × capability. It is printed, and kept as JSON in `.bench/agents.json`, which git ignores; beside it, in
 * `unknown-messages.json`, what the codecs did not know.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { formatTable } from "../../bench/format-table.js";
import type { AgentName } from "../packages.js";
import { CAPABILITY_NAMES, type CapabilityName } from "./capabilities.js";

export type Outcome =
  /** `tries`: more than one is told, because something was wrong with the first. */
  | { readonly type: "pass"; readonly tookMs: number; readonly tries: number }
  | { readonly type: "fail"; readonly tookMs: number }
  | { readonly type: "cannot"; readonly why: string; readonly recording: string };

const FOLDER = new URL("../../../.bench/", import.meta.url);

export class MatrixReport {
  private readonly cells = new Map<AgentName, Map<CapabilityName, Outcome>>();
  private readonly unknown = new Map<AgentName, Readonly<Record<string, number>>>();

  note(agent: AgentName, capability: CapabilityName, outcome: Outcome): void {
    const row = this.cells.get(agent) ?? new Map<CapabilityName, Outcome>();
    this.cells.set(agent, row);
    row.set(capability, outcome);
    const took = outcome.type === "cannot" ? "" : ` in ${(outcome.tookMs / 1_000).toFixed(1)} s`;
    process.stderr.write(`${agent}: ${capability}: ${outcome.type}${took}\n`);
  }

  /** Messages of the agent that its codec did not know. */
  noteUnknown(agent: AgentName, kinds: Readonly<Record<string, number>>): void {
    this.unknown.set(agent, kinds);
  }

  async publish(): Promise<void> {
    const agents = [...this.cells.keys()];
    const rows = CAPABILITY_NAMES.map((name) => [name, ...agents.map((agent) => this.word(agent, name))]);
    console.log(`\n${formatTable(["capability", ...agents], rows)}`);
    for (const line of this.reasons()) console.log(line);
    const kept = Object.fromEntries([...this.cells].map(([agent, row]) => [agent, Object.fromEntries(row)]));
    await mkdir(FOLDER, { recursive: true });
    await writeFile(new URL("agents.json", FOLDER), `${JSON.stringify(kept, null, 2)}\n`);
    const unknown = Object.fromEntries(this.unknown);
    await writeFile(new URL("unknown-messages.json", FOLDER), `${JSON.stringify(unknown, null, 2)}\n`);
  }

  private word(agent: AgentName, name: CapabilityName): string {
    const outcome = this.cells.get(agent)?.get(name);
    if (!outcome) return "";
    if (outcome.type === "cannot") return "the agent cannot";
    const isSure = outcome.type === "fail" || outcome.tries === 1;
    return isSure ? outcome.type : `${outcome.type}, try ${outcome.tries}`;
  }

  private reasons(): readonly string[] {
    return [...this.cells].flatMap(([agent, row]) =>
      [...row].flatMap(([name, outcome]) =>
        outcome.type === "cannot" ? [`${agent} cannot: ${name}. ${outcome.why} (${outcome.recording})`] : [],
      ),
    );
  }
}
