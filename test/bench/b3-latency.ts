/** B3: how long an agent's line takes to a client, while 100 agents write 1,000 lines a second. */
import { join } from "node:path";
import { BenchDaemon } from "./bench-daemon.js";
import type { Benchmark, BenchOptions, Row } from "./benchmark.js";
import { PacedLoad } from "./paced-load.js";
import { quantileOf } from "./quantile.js";
import { withScratch, type Scratch } from "./scratch.js";
import { SyncProbe } from "./sync-probe.js";

const SESSIONS = 100;
const LINES_PER_SECOND = 1_000;
const WARM_SECONDS = 2;
const ALLOWED_MS = 15;

export const latencyBench: Benchmark = {
  id: "B3",
  what: `from the agent's write to the client, ${LINES_PER_SECOND} lines/s of ${SESSIONS} agents`,
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const seconds = options.quick ? 3 : 30;
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data")));
  const load = await PacedLoad.open(options, scratch, daemon, SESSIONS);
  const pace = { perSecond: LINES_PER_SECOND, burst: 1 };
  await load.run({ ...pace, lines: WARM_SECONDS * LINES_PER_SECOND });
  const probe = await SyncProbe.start(scratch.folder);
  const run = await load.run({ ...pace, lines: seconds * LINES_PER_SECOND });
  const syncs = await probe.finish();
  const syncMs = quantileOf(syncs, 0.99);
  const latency = (share: number): string => quantileOf(run.latenciesMs, share).toFixed(1);
  return [
    {
      what: "latency, p99",
      value: `p50 ${latency(0.5)}, p90 ${latency(0.9)}, p99 ${latency(0.99)}, max ${latency(1)} ms`,
      measured: quantileOf(run.latenciesMs, 0.99),
      unit: "ms",
      target: { atMost: Number((ALLOWED_MS + syncMs).toFixed(1)), unit: "ms" },
    },
    {
      what: "sync of the same disk in the same run, p99",
      value: `p50 ${quantileOf(syncs, 0.5).toFixed(1)} ms of ${syncs.length}`,
      measured: syncMs,
      unit: "ms",
    },
    {
      what: "lines per second that were written",
      value: `${run.latenciesMs.length} in ${run.seconds.toFixed(1)} s`,
      measured: run.latenciesMs.length / run.seconds,
      unit: "/s",
    },
  ];
}
