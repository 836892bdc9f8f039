/** B2: from the spools of 50 agents through the journal to 20 clients, against bare inserts of the same rows. */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BareInserts, readRows } from "./bare-inserts.js";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { eventually } from "./eventually.js";
import { lagGrowth } from "./lag-growth.js";
import { openSessions } from "./open-sessions.js";
import type { ReadersAnswers, ReadersOrder } from "./programs/stream-readers.js";
import { cpuMs, HAS_PROCESS_COSTS } from "./process-costs.js";
import { withScratch, type Scratch } from "./scratch.js";
import { SideProcess } from "./side-process.js";

const AGENTS = 50;
const CLIENTS = 20;

type Readers = SideProcess<ReadersOrder, ReadersAnswers>;

interface Size {
  readonly rounds: number;
  readonly linesEach: number;
}

interface Round {
  /** Lines per second. */
  readonly piped: number;
  readonly inserted: number;
  readonly insertedWithIndexes: number;
  readonly lagGrowth: number;
  readonly cuts: number;
  /** Processor time per line. */
  readonly daemonUs: number;
  readonly keeperUs: number;
}

export const durablePipelineBench: Benchmark = {
  id: "B2",
  what: `lines of ${AGENTS} agents through the journal to ${CLIENTS} clients`,
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const size = options.quick ? { rounds: 2, linesEach: 1_000 } : { rounds: 5, linesEach: 4_000 };
  const pipeline = await Pipeline.open(options, scratch, size);
  const rounds: Round[] = [];
  for (let round = 1; round <= size.rounds; round += 1) rounds.push(await pipeline.run(round));
  return [
    ratioRow("lines/s against bare inserts of the same rows", rounds, ({ inserted }) => inserted, 0.25),
    ratioRow("… into the journal's own table, indexes and all", rounds, (round) => round.insertedWithIndexes),
    {
      what: "by how much of the journal's rate the clients fall behind",
      value: `${rounds.reduce((sum, { cuts }) => sum + cuts, 0)} clients were cut off`,
      measured: medianOf(rounds.map(({ lagGrowth }) => lagGrowth)),
      unit: "of it",
      target: { atMost: 0.05, unit: "of it" },
    },
    ...(HAS_PROCESS_COSTS ? [costRow(rounds)] : []),
  ];
}

function ratioRow(
  what: string,
  rounds: readonly Round[],
  other: (round: Round) => number,
  atLeast?: number,
): Row {
  const piped = medianOf(rounds.map((round) => round.piped));
  const row = {
    what,
    value: `${piped.toFixed(0)}/s : ${medianOf(rounds.map(other)).toFixed(0)}/s`,
    measured: medianOf(rounds.map((round) => round.piped / other(round))),
    unit: "x",
  };
  return atLeast === undefined ? row : { ...row, target: { atLeast, unit: "x" } };
}

function costRow(rounds: readonly Round[]): Row {
  const median = (part: "daemonUs" | "keeperUs"): number => medianOf(rounds.map((round) => round[part]));
  const daemonUs = median("daemonUs");
  const keeperUs = median("keeperUs");
  return {
    what: "processor time per line",
    value: `daemon ${daemonUs.toFixed(1)} + keeper ${keeperUs.toFixed(1)} µs`,
    measured: daemonUs + keeperUs,
    unit: "µs",
  };
}

class Pipeline {
  static async open(options: BenchOptions, scratch: Scratch, size: Size): Promise<Pipeline> {
    const { folder } = scratch;
    const gates = join(folder, "gates");
    await mkdir(gates);
    // One more than there are rounds: there the agents wait until they are ended.
    for (let round = 1; round <= size.rounds + 1; round += 1)
      execFileSync("mkfifo", [join(gates, `${round}`)]);
    const daemon = scratch.own(await BenchDaemon.start(join(folder, "data")));
    const program = fileURLToPath(new URL("agents/gated-agent.sh", options.folder));
    const ids = await openSessions(daemon, AGENTS, (index) => ({
      args: ["--program", program],
      env: { GATES: gates, FILES: filesOf(folder, index) },
      prompt: "Print your files.",
    }));
    await eventually("every agent at work", async () => {
      const { items } = await daemon.client.listSessions({ limit: AGENTS });
      return items.every(({ phase }) => phase === "calling_llm");
    });
    const readers: Readers = scratch.own(
      new SideProcess(new URL("./programs/stream-readers.js", import.meta.url)),
    );
    const journalPath = join(folder, "data", "journal.db");
    await readers.ask({
      type: "connect",
      daemon: daemon.ready,
      clients: CLIENTS,
      journalPath,
    });
    const pids = { daemon: daemon.pid, keeper: await daemon.keeperPid() };
    return new Pipeline(folder, gates, journalPath, ids, pids, readers, size);
  }

