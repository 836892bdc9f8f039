/**
 * B13: what a wall costs. Everything is measured inside and outside by turns, in one run and with one daemon, so that a
 * ratio is of the same machine at the same time.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CreateSession } from "../../src/protocol/api-schemas.js";
import { childrenOf } from "../../src/keeper/own-process.js";
import { setupOf, writeFiles } from "../agents/agent-setups.js";
import { EventTap } from "../agents/event-tap.js";
import { agentsFolder, installLaunchers, isThere } from "../agents/install.js";
import { ModelServer } from "../agents/model-server/model-server.js";
import { chosenPackage, type AgentName } from "../agents/packages.js";
import { until } from "../reliability/until.js";
import { BenchDaemon } from "./bench-daemon.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row, type Target } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { withScratch, type Scratch } from "./scratch.js";

const START_MAX = 1.15;
const COMMAND_MAX = 1.05;
const TERMINAL_MAX_MS = 30;
const BESIDE_MAX_MIB = 8;
const PATIENCE_MS = 60_000;
/** Those whose start a person waits for; of the others the matrix says that they run inside. */
const AGENTS: readonly AgentName[] = ["claude", "codex"];
const ACP_AGENT = fileURLToPath(new URL("../e2e/programs/acp-agent.js", import.meta.url));
const COMMANDS_PER_TURN = 10;
const SOURCES = 200;

export const wallBench: Benchmark = {
  id: "B13",
  what: "what a wall costs",
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

const SIDES = ["inside", "outside"] as const;
type Side = (typeof SIDES)[number];
type Rounds = Readonly<Record<Side, readonly number[]>>;

interface Stand {
  readonly daemon: BenchDaemon;
  readonly tap: EventTap;
  readonly project: string;
  readonly agents: readonly AgentName[];
}

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  if (spawnSync("bwrap", ["--version"]).status !== 0) {
    console.log("  not measured: bubblewrap is not installed");
    return [];
  }
  const stand = await openStand(options, scratch);
  const rows = [await scriptStart(options, stand)];
  for (const agent of stand.agents) rows.push(await agentStart(options, stand, agent));
  rows.push(await commands(options, stand), await terminals(options, stand), await besideAgent(stand));
  await stand.tap.detach();
  return rows;
}

/** A home folder with a project, agents and a scripted model for them; a daemon that can build walls. */
async function openStand({ folder }: BenchOptions, scratch: Scratch): Promise<Stand> {
  const home = join(scratch.folder, "home");
  const project = join(home, "project");
  const launchers = join(scratch.folder, "bin");
  await mkdir(join(project, "sources"), { recursive: true });
  for (let index = 0; index < SOURCES; index += 1)
    await writeFile(join(project, "sources", `${index}.txt`), "hay\n".repeat(200));
  await copyFile(new URL("agents/commands.sh", folder), join(project, "commands.sh"));
  spawnSync("git", ["init", "--quiet"], { cwd: project });
  const there = await Promise.all(AGENTS.map((name) => isThere(chosenPackage(name))));
  const agents = AGENTS.filter((_, index) => there[index]);
  for (const name of AGENTS.filter((each) => !agents.includes(each)))
    console.log(`  not measured with ${name}: it is not in ${agentsFolder()} (npm run test:agents)`);
  await installLaunchers(
    agents.map((name) => chosenPackage(name)),
    launchers,
  );
  const model = await ModelServer.start();
  scratch.own({ end: () => model.close() });
  const setups = agents.map((name) => setupOf(name, model.url, project));
  for (const { files } of setups) await writeFiles(home, files);
  const reveal = [agentsFolder(), launchers].map((path) => JSON.stringify(path)).join(", ");
  await writeFiles(home, {
    ".config/signalbox/config.toml": `[wall]\nreveal = [${reveal}]\n`,
    ".config/signalbox/permissions.toml": `[permissions]\nallow = ["Shell(true)"]\ndeny = ["Read(.env)"]\n`,
  });
  const env: Record<string, string> = Object.assign({}, ...setups.map((setup) => setup.env)) as Record<
    string,
    string
  >;
  const daemon = await BenchDaemon.start(join(home, ".local/state/signalbox"), {
    ...env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    PATH: `${launchers}${delimiter}${process.env["PATH"] ?? ""}`,
    SIGNALBOX_WALL: "auto",
  });
  scratch.own(daemon);
  const tap = new EventTap();
  await tap.attach(daemon.client);
  return { daemon, tap, project, agents };
}

