/** B4, for terminals: what daemon and keeper need for each terminal whose screen is read all the time. */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { BenchDaemon } from "./bench-daemon.js";
import type { BenchOptions, Row } from "./benchmark.js";
import { eventually } from "./eventually.js";
import { openSessions } from "./open-sessions.js";
import { quietMemory } from "./quiet-memory.js";
import type { Scratch } from "./scratch.js";

const EACH_MIB_MAX = 2.5;
const MEBIBYTE = 1024 * 1024;
/** More coloured lines than a screen holds, so that its past is in memory as well. */
const PROGRAM = `seq 1 2000 | sed "s/.*/$(printf '\\033[32m')line & of what it did$(printf '\\033[0m')/"
touch "$DONE/$$"
exec sleep 600`;

export async function terminalMemory({ quick }: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  const [few, many] = quick ? [2, 12] : [10, 110];
  const patienceMs = quick ? 2_000 : 10_000;
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data-of-terminals")));
  const keeperPid = await daemon.keeperPid();
  const done = join(scratch.folder, "done");
  await mkdir(done);
  let opened = 0;
  const open = async (count: number): Promise<number> => {
    await openSessions(daemon, count, () => ({
      harness: "terminal",
      args: ["/bin/sh", "-c", PROGRAM],
      env: { DONE: done },
    }));
    opened += count;
    await eventually(`${opened} screens`, async () => (await readdir(done)).length === opened);
    const { daemonBytes, keeperBytes } = await quietMemory(daemon.pid, keeperPid, patienceMs);
    return daemonBytes + keeperBytes;
  };
  // What the first ones load is no cost of each.
  const before = await open(few);
  const after = await open(many - few);
  const told = {
    what: `per terminal with a live screen, ${many} against ${few}`,
    value: `${((after - before) / MEBIBYTE).toFixed(0)} MiB for ${many - few}`,
    measured: (after - before) / MEBIBYTE / (many - few),
    unit: "MiB",
  };
  return [quick ? told : { ...told, target: { atMost: EACH_MIB_MAX, unit: "MiB" } }];
}
