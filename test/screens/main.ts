/**
 * `npm run screens`: starts real agents in real terminals and keeps what they show, with the right activity, as tests.
 *
 * Not run in CI: it needs the agents' own programs, the scripted model server, and a network without a way out. See
 * the README beside this file.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { SCREEN_AGENTS, type ScreenAgent } from "../../src/core/index.js";
import type { Scene } from "./agent-hand.js";
import { homeOf, writeHome, type AgentHome } from "./agent-homes.js";
import { AgentPlay } from "./agent-play.js";
import { FIRST_DIALOGS, FirstPlay } from "./first-dialogs.js";
import { LiveTerminal, type Size } from "./live-terminal.js";
import { ModelServer } from "./model-server.js";
import { playShells } from "./shell-play.js";
import { Shots } from "./shots.js";

const SERVER_PORT = 4010;
const HOME = "/srv/dev";
const PROJECT = "/srv/dev/proj";
/** The last is so short that dialogs do not fit: only they are looked at there. */
const SIZES: readonly (Size & { readonly steps?: readonly string[] })[] = [
  { cols: 120, rows: 40 },
  { cols: 80, rows: 24 },
  { cols: 60, rows: 28 },
  { cols: 80, rows: 14, steps: ["edit", "long"] },
];

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      agents: { type: "string" },
      server: { type: "string" },
      out: { type: "string", default: "test/golden/screens" },
      only: { type: "string", default: [...SCREEN_AGENTS, "shell"].join(",") },
      sizes: { type: "string", default: SIZES.map(({ cols }) => cols).join(",") },
      steps: { type: "string" },
      record: { type: "string" },
    },
  });
  const { agents, server } = values;
  if (agents === undefined || server === undefined) {
    console.error("which agents and which model server? See test/screens/README.md.");
    return 2;
  }
  mkdirSync(HOME, { recursive: true });
  const shots = new Shots(resolve(values.out));
  const names = values.only.split(",");
  const sizes = SIZES.filter(({ cols }) => values.sizes.split(",").includes(`${cols}`));
  const model = await ModelServer.start(resolve(server), SERVER_PORT, `${HOME}/model.log`);
  const failures: string[] = [];
  for (const size of sizes) {
    for (const agent of SCREEN_AGENTS.filter((name) => names.includes(name))) {
      console.log(`${agent} ${size.cols}x${size.rows}`);
      const steps = values.steps?.split(",") ?? size.steps ?? null;
      failures.push(
        ...(await playAgent(agent, size, {
          shots,
          model,
          agents: resolve(agents),
          steps,
          record: values.record,
        })),
      );
    }
  }
  if (names.includes("shell")) await playShells(HOME, PROJECT, shots);
  model.stop();
  for (const failure of failures) console.error(failure);
  return failures.length === 0 ? 0 : 1;
}

interface Stage {
  readonly shots: Shots;
  readonly model: ModelServer;
  /** Where the agents' programs are. */
  readonly agents: string;
  readonly steps: readonly string[] | null;
  /** A folder for all that they print. */
  readonly record: string | undefined;
}

/** Its first dialogs, each in a home of its own, and then the whole play. */
async function playAgent(agent: ScreenAgent, size: Size, stage: Stage): Promise<readonly string[]> {
  const { steps } = stage;
  const failures: string[] = [];
  const isWanted = (name: string) => steps === null || steps.includes(name);
  for (const dialog of isWanted("first") ? FIRST_DIALOGS[agent] : []) {
    const setting = {
      agent,
      size,
      folder: `${agent}-${size.cols}x${size.rows}-${dialog.name}`,
      change: dialog.home,
    };
    failures.push(
      ...(await inTerminal(setting, stage, async (scene) => {
        await new FirstPlay(scene).play(dialog);
        return [];
      })),
    );
  }
  if (steps?.every((name) => name === "first")) return failures;
  const setting = {
    agent,
    size,
    folder: `${agent}-${size.cols}x${size.rows}`,
    change: (home: AgentHome) => home,
  };
  failures.push(...(await inTerminal(setting, stage, (scene) => new AgentPlay(scene).play(steps))));
  return failures;
}

interface Setting {
  readonly agent: ScreenAgent;
  readonly size: Size;
  readonly folder: string;
  readonly change: (home: AgentHome, project: string) => AgentHome;
}

async function inTerminal(
  { agent, size, folder: name, change }: Setting,
  { shots, model, agents, record }: Stage,
  play: (scene: Scene) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const folder = `${HOME}/${name}`;
  const project = `${folder}/proj`;
  const home = change(homeOf(agent, model.url), project);
  mkdirSync(project, { recursive: true });
  writeHome(home, folder);
  const launch = {
    program: "bash",
    args: ["--norc", "--noprofile", "-i"],
    cwd: project,
    env: {
      PATH: [...programFolders(agents, agent), process.env["PATH"] ?? ""].join(delimiter),
      HOME: folder,
      PS1: "dev@box:\\w$ ",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      TZ: "UTC",
      ...home.env,
    },
    ...(record === undefined ? {} : { record: join(resolve(record), `${name}.jsonl`) }),
  };
  const terminal = new LiveTerminal(launch, size);
  try {
    return await play({ agent, terminal, size, shots, model, project, command: home.command });
  } catch (error) {
    return [`${agent} ${size.cols}x${size.rows}: ${String(error)}`];
  } finally {
    terminal.close();
  }
}

/** Where an agent's program is: in a folder named after it and its version; `node24` is for those that need one. */
function programFolders(agents: string, agent: ScreenAgent): readonly string[] {
  const folders = readdirSync(agents);
  const own = folders.filter((name) => new RegExp(`^${agent}-\\d`).test(name));
  return [...own, ...(agent === "copilot" ? ["node24"] : [])].map((name) =>
    join(agents, name, "node_modules", ".bin"),
  );
}