/** Milliseconds of both sides by turns; which comes first changes. The first of each only warms. */
async function inTurns(rounds: number, run: (side: Side) => Promise<number>): Promise<Rounds> {
  const times = { inside: [] as number[], outside: [] as number[] };
  for (const side of SIDES) await run(side);
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) times[side].push(await run(side));
  return times;
}

function ratioRow(what: string, { inside, outside }: Rounds, target?: Target): Row {
  const [within, without] = [medianOf(inside), medianOf(outside)];
  return {
    what,
    value: `${within.toFixed(0)} ms inside, ${without.toFixed(0)} ms outside, medians of ${inside.length}`,
    measured: medianOf(inside.map((ms, round) => ms / (outside[round] ?? Number.NaN))),
    unit: "×",
    ...(target ? { target } : {}),
    data: { inside, outside },
  };
}

/** The hardest case: an agent that is a Node with nothing to load. */
async function scriptStart({ quick }: BenchOptions, stand: Stand): Promise<Row> {
  const rounds = await inTurns(quick ? 5 : 30, (side) => started(stand, side, { harness: "script" }));
  return ratioRow("from the request to the first answer, an agent that starts at once", rounds);
}

async function agentStart({ quick }: BenchOptions, stand: Stand, harness: AgentName): Promise<Row> {
  const rounds = await inTurns(quick ? 2 : 10, (side) => started(stand, side, { harness }));
  return ratioRow(`from the request to the first answer, ${harness}`, rounds, {
    atMost: START_MAX,
    unit: "×",
  });
}

/** Until its first turn is over. It is gone afterwards. */
async function started(stand: Stand, side: Side, chosen: Pick<CreateSession, "harness">): Promise<number> {
  const startMs = performance.now();
  const id = await open(stand, side, { ...chosen, prompt: "Hello. [[text:hello]]" });
  await reached(stand, id, "completed");
  const tookMs = performance.now() - startMs;
  await close(stand, id, side);
  return tookMs;
}

async function open(
  { daemon, project }: Stand,
  side: Side,
  chosen: Partial<CreateSession> & Pick<CreateSession, "harness">,
): Promise<string> {
  const wall = side === "inside" ? "on" : "off";
  return (await daemon.client.createSession({ cwd: project, wall, ...chosen })).id;
}

async function reached({ daemon, tap }: Stand, id: string, status: string, times = 1): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const count = (wanted: string) =>
    tap
      .of(id)
      .filter(
        (told) =>
          told.channel === "state" &&
          told.event.payload.type === "state_changed" &&
          told.event.payload.from !== told.event.payload.to &&
          told.event.payload.to === wanted,
      ).length;
  while (count(status) < times) {
    if (count("error") > 0) {
      const { error } = await daemon.client.getSession(id);
      throw new OutputsDiffer(`${id} failed: ${error?.message ?? "nobody knows why"}`);
    }
    await tap.more(patience);
  }
}

/** What was measured had the wall that it was to have. */
async function close({ daemon }: Stand, id: string, side: Side): Promise<void> {
  const { client } = daemon;
  const { wall } = await client.getSession(id);
  if (wall?.label !== (side === "inside" ? "walled" : "none"))
    throw new OutputsDiffer(`${side}: ${wall?.label ?? "nothing"}`);
  await client.cancel(id);
  await until(async () => !(await client.getSession(id)).state.alive);
  await client.deleteSession(id);
}

