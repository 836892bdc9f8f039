/** How long it takes from when a program in a terminal shows a prompt until a client is told so, with a real daemon. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer } from "./benchmark.js";
import type { Scratch } from "./scratch.js";

const TERMINALS = 4;
const AGENT = fileURLToPath(new URL("./programs/asking-screen.js", import.meta.url));

/** `prompts`: in each of the terminals. */
export async function promptLatencies(scratch: Scratch, prompts: number): Promise<readonly number[]> {
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data")));
  const bin = join(scratch.folder, "bin");
  await mkdir(bin);
  // By its name it is Claude; the settings are its own, so that only its screen tells.
  await writeFile(join(bin, "claude"), `#!/bin/bash\nexec -a claude '${process.execPath}' '${AGENT}'\n`);
  await chmod(join(bin, "claude"), 0o755);
  const terminals = Array.from({ length: TERMINALS }, (_, at) =>
    watchOne(daemon, join(bin, "claude"), join(scratch.folder, `report-${at}`), prompts),
  );
  return (await Promise.all(terminals)).flat();
}

async function watchOne(
  daemon: BenchDaemon,
  program: string,
  report: string,
  prompts: number,
): Promise<readonly number[]> {
  const { client } = daemon;
  const { id } = await client.createSession({
    harness: "terminal",
    cwd: daemon.ready.dataDir,
    args: [program, "--settings={}"],
    env: { REPORT: report, PROMPTS: String(prompts) },
  });
  const toldAtMs: number[] = [];
  for await (const item of client.events({ session: id, after: 0 })) {
    if (item.type === "reset") throw new Error("the event stream began anew");
    if (item.channel !== "state") continue;
    const { payload } = item.event;
    if (payload.type !== "state_changed") continue;
    if (payload.to === "waiting_approval") toldAtMs.push(performance.timeOrigin + performance.now());
    // It says that it is done by waiting for a message.
    if (payload.to === "completed") break;
  }
  const shownAtMs = (await readFile(report, "utf8")).trimEnd().split("\n").map(Number);
  if (shownAtMs.length !== toldAtMs.length)
    throw new OutputsDiffer(`${shownAtMs.length} prompts were shown, ${toldAtMs.length} were told`);
  return toldAtMs.map((atMs, index) => atMs - (shownAtMs[index] ?? Number.NaN));
}
