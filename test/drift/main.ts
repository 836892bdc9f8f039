/** Plays what `scripts/drift.mjs` has planned and installed, and tells how it differs from what is kept of the pins. */
import { readFileSync, writeFileSync } from "node:fs";
import { VERSIONS, inVersion, type AgentName } from "../agents/packages.js";
import { report, type AgentLook, type Finding } from "./findings.js";
import { lookAt, type LookOptions } from "./look.js";

interface Plan extends LookOptions {
  readonly plan: readonly {
    readonly agent: AgentName;
    readonly version: string | null;
    readonly isPlayed: boolean;
    readonly problem: string | null;
  }[];
  /** What is seen of the pins is kept. */
  readonly record: boolean;
}

type Kept = Readonly<Partial<Record<AgentName, AgentLook>>>;

// Seen from `dist/test/drift`, where this is run.
const ROOT = new URL("../../../", import.meta.url);
const PINS = new URL("test/drift/pins.json", ROOT);
const RESULTS = new URL(".bench/drift.json", ROOT);

process.exitCode = await main(process.argv[2] ?? "");

async function main(file: string): Promise<number> {
  const { plan, record, ...options } = JSON.parse(readFileSync(file, "utf8")) as Plan;
  const kept = JSON.parse(readFileSync(PINS, "utf8")) as Kept;
  const findings: Finding[] = [];
  for (const { agent, version, isPlayed, problem } of plan) {
    const pin = pinOf(agent, kept);
    const problems = problem === null ? [] : [problem];
    if (version === null) findings.push({ agent, pin, newest: null, problems, skipped: [] });
    else if (!isPlayed) findings.push({ agent, pin, newest: unseen(version), problems, skipped: [] });
    else findings.push({ agent, pin, ...(await lookAt(agent, inVersion(agent, version), options)) });
    // Kept as it grows: whoever stops it has what was seen so far.
    writeFileSync(RESULTS, `${JSON.stringify(findings, null, 2)}\n`);
    if (record) keep(kept, findings);
  }
  const { lines, exitStatus } = report(findings);
  console.log(`\n${lines.join("\n")}`);
  return exitStatus;
}

/** What is kept of another version than the pin says nothing. */
function pinOf(agent: AgentName, kept: Kept): AgentLook {
  const { version } = VERSIONS[agent].pinned;
  const look = kept[agent];
  return look?.version === version ? look : unseen(version);
}

function unseen(version: string): AgentLook {
  return { version, cells: null, days: null, unknownKinds: null, hooks: null, screens: null };
}

/** What was left out now stays as it was. */
function keep(kept: Kept, findings: readonly Finding[]): void {
  const seen = findings.flatMap(({ agent, pin, newest }) => {
    if (newest?.version !== pin.version) return [];
    const fields = Object.entries(newest).filter(([, value]) => value !== null);
    return [[agent, { ...pin, ...Object.fromEntries(fields) }]];
  });
  writeFileSync(PINS, `${JSON.stringify({ ...kept, ...Object.fromEntries(seen) }, null, 2)}\n`);
}
