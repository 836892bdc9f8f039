/**
 * `npm run screens`: starts real agents in real terminals and keeps what they show, with the right activity, as tests.
 *
 * Not run in CI: it needs the agents' own programs, and a network without a way out. See the README beside this file.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { OTHER_AGENTS, SCREEN_AGENTS, type AgentProgram, type ScreenAgent } from "../../src/core/index.js";
import { agentsFolder } from "../agents/install.js";
import type { Scene } from "./agent-hand.js";
import { homeOf, writeHome, type AgentHome } from "./agent-homes.js";
import { AgentPlay } from "./agent-play.js";
import { FIRST_DIALOGS, FirstPlay } from "./first-dialogs.js";
import { LiveTerminal, type Size } from "./live-terminal.js";
import { ModelServer } from "./model-server.js";
import { playShells } from "./shell-play.js";
import { Shots } from "./shots.js";
import { playStranger, strangerHome, type Stranger } from "./stranger-play.js";

const HOME = "/srv/dev";
const PROJECT = "/srv/dev/proj";
/** As the product starts programs in a terminal. */
const TERMINAL_ENV = { TERM: "xterm-256color", COLORTERM: "truecolor" };
/** What tells one version from the next, when there is no time for everything. */
const BRIEF = ["first", "run", "question", "errors"];
/** The last is so short that dialogs do not fit: only they are looked at there. */
const SIZES: readonly (Size & { readonly steps?: readonly string[] })[] = [
  { cols: 200, rows: 50 },
  { cols: 120, rows: 40 },
  { cols: 80, rows: 24 },
  { cols: 60, rows: 28 },
  { cols: 80, rows: 14, steps: ["edit", "long"] },
];
/** `node24` is for agents that need a newer Node than ours. */
const NEEDS_NEWER_NODE: ReadonlySet<AgentProgram> = new Set(["copilot", "kimi", "nanocoder"]);

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      agents: { type: "string", default: agentsFolder() },
      out: { type: "string", default: "test/golden/screens" },
      only: { type: "string" },
      sizes: { type: "string", default: SIZES.map(({ cols, rows }) => `${cols}x${rows}`).join(",") },
      steps: { type: "string" },
      brief: { type: "boolean", default: false },
      record: { type: "string" },
    },
  });
  const agents = resolve(values.agents);
  const only = values.only?.split(",");
  const stage = {
    shots: new Shots(resolve(values.out)),
    agents,
    record: values.record,
  };
  mkdirSync(HOME, { recursive: true });
  const failures: string[] = [];
  for (const { steps, ...size } of SIZES) {
    if (!values.sizes.split(",").includes(`${size.cols}x${size.rows}`)) continue;
    for (const installed of installedIn(agents)) {
      if (only && !only.includes(installed.agent) && !only.includes(installed.folder)) continue;
      console.log(`${installed.folder} ${size.cols}x${size.rows}`);
      const wanted = values.steps?.split(",") ?? steps ?? (values.brief ? BRIEF : null);
      failures.push(...(await playAgent(installed, size, { ...stage, steps: wanted })));
    }
  }
  if (only?.includes("shell") ?? true) await playShells(HOME, PROJECT, stage.shots);
  for (const failure of failures) console.error(failure);
  return failures.length === 0 ? 0 : 1;
}

interface Installed {
  readonly agent: AgentProgram;
  readonly version: string;
  readonly folder: string;
}

/** Each version of an agent has a folder, named after both. */
function installedIn(agents: string): readonly Installed[] {
  return readdirSync(agents).flatMap((folder): readonly Installed[] => {
    const [, name, version] = /^([a-z]+(?:-[a-z]+)*)-(\d[\w.-]*)$/.exec(folder) ?? [];
    const agent = [...SCREEN_AGENTS, ...OTHER_AGENTS].find((each) => each === name);
    return agent === undefined || version === undefined || /\.(?:part|lock)$/.test(folder)
      ? []
      : [{ agent, version, folder }];
  });
}

interface Stage {
  readonly shots: Shots;
  /** Where the agents' programs are. */
  readonly agents: string;
  readonly steps: readonly string[] | null;
  /** A folder for all that they print. */
  readonly record: string | undefined;
}

/** Its first dialogs, each in a home of its own, and then the whole play. */
async function playAgent(installed: Installed, size: Size, stage: Stage): Promise<readonly string[]> {
  const { steps } = stage;
  const { agent } = installed;
  if (!isTuned(agent)) return await playFirst(agent, installed, size, stage);
  const failures: string[] = [];
  const isWanted = (name: string) => steps === null || steps.includes(name);
  const name = `${agent}-${size.cols}x${size.rows}`;
  for (const dialog of isWanted("first") ? FIRST_DIALOGS[agent] : []) {
    const setting = { installed, size, folder: `${name}-${dialog.name}`, change: dialog.home };
    failures.push(
      ...(await inTerminal(setting, stage, async (scene) => {
        await new FirstPlay({ ...scene, agent }).play(dialog);
        return [];
      })),
    );
  }
  if (steps?.every((step) => step === "first")) return failures;
  const setting = { installed, size, folder: name, change: (home: AgentHome) => home };
  failures.push(
    ...(await inTerminal(setting, stage, (scene) => new AgentPlay({ ...scene, agent }).play(steps))),
  );
  return failures;
}

/** An agent that is only known by name. */
async function playFirst(
  agent: Stranger,
  installed: Installed,
  size: Size,
  stage: Stage,
): Promise<readonly string[]> {
  const folder = `${agent}-${size.cols}x${size.rows}`;
  return await inTerminal({ installed, size, folder, change: (home) => home }, stage, async (scene) => {
    await playStranger({ ...scene, agent });
    return [];
  });
}

function isTuned(agent: AgentProgram): agent is ScreenAgent {
  return SCREEN_AGENTS.some((name) => name === agent);
}

interface Setting {
  readonly installed: Installed;
  readonly size: Size;
  readonly folder: string;
  readonly change: (home: AgentHome, project: string) => AgentHome;
}

async function inTerminal(
  { installed, size, folder: name, change }: Setting,
  { shots, agents, record }: Stage,
  play: (scene: Omit<Scene, "agent">) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { agent, version } = installed;
  const folder = `${HOME}/${installed.folder}/${name}`;
  const project = `${folder}/proj`;
  const model = await ModelServer.start();
  const home = change(isTuned(agent) ? homeOf(agent, model.url) : strangerHome(agent, model.url), project);
  mkdirSync(project, { recursive: true });
  writeHome(home, folder);
  const launch = {
    program: "bash",
    args: ["--norc", "--noprofile", "-i"],
    cwd: project,
    env: {
      PATH: [...programFolders(agents, installed), process.env["PATH"] ?? ""].join(delimiter),
      HOME: folder,
      PS1: "dev@box:\\w$ ",
      LANG: "C.UTF-8",
      TZ: "UTC",
      ...TERMINAL_ENV,
      ...home.env,
    },
    ...(record === undefined ? {} : { record: join(resolve(record), `${installed.folder}-${name}.jsonl`) }),
  };
  const terminal = new LiveTerminal(launch, size);
  try {
    return await play({ version, terminal, size, shots, model, project, command: home.command });
  } catch (error) {
    return [`${installed.folder} ${size.cols}x${size.rows}: ${String(error)}`];
  } finally {
    terminal.close();
    await model.close();
  }
}

function programFolders(agents: string, { agent, folder }: Installed): readonly string[] {
  return [folder, ...(NEEDS_NEWER_NODE.has(agent) ? ["node24"] : [])].map((name) =>
    join(agents, name, "node_modules", ".bin"),
  );
}