  private constructor(
    private readonly folder: string,
    private readonly gates: string,
    private readonly journalPath: string,
    private readonly ids: readonly string[],
    private readonly pids: { readonly daemon: number; readonly keeper: number },
    private readonly readers: Readers,
    private readonly size: Size,
  ) {}

  async run(round: number): Promise<Round> {
    const hashes = await this.writeFiles(round);
    const lines = AGENTS * this.size.linesEach;
    const before = this.costsUs();
    const reading = this.readers.ask({ type: "read", lines });
    const gate = await open(join(this.gates, `${round}`), constants.O_RDWR);
    const startedAtNs = process.hrtime.bigint();
    await gate.write("\n".repeat(AGENTS));
    const report = await reading;
    const after = this.costsUs();
    await gate.close();
    const differing = this.ids.filter((id, index) => report.textHashes[id] !== hashes[index]);
    if (differing.length > 0)
      throw new OutputsDiffer(`clients got another text of ${differing.length} sessions`);
    const rows = readRows(this.journalPath, report.firstPosition, report.lastPosition);
    if (rows.length !== lines) throw new OutputsDiffer(`the journal has ${rows.length} of ${lines} lines`);
    const inserts = new BareInserts(this.folder, rows);
    return {
      piped: lines / secondsBetween(startedAtNs, BigInt(report.endedAtNs)),
      inserted: lines / inserts.seconds("bare"),
      insertedWithIndexes: lines / inserts.seconds("with indexes"),
      lagGrowth: lagGrowth(report.samples, report.firstPosition, report.lastPosition),
      cuts: report.cuts,
      daemonUs: (after.daemon - before.daemon) / lines,
      keeperUs: (after.keeper - before.keeper) / lines,
    };
  }

  private costsUs(): { readonly daemon: number; readonly keeper: number } {
    if (!HAS_PROCESS_COSTS) return { daemon: 0, keeper: 0 };
    return { daemon: cpuMs(this.pids.daemon) * 1000, keeper: cpuMs(this.pids.keeper) * 1000 };
  }

  /** What each agent will print; the hashes of their texts. */
  private async writeFiles(round: number): Promise<readonly string[]> {
    const { linesEach } = this.size;
    const hashes: string[] = [];
    for (const index of this.ids.keys()) {
      const hash = createHash("sha256");
      const lines: string[] = [];
      for (let line = 0; line < linesEach; line += 1) {
        const text = pieceOfText(index, round, line);
        hash.update(text);
        lines.push(`${JSON.stringify({ n: 3 + (round - 1) * linesEach + line, type: "text", text })}\n`);
      }
      hashes.push(hash.digest("hex"));
      await writeFile(`${filesOf(this.folder, index)}.${round}`, lines.join(""));
    }
    return hashes;
  }
}

function filesOf(folder: string, index: number): string {
  return join(folder, `lines-${index}`);
}

const WORDS = "the agent reads a file, changes “two” lines of it, and runs the tests again; ".split(" ");

/** Some 40 to 80 bytes, no two alike: with its envelope an entry of 250 to 300 bytes. */
function pieceOfText(agent: number, round: number, line: number): string {
  const words = Array.from({ length: 6 + (line % 7) }, (_, at) => WORDS[(agent + line + at) % WORDS.length]);
  return `${agent}.${round}.${line} ${words.join(" ")}`;
}

function secondsBetween(startNs: bigint, endNs: bigint): number {
  return Number(endNs - startNs) / 1e9;
}