/** By a shell that has been inside, or outside, for a while. */
async function commands({ quick }: BenchOptions, stand: Stand): Promise<Row> {
  const { project } = stand;
  const ids = { inside: "", outside: "" };
  for (const side of SIDES)
    ids[side] = await open(stand, side, { harness: "terminal", args: ["bash", "commands.sh", side] });
  const rounds = await inTurns(quick ? 5 : 30, async (side) => {
    const took = join(project, `took-${side}`);
    await writeFile(join(project, `go-${side}`), "");
    await until(() => existsSync(took));
    const microseconds = Number(await readFile(took, "utf8"));
    await rm(took);
    return microseconds / 1_000;
  });
  for (const side of SIDES) await close(stand, ids[side], side);
  return ratioRow("20 commands of a shell (true, git status, node -e 0, grep -r)", rounds, {
    atMost: COMMAND_MAX,
    unit: "×",
  });
}

/** Commands that we run for an agent: from its request to their end. */
async function terminals({ quick }: BenchOptions, stand: Stand): Promise<Row> {
  const { daemon } = stand;
  const once = [
    { send: "terminal/create", params: { command: "true" }, as: "t" },
    { send: "terminal/wait_for_exit", params: { terminalId: "$t" } },
    { send: "terminal/release", params: { terminalId: "$t" } },
  ];
  const text = JSON.stringify(Array.from({ length: COMMANDS_PER_TURN }, () => once).flat());
  const ids = { inside: "", outside: "" };
  const turns = { inside: 1, outside: 1 };
  for (const side of SIDES) {
    const args = ["--command", process.execPath, ACP_AGENT];
    ids[side] = await open(stand, side, { harness: "acp", args });
    await reached(stand, ids[side], "completed");
  }
  const rounds = await inTurns(quick ? 3 : 10, async (side) => {
    turns[side] += 1;
    const startMs = performance.now();
    await daemon.client.sendMessage(ids[side], { text });
    await reached(stand, ids[side], "completed", turns[side]);
    return (performance.now() - startMs) / COMMANDS_PER_TURN;
  });
  for (const side of SIDES) await close(stand, ids[side], side);
  const [inside, outside] = [medianOf(rounds.inside), medianOf(rounds.outside)];
  return {
    what: "a command of terminal/*, what the wall adds",
    value: `${inside.toFixed(1)} ms inside, ${outside.toFixed(1)} ms outside, medians of ${rounds.inside.length}`,
    measured: inside - outside,
    unit: "ms",
    target: { atMost: TERMINAL_MAX_MS, unit: "ms" },
    data: { ...rounds },
  };
}

/** What is there only because of the wall: bubblewrap itself, and whatever forwards for the agent. */
async function besideAgent(stand: Stand): Promise<Row> {
  const { client } = stand.daemon;
  const id = await open(stand, "inside", { harness: "script", prompt: "Hello." });
  await reached(stand, id, "completed");
  const { pid } = (await client.explain(id)).process;
  if (pid === null) throw new Error("the agent has no process");
  const beside = [pid, ...descendantsOf(pid)]
    .map((each) => ({ pid: each, name: nameOf(each) }))
    .filter(({ name }) => name === "bwrap" || name === "socat");
  if (beside.length === 0) throw new OutputsDiffer("there is no bubblewrap around the agent");
  const bytes = await Promise.all(beside.map((each) => sharedOut(each.pid)));
  await close(stand, id, "inside");
  const mebibytes = bytes.reduce((sum, each) => sum + each, 0) / (1024 * 1024);
  return {
    what: "memory per session beside the agent",
    value: beside
      .map(({ name }, index) => `${name} ${((bytes[index] ?? 0) / 1024).toFixed(0)} KiB`)
      .join(", "),
    measured: mebibytes,
    unit: "MiB",
    target: { atMost: BESIDE_MAX_MIB, unit: "MiB" },
  };
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
}

/** What is its own, and its part of what it shares with others. */
async function sharedOut(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) * 1024;
}
