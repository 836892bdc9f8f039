/** B6: how long `signalbox ls` takes, against a Node that does nothing. */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "../built-program.js";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { withScratch, type Scratch } from "./scratch.js";

const SESSIONS = 10;
const PROGRAM = builtProgram("cli/main.js");

export const startBench: Benchmark = {
  id: "B6",
  what: "signalbox ls against node -e 0",
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const dataDir = join(scratch.folder, "data");
  const daemon = scratch.own(await BenchDaemon.start(dataDir));
  for (let index = 0; index < SESSIONS; index += 1)
    await daemon.client.createSession({ harness: "script", cwd: tmpdir(), prompt: `Number ${index}` });
  const list = () => timed([PROGRAM, "ls", "--data-dir", dataDir], SESSIONS + 1);
  const nothing = () => timed(["-e", "0"], 0);
  // The first ones read from the disk.
  for (let index = 0; index < 3; index += 1) [list, nothing].forEach((run) => void run());
  const rounds = Array.from({ length: options.quick ? 15 : 60 }, () => ({
    list: list(),
    nothing: nothing(),
  }));
  const listMs = medianOf(rounds.map((round) => round.list));
  const nothingMs = medianOf(rounds.map((round) => round.nothing));
  return [
    {
      what: `signalbox ls of ${SESSIONS} sessions`,
      value: `${listMs.toFixed(0)} ms against ${nothingMs.toFixed(0)} ms, medians of ${rounds.length}`,
      measured: medianOf(rounds.map((round) => round.list / round.nothing)),
      unit: "×",
      target: { atMost: 2.5, unit: "×" },
    },
  ];
}

/** Milliseconds from the start of the process to its end. */
function timed(args: readonly string[], lines: number): number {
  const start = process.hrtime.bigint();
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const end = process.hrtime.bigint();
  if (status !== 0 || stdout.split("\n").length - 1 !== lines)
    throw new OutputsDiffer(`${args.join(" ")}: status ${status ?? "none"}, printed ${stdout}`);
  return Number(end - start) / 1e6;
}
