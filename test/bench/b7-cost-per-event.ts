/** B7: what an event costs the daemon with 1,000 sessions, against 10: the same lines, in the same bursts, as often. */
import { join } from "node:path";
import { BenchDaemon } from "./bench-daemon.js";
import type { Benchmark, BenchOptions, Row } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { PacedLoad } from "./paced-load.js";
import { cpuMs, HAS_PROCESS_COSTS } from "./process-costs.js";
import { withScratch, type Scratch } from "./scratch.js";

const FEW = 10;
const BURST = 10;
const LINES_PER_SECOND = 2_000;

export const costPerEventBench: Benchmark = {
  id: "B7",
  what: "processor time per event with many sessions against few",
  run(options) {
    if (HAS_PROCESS_COSTS) return withScratch(options, (scratch) => measure(options, scratch));
    console.log("  not measured: this system does not tell what a process costs");
    return [];
  },
};

interface Costs {
  readonly daemonUs: number;
  readonly keeperUs: number;
}

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const many = options.quick ? 200 : 1_000;
  const rounds = options.quick ? 2 : 7;
  const lines = options.quick ? 2_000 : 10_000;
  const sides = [await Side.open(options, scratch, FEW), await Side.open(options, scratch, many)] as const;
  // Every session has spoken before anything counts.
  for (const side of sides) await side.run(Math.max(lines, many * BURST));
  const pairs: (readonly [Costs, Costs])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFewFirst = round % 2 === 0;
    const first = await (isFewFirst ? sides[0] : sides[1]).run(lines);
    const second = await (isFewFirst ? sides[1] : sides[0]).run(lines);
    pairs.push(isFewFirst ? [first, second] : [second, first]);
  }
  return [
    row(`daemon, ${many} sessions against ${FEW}`, pairs, ({ daemonUs }) => daemonUs, 1.25),
    row(`keeper, ${many} sessions against ${FEW}`, pairs, ({ keeperUs }) => keeperUs),
  ];
}

function row(
  what: string,
  pairs: readonly (readonly [Costs, Costs])[],
  cost: (costs: Costs) => number,
  atMost?: number,
): Row {
  const median = (side: 0 | 1): string => medianOf(pairs.map((pair) => cost(pair[side]))).toFixed(0);
  const told = {
    what,
    value: `${median(1)} µs : ${median(0)} µs per event`,
    measured: medianOf(pairs.map(([few, many]) => cost(many) / cost(few))),
    unit: "x",
  };
  return atMost === undefined ? told : { ...told, target: { atMost, unit: "x" } };
}

/** One daemon with its sessions. */
class Side {
  static async open(options: BenchOptions, scratch: Scratch, sessions: number): Promise<Side> {
    const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, `data-${sessions}`)));
    const load = await PacedLoad.open(options, scratch, daemon, sessions);
    return new Side(load, daemon.pid, await daemon.keeperPid());
  }

  private constructor(
    private readonly load: PacedLoad,
    private readonly daemonPid: number,
    private readonly keeperPid: number,
  ) {}

  /** Microseconds per event, in the daemon and in the keeper. */
  async run(lines: number): Promise<Costs> {
    const before = [cpuMs(this.daemonPid), cpuMs(this.keeperPid)] as const;
    await this.load.run({ lines, perSecond: LINES_PER_SECOND, burst: BURST });
    const after = [cpuMs(this.daemonPid), cpuMs(this.keeperPid)] as const;
    return {
      daemonUs: ((after[0] - before[0]) * 1000) / lines,
      keeperUs: ((after[1] - before[1]) * 1000) / lines,
    };
  }
}
