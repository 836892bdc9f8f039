/**
 * `npm run bench [-- --quick] [-- --only B2,B3]`: the promises of speed, measured.
 *
 * Exit status 1 when contenders do not say the same (always), or when a target is missed (not with `--quick`: CI runs
 * on a busy machine and measures shortly, so a missed target is only told there), or when something that was to be measured
 * could not be (always). Results are kept in `.bench/results.json`, which git ignores.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { durablePipelineBench } from "./b2-durable-pipeline.js";
import { latencyBench } from "./b3-latency.js";
import { memoryBench } from "./b4-memory.js";
import { restartBench } from "./b5-restart.js";
import { startBench } from "./b6-start.js";
import { costPerEventBench } from "./b7-cost-per-event.js";
import { screensBench } from "./b8-screens.js";
import { truthBench } from "./b9-truth.js";
import { approvalBench } from "./b10-approval.js";
import { changesBench } from "./b11-changes.js";
import { wallBench } from "./b13-wall.js";
import { hostileBench } from "./b14-hostile.js";
import { screenMatrixBench } from "./screen-matrix.js";
import { permissionsBench } from "./b-permissions.js";
import { diffPageBench } from "./bd-diff-page.js";
import { boardFramesBench } from "./bw-board-frames.js";
import {
  OutputsDiffer,
  describeTarget,
  verdictOf,
  type Benchmark,
  type BenchOptions,
  type Row,
} from "./benchmark.js";
import { formatTable } from "./format-table.js";

const BENCHMARKS: readonly Benchmark[] = [
  durablePipelineBench,
  latencyBench,
  memoryBench,
  restartBench,
  startBench,
  costPerEventBench,
  screensBench,
  truthBench,
  approvalBench,
  changesBench,
  wallBench,
  hostileBench,
  screenMatrixBench,
  permissionsBench,
  boardFramesBench,
  diffPageBench,
];

// Seen from `dist/test/bench`, where this is run.
const ROOT = new URL("../../../", import.meta.url);

const HEADINGS = ["id", "what", "value", "measured", "target", "verdict"] as const;

interface Measured {
  readonly id: string;
  readonly row: Row;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });
  const chosen = choose(values.only);
  if (chosen === null) return 2;
  const options = { quick: values.quick === true, folder: new URL("test/bench/", ROOT) };
  const measured: Measured[] = [];
  try {
    for (const benchmark of chosen) measured.push(...(await measure(benchmark, options)));
  } catch (error) {
    if (!(error instanceof OutputsDiffer)) throw error;
    console.error(`outputs differ, nothing was measured:\n  ${error.message}`);
    return 1;
  }
  keep(measured, options);
  console.log(formatTable(HEADINGS, measured.map(cellsOf)));
  const failed = measured.filter(({ row }) => verdictOf(row) === "FAILED");
  for (const { id, row } of failed) console.log(`${id} FAILED: ${row.what}: ${row.failure}`);
  const missed = measured.filter(({ row }) => verdictOf(row) === "MISSED");
  if (missed.length > 0 && options.quick) console.log("Missed targets do not count with --quick.");
  return failed.length > 0 || (missed.length > 0 && !options.quick) ? 1 : 0;
}

function choose(only: string | undefined): readonly Benchmark[] | null {
  if (only === undefined) return BENCHMARKS;
  const ids = only.split(",");
  const unknown = ids.filter((id) => !BENCHMARKS.some((benchmark) => benchmark.id === id));
  if (unknown.length === 0) return BENCHMARKS.filter((benchmark) => ids.includes(benchmark.id));
  console.error(`no benchmark ${unknown}; there are ${BENCHMARKS.map((benchmark) => benchmark.id)}`);
  return null;
}

async function measure(benchmark: Benchmark, options: BenchOptions): Promise<readonly Measured[]> {
  console.log(`${benchmark.id} ${benchmark.what} …`);
  return (await benchmark.run(options)).map((row) => ({ id: benchmark.id, row }));
}

function cellsOf({ id, row }: Measured): readonly string[] {
  const measured = `${rounded(row.measured)} ${row.unit}`;
  return [id, row.what, row.value, measured, describeTarget(row.target), verdictOf(row)];
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function keep(measured: readonly Measured[], { quick }: BenchOptions): void {
  const folder = new URL(".bench/", ROOT);
  const rows = measured.map(({ id, row }) => ({ id, ...row, verdict: verdictOf(row) }));
  const results = { node: process.version, quick, rows };
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL("results.json", folder), `${JSON.stringify(results, null, 2)}\n`);
}
