/** B14: what one hostile agent costs the others: calls that never end, asks without number, deep JSON, text without end. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { eventually } from "./eventually.js";
import { PacedLoad } from "./paced-load.js";
import { quantileOf } from "./quantile.js";
import { withScratch, type Scratch } from "./scratch.js";

const HONEST = 20;
const LINES_PER_SECOND = 200;
const WARM_SECONDS = 2;
const ASKS_EVERY_MS = 20;
const RATIO_MAX = 2;

const AGENT = fileURLToPath(new URL("./programs/hostile-agent.js", import.meta.url));

export const hostileBench: Benchmark = {
  id: "B14",
  what: `one hostile agent beside ${HONEST} honest ones`,
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

interface Measured {
  readonly latenciesMs: readonly number[];
  readonly asksMs: readonly number[];
}

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const seconds = options.quick ? 5 : 60;
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data")));
  const load = await PacedLoad.open(options, scratch, daemon, HONEST, "each");
  await measureFor(daemon, load, WARM_SECONDS);
  const without = await measureFor(daemon, load, seconds);
  const hostile = await startHostile(daemon, options);
  const beside = await measureFor(daemon, load, seconds);
  const { usage, status } = await daemon.client.getSession(hostile);
  if (status === "error" || status === "stopped")
    throw new OutputsDiffer(`the hostile agent is ${status} ${JSON.stringify(usage)}`);
  return [
    rowOf("from an honest agent's write to its client", without.latenciesMs, beside.latenciesMs),
    rowOf("GET /v1/asks", without.asksMs, beside.asksMs),
  ];
}

function rowOf(what: string, without: readonly number[], beside: readonly number[]): Row {
  const [alone, together] = [quantileOf(without, 0.99), quantileOf(beside, 0.99)];
  const told = (values: readonly number[]): string =>
    [0.5, 0.99, 1].map((share) => quantileOf(values, share).toFixed(1)).join(", ");
  return {
    what: `${what}, p99 against the same without it`,
    value: `p50, p99, max ${told(beside)} ms; without ${told(without)} ms`,
    measured: together / alone,
    unit: "x",
    target: { atMost: RATIO_MAX, unit: "x" },
  };
}

async function startHostile(daemon: BenchDaemon, { quick }: BenchOptions): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: daemon.ready.dataDir,
    args: ["--program", process.execPath, AGENT],
    env: quick ? { TEXT_BYTES: `${64 * 1024 ** 2}` } : {},
    prompt: "Be a burden.",
  });
  await eventually("the hostile agent at work", async () => {
    const { items } = await daemon.client.listEvents(id, { limit: 1_000 });
    return items.length > 900;
  });
  return id;
}

async function measureFor(daemon: BenchDaemon, load: PacedLoad, seconds: number): Promise<Measured> {
  const done = new AbortController();
  const asking = asksUntil(daemon, done.signal);
  const { latenciesMs } = await load
    .run({ lines: seconds * LINES_PER_SECOND, perSecond: LINES_PER_SECOND, burst: 1 })
    .finally(() => done.abort());
  return { latenciesMs, asksMs: await asking };
}

async function asksUntil({ client }: BenchDaemon, done: AbortSignal): Promise<readonly number[]> {
  const times: number[] = [];
  while (!done.aborted) {
    const startedAtMs = performance.now();
    await client.listAsks();
    times.push(performance.now() - startedAtMs);
    await sleep(ASKS_EVERY_MS);
  }
  return times;
}
