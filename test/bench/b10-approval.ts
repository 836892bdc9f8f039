/** B10: from a person's approval to the agent's stdin, while 20 other agents write. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { PacedLoad } from "./paced-load.js";
import { quantileOf } from "./quantile.js";
import { withScratch, type Scratch } from "./scratch.js";

const STREAMING = 20;
const LINES_PER_SECOND = 1_000;
const BURST = 1;

const AGENT = fileURLToPath(new URL("./programs/asking-agent.js", import.meta.url));

export const approvalBench: Benchmark = {
  id: "B10",
  what: `from an approval to the agent's stdin, beside ${STREAMING} agents that write`,
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const approvals = options.quick ? 60 : 500;
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data")));
  const load = await PacedLoad.open(options, scratch, daemon, STREAMING);
  const report = join(scratch.folder, "report");
  const done = new AbortController();
  const loading = writeUntil(load, done.signal);
  const sentAtNs = await approve(daemon, report, approvals).finally(() => done.abort());
  await loading;
  const latencies = await latenciesMs(report, sentAtNs);
  const latency = (share: number): string => quantileOf(latencies, share).toFixed(1);
  return [
    {
      what: `approve to stdin, p99 of ${approvals}`,
      value: `p50 ${latency(0.5)}, p90 ${latency(0.9)}, p99 ${latency(0.99)}, max ${latency(1)} ms`,
      measured: quantileOf(latencies, 0.99),
      unit: "ms",
      target: { atMost: 50, unit: "ms" },
    },
  ];
}

async function writeUntil(load: PacedLoad, done: AbortSignal): Promise<void> {
  while (!done.aborted)
    await load.run({ lines: LINES_PER_SECOND, perSecond: LINES_PER_SECOND, burst: BURST });
}

/** Approves whatever the agent asks, so many times; when each approval was sent. */
async function approve(
  daemon: BenchDaemon,
  report: string,
  approvals: number,
): Promise<ReadonlyMap<string, bigint>> {
  const { client } = daemon;
  const stop = new AbortController();
  const sentAtNs = new Map<string, bigint>();
  const { id } = await client.createSession({
    harness: "script",
    cwd: daemon.ready.dataDir,
    args: ["--program", process.execPath, AGENT],
    env: { REPORT: report },
    prompt: "Ask.",
  });
  for await (const item of client.events({ session: id, after: 0, signal: stop.signal })) {
    if (item.type === "reset") throw new Error("the event stream began anew");
    if (item.channel !== "state") continue;
    const { payload } = item.event;
    if (payload.type !== "state_changed" || payload.to !== "waiting_approval") continue;
    if (sentAtNs.size === approvals) break;
    const askId = `ask-${sentAtNs.size + 1}`;
    sentAtNs.set(askId, process.hrtime.bigint());
    await client.answerAsk(id, askId, { decision: "approve" });
  }
  stop.abort();
  return sentAtNs;
}

async function latenciesMs(
  report: string,
  sentAtNs: ReadonlyMap<string, bigint>,
): Promise<readonly number[]> {
  const lines = (await readFile(report, "utf8")).trimEnd().split("\n");
  const readAtNs = new Map(lines.map((line) => line.split(" ") as [string, string]));
  if (readAtNs.size !== sentAtNs.size) throw new OutputsDiffer(`the agent heard ${readAtNs.size} answers`);
  return [...sentAtNs].map(([askId, sentNs]) => Number(BigInt(readAtNs.get(askId) ?? 0) - sentNs) / 1e6);
}
