/** B4: the memory of daemon and keeper per session whose agent waits for its next message. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { besideClaude } from "./b4-beside-claude.js";
import { terminalMemory } from "./b4-terminals.js";
import { BenchDaemon } from "./bench-daemon.js";
import type { Benchmark, BenchOptions, Row } from "./benchmark.js";
import { openSessions, statusReached } from "./open-sessions.js";
import { HAS_PROCESS_COSTS } from "./process-costs.js";
import { quietMemory, type Memory } from "./quiet-memory.js";
import { withScratch, type Scratch } from "./scratch.js";

const KIBIBYTE = 1024;

export const memoryBench: Benchmark = {
  id: "B4",
  what: "memory of daemon and keeper per idle session",
  run(options) {
    if (HAS_PROCESS_COSTS) return measureAll(options);
    console.log("  not measured: this system does not tell what a process costs");
    return [];
  },
};

/** One after the other, so that none weighs on the next. */
async function measureAll(options: BenchOptions): Promise<readonly Row[]> {
  return [
    ...(await withScratch(options, (scratch) => measure(options, scratch))),
    ...(await withScratch(options, (scratch) => terminalMemory(options, scratch))),
    ...(await withScratch(options, (scratch) => besideClaude(options, scratch))),
  ];
}

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const [few, many] = options.quick ? [50, 200] : [200, 1_000];
  const patienceMs = options.quick ? 2_000 : 20_000;
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data")));
  const keeperPid = await daemon.keeperPid();
  const program = fileURLToPath(new URL("../reliability/small-agent.sh", options.folder));
  const openUpTo = async (count: number, before: number): Promise<Memory> => {
    await openSessions(daemon, count - before, () => ({ args: ["--program", program] }));
    if (count > 0) await statusReached(daemon, "completed", count);
    return quietMemory(daemon.pid, keeperPid, patienceMs);
  };
  const none = await openUpTo(0, 0);
  const atFew = await openUpTo(few, 0);
  const atMany = await openUpTo(many, few);
  return [
    // What every daemon has to spare weighs more on fewer sessions: the target is for a thousand.
    row(`per idle session, ${many} against none`, none, atMany, many, options.quick ? undefined : 64),
    row(`… ${many} against ${few}`, atFew, atMany, many - few),
  ];
}

function row(what: string, before: Memory, after: Memory, sessions: number, atMost?: number): Row {
  const perSession = (part: keyof Memory): number => (after[part] - before[part]) / sessions / KIBIBYTE;
  const daemon = perSession("daemonBytes");
  const keeper = perSession("keeperBytes");
  const told = {
    what,
    value: `daemon ${daemon.toFixed(1)} + keeper ${keeper.toFixed(1)} KiB`,
    measured: daemon + keeper,
    unit: "KiB",
  };
  return atMost === undefined ? told : { ...told, target: { atMost, unit: "KiB" } };
}
