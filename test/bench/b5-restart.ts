/** B5: from a killed daemon's successor to a right list of sessions and a resumed stream, with much history and with little. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { openSessions, statusReached } from "./open-sessions.js";
import { eventsOf, openEventStream } from "./programs/event-stream.js";
import { withScratch, type Scratch } from "./scratch.js";

const SESSIONS = 20;
const SHORT = 1_000;
/** A client comes back so many events before the end. */
const MISSED = 20;

const GROW = fileURLToPath(new URL("./programs/grow-journal.js", import.meta.url));

export const restartBench: Benchmark = {
  id: "B5",
  what: "restart after kill -9, with much history against little",
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const long = options.quick ? 100_000 : 1_000_000;
  const rounds = options.quick ? 3 : 11;
  const few = await Host.open(options, scratch, SHORT);
  const many = await Host.open(options, scratch, long);
  const pairs: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFewFirst = round % 2 === 0;
    const first = await (isFewFirst ? few : many).restart();
    const second = await (isFewFirst ? many : few).restart();
    pairs.push(isFewFirst ? [first, second] : [second, first]);
  }
  const median = (side: 0 | 1): string => medianOf(pairs.map((pair) => pair[side])).toFixed(0);
  return [
    {
      what: `restart with ${long} entries against ${SHORT}`,
      value: `${median(1)} ms : ${median(0)} ms`,
      measured: medianOf(pairs.map(([little, much]) => much / little)),
      unit: "x",
      target: { atMost: 1.5, unit: "x" },
    },
  ];
}

/** A data folder with its keeper and agents, which outlive each daemon. */
class Host {
  static async open(options: BenchOptions, scratch: Scratch, entries: number): Promise<Host> {
    const dataDir = join(scratch.folder, `data-${entries}`);
    const daemon = await BenchDaemon.start(dataDir);
    const host = scratch.own(new Host(dataDir, daemon, entries));
    const program = fileURLToPath(new URL("../reliability/small-agent.sh", options.folder));
    host.ids = await openSessions(daemon, SESSIONS, () => ({ args: ["--program", program], prompt: "go" }));
    await statusReached(daemon, "completed", SESSIONS);
    await daemon.kill();
    await grow(join(dataDir, "journal.db"), entries);
    return host;
  }

  private ids: readonly string[] = [];

  private constructor(
    private readonly dataDir: string,
    private daemon: BenchDaemon,
    private readonly lastPosition: number,
  ) {}

  /** Milliseconds from the start of its process until it has told a client all that must be known. */
  async restart(): Promise<number> {
    await this.daemon.kill();
    const startedAtMs = performance.now();
    this.daemon = await BenchDaemon.start(this.dataDir);
    const [listed, resumedAt] = await Promise.all([this.listed(), this.resumedAt()]);
    const tookMs = performance.now() - startedAtMs;
    const expected = this.ids.map((id) => `${id} completed`).toSorted();
    if (listed.join() !== expected.join()) throw new OutputsDiffer(`these sessions were listed: ${listed}`);
    const first = this.lastPosition - MISSED + 1;
    if (resumedAt !== first) throw new OutputsDiffer(`the stream went on at ${resumedAt}, not ${first}`);
    return tookMs;
  }

  async end(): Promise<void> {
    await this.daemon.end();
  }

  private async listed(): Promise<readonly string[]> {
    const { items } = await this.daemon.client.listSessions({ limit: SESSIONS });
    return items.map(({ id, status }) => `${id} ${status}`).toSorted();
  }

  private async resumedAt(): Promise<number> {
    const query = `?after=${this.lastPosition - MISSED}`;
    let tell = (_position: number): void => undefined;
    const first = new Promise<number>((resolve) => {
      tell = resolve;
    });
    const stream = await openEventStream(this.daemon.ready, query, (frames) => {
      tell(eventsOf(frames)[0]?.position ?? 0);
    });
    const position = await first;
    await stream.end();
    return position;
  }
}

async function grow(journalPath: string, entries: number): Promise<void> {
  const child = spawn(process.execPath, [GROW, journalPath, String(entries)], { stdio: "inherit" });
  await once(child, "exit");
  if (child.signalCode !== "SIGKILL") throw new Error("the journal could not be filled");
}
