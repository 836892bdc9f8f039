/**
 * B8: what it costs to read the screens of terminals, against the bare emulator that shows them; and how soon a prompt
 * that an agent shows has become a state event.
 *
 * Output is replayed in a time of its own, so that it is read as often as it would be: once as fast as programs print,
 * and once at the agents' own pace, in which almost nothing is printed, and what is read weighs most against it.
 */
import { readFileSync } from "node:fs";
import headless from "@xterm/headless";
import { Emulator, type EmulatorOwner } from "../../src/terminal/emulator/emulator.js";
import { ScreenWatch } from "../../src/terminal/screen/screen-watch.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { promptLatencies } from "./prompt-latencies.js";
import { quantileOf } from "./quantile.js";
import { withScratch } from "./scratch.js";

const AGENTS = ["claude", "codex"] as const;
const SIZE = { cols: 120, rows: 40 };
const SCROLLBACK_ROWS = 800;
const NOBODY: EmulatorOwner = { answered: () => undefined, marked: () => undefined };
const PIECE_BYTES = 16 * 1024;
/** A build that prints a lot, or a file that is shown. */
const BUSY_BYTES_PER_MS = 1_000;
const BUSY_REPEATS = 10;
const WARM_MS = 600;
const MEBIBYTE = 1024 * 1024;

interface Output {
  readonly agent: string;
  readonly pieces: readonly { readonly atMs: number; readonly bytes: Buffer }[];
}

export const screensBench: Benchmark = {
  id: "B8",
  what: "reading the screens of terminals, against the bare emulator",
  run: async (options) => [...costs(options), ...(await latencies(options))],
};

function costs({ quick, folder }: BenchOptions): readonly Row[] {
  const rounds: Rounds = { rounds: quick ? 3 : 15, sliceMs: quick ? 150 : 400 };
  return AGENTS.flatMap((agent): readonly Row[] => {
    const slow = recorded(agent, new URL(`terminal-output/${agent}.jsonl`, folder));
    const busy = atFullSpeed(slow);
    return [
      costRow(`${agent}, printing 1 MB/s`, busy, rounds, { atMost: 1.3, unit: "×" }),
      costRow(`${agent}, at its own pace`, slow, rounds),
    ];
  });
}

interface Rounds {
  readonly rounds: number;
  readonly sliceMs: number;
}

function costRow(what: string, output: Output, { rounds, sliceMs }: Rounds, target?: Row["target"]): Row {
  if (watched(output) === 0) throw new OutputsDiffer("nothing was read");
  const plays = [() => bare(output), () => void watched(output)] as const;
  for (const play of plays) cpuMsOf(play, WARM_MS);
  // They take turns, so that whatever else the machine does meets both.
  const times = Array.from({ length: rounds }, () => plays.map((play) => cpuMsOf(play, sliceMs)));
  const medianMs = (which: number) => medianOf(times.map((round) => round[which] ?? Number.NaN));
  const bytes = output.pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
  const seconds = (output.pieces.at(-1)?.atMs ?? 0) / 1_000;
  const perMb = (which: number) => (medianMs(which) * (MEBIBYTE / bytes)).toFixed(0);
  const share = (medianMs(1) / 10 / seconds).toFixed(2);
  return {
    what,
    value: `${perMb(1)} against ${perMb(0)} ms per MB; ${share} % of a core`,
    measured: medianOf(times.map(([one = Number.NaN, other = Number.NaN]) => other / one)),
    unit: "×",
    ...(target ? { target } : {}),
  };
}

/** Processor time of one play, over about so much of it: other programs of the machine do not count. */
function cpuMsOf(play: () => void, sliceMs: number): number {
  const start = process.cpuUsage();
  for (let count = 1; ; count += 1) {
    play();
    const { user, system } = process.cpuUsage(start);
    const spentMs = (user + system) / 1_000;
    if (spentMs >= sliceMs) return spentMs / count;
  }
}

function recorded(agent: string, file: URL): Output {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const pieces = lines.map((line) => {
    const [atMs, text] = JSON.parse(line) as [number, string];
    return { atMs, bytes: Buffer.from(text) };
  });
  return { agent, pieces };
}

/** The same, over and over, in pieces as large as the daemon reads them. */
function atFullSpeed({ agent, pieces }: Output): Output {
  const once = Buffer.concat(pieces.map(({ bytes }) => bytes));
  const all = Buffer.concat(new Array<Buffer>(BUSY_REPEATS).fill(once));
  const cut = Array.from({ length: Math.ceil(all.length / PIECE_BYTES) }, (_, at) => {
    const start = at * PIECE_BYTES;
    return { atMs: start / BUSY_BYTES_PER_MS, bytes: all.subarray(start, start + PIECE_BYTES) };
  });
  return { agent, pieces: cut };
}

function bare({ pieces }: Output): void {
  const terminal = new headless.Terminal({ ...SIZE, scrollback: SCROLLBACK_ROWS, logLevel: "off" });
  for (const { bytes } of pieces) {
    // As the daemon does it, so that it is shown at once.
    terminal.input("");
    terminal.write(bytes);
  }
  terminal.dispose();
}

/** As a run's terminal does it, with a clock of its own. How many readings were told. */
function watched({ agent, pieces }: Output): number {
  const emulator = new Emulator(SIZE, 0, NOBODY);
  const clock = new Clock();
  let told = 0;
  const watch = new ScreenWatch({
    terminal: {
      screen: () => emulator.screen(),
      get isDrawing() {
        return emulator.isDrawing;
      },
    },
    front: () => ({ agent, isSeen: true }),
    observe: () => (told += 1),
    nowMs: () => clock.nowMs,
    wakeAfter: (delayMs, act) => clock.wakeAfter(delayMs, act),
  });
  for (const { atMs, bytes } of pieces) {
    clock.goOnTo(atMs);
    emulator.write(bytes);
    watch.changed();
  }
  watch.close();
  emulator.dispose();
  return told;
}

/** Whoever it is for waits for one thing at a time. */
class Clock {
  nowMs = 0;
  private wakes: { readonly atMs: number; readonly act: () => void } | null = null;

  wakeAfter(delayMs: number, act: () => void): () => void {
    const wakes = { atMs: this.nowMs + delayMs, act };
    this.wakes = wakes;
    return () => {
      if (this.wakes === wakes) this.wakes = null;
    };
  }

  goOnTo(atMs: number): void {
    for (let { wakes } = this; wakes && wakes.atMs <= atMs; { wakes } = this) {
      this.wakes = null;
      this.nowMs = wakes.atMs;
      wakes.act();
    }
    this.nowMs = atMs;
  }
}

async function latencies(options: BenchOptions): Promise<readonly Row[]> {
  const prompts = options.quick ? 5 : 30;
  const delaysMs = await withScratch(options, (scratch) => promptLatencies(scratch, prompts));
  const delay = (share: number): string => quantileOf(delaysMs, share).toFixed(0);
  return [
    {
      what: `prompt visible to state event, p99 of ${delaysMs.length}`,
      value: `p50 ${delay(0.5)}, p90 ${delay(0.9)}, p99 ${delay(0.99)}, max ${delay(1)} ms`,
      measured: quantileOf(delaysMs, 0.99),
      unit: "ms",
      target: { atMost: 150, unit: "ms" },
    },
  ];
}
