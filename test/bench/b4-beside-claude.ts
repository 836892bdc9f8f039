/** B4, beside what it is for: what daemon and keeper need for some sessions, against the idle Claude Code processes in them. */
import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setupOf, writeFiles } from "../agents/agent-setups.js";
import { agentsFolder, installLaunchers, isThere } from "../agents/install.js";
import { ModelServer } from "../agents/model-server/model-server.js";
import { chosenPackage } from "../agents/packages.js";
import { BenchDaemon } from "./bench-daemon.js";
import type { BenchOptions, Row } from "./benchmark.js";
import { statusReached } from "./open-sessions.js";
import { memoryBytes } from "./process-costs.js";
import { quietMemory } from "./quiet-memory.js";
import type { Scratch } from "./scratch.js";

const SESSIONS = 20;
const SESSIONS_QUICK = 4;
const SHARE_MAX_PERCENT = 5;
const MEBIBYTE = 1024 * 1024;
/** Claude Code loads for a while after its first answer. */
const PATIENCE_MS = 10_000;

export async function besideClaude({ quick }: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  if (!(await isThere(chosenPackage("claude")))) {
    console.log(`  not measured beside Claude Code: it is not in ${agentsFolder()} (npm run test:agents)`);
    return [];
  }
  const daemon = await daemonWithClaude(scratch);
  const count = quick ? SESSIONS_QUICK : SESSIONS;
  for (let opened = 1; opened <= count; opened += 1) {
    const cwd = daemon.ready.dataDir;
    await daemon.client.createSession({ harness: "claude", cwd, prompt: "Hello. [[text:hello]]" });
    await statusReached(daemon, "completed", opened);
  }
  const { daemonBytes, keeperBytes } = await quietMemory(daemon.pid, await daemon.keeperPid(), PATIENCE_MS);
  const claudeBytes = await memoryOfAgents(daemon);
  const inMebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);
  const told = {
    what: `${count} sessions, against their idle Claude Code processes`,
    value:
      `daemon ${inMebibytes(daemonBytes)} + keeper ${inMebibytes(keeperBytes)} MiB, ` +
      `Claude Code ${inMebibytes(claudeBytes)} MiB`,
    measured: ((daemonBytes + keeperBytes) / claudeBytes) * 100,
    unit: "%",
  };
  // What every daemon needs once weighs more on fewer sessions.
  return [quick ? told : { ...told, target: { atMost: SHARE_MAX_PERCENT, unit: "%" } }];
}

/** In a home folder of its own, with a scripted model. */
async function daemonWithClaude(scratch: Scratch): Promise<BenchDaemon> {
  const [home, launchers] = [join(scratch.folder, "home"), join(scratch.folder, "bin")];
  await mkdir(home);
  await installLaunchers([chosenPackage("claude")], launchers);
  const model = await ModelServer.start();
  scratch.own({ end: () => model.close() });
  const { env, files } = setupOf("claude", model.url, scratch.folder);
  await writeFiles(home, files);
  const path = `${launchers}${delimiter}${process.env["PATH"] ?? ""}`;
  const data = join(scratch.folder, "data-with-claude");
  return scratch.own(await BenchDaemon.start(data, { ...env, HOME: home, PATH: path }));
}

async function memoryOfAgents({ client }: BenchDaemon): Promise<number> {
  let bytes = 0;
  for (const { id } of (await client.listSessions()).items) {
    const { process: agent } = await client.explain(id);
    if (agent.pid === null) throw new Error(`${id} has no process`);
    bytes += memoryBytes(agent.pid);
  }
  return bytes;
}
