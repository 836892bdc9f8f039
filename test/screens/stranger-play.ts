/**
 * Agents that nobody has tuned anything to: what they show first, and a turn of those that can be had without a login.
 * All of it must be read as what it is, or not at all.
 */
import type { Activity, OTHER_AGENTS } from "../../src/core/index.js";
import { MODEL_KEY, MODEL_NAME, type AgentHome } from "./agent-homes.js";
import { pause, type LiveTerminal, type Size } from "./live-terminal.js";
import type { ModelServer } from "./model-server.js";
import type { Shots } from "./shots.js";

export type Stranger = (typeof OTHER_AGENTS)[number];

interface Look {
  readonly seen: RegExp;
  readonly activity: Activity;
}

interface Known {
  /** As it starts where nobody has logged in. */
  readonly first?: Look;
  /** As it starts with the scripted model behind it. Absent: it wants a login of its own. */
  readonly turn?: Turn;
}

interface Turn {
  readonly home: (server: string) => AgentHome;
  /** What it asks before it takes a message, and the keys that make it go on. */
  readonly opening?: Look & { readonly keys: string };
  readonly ready: RegExp;
  /** Makes the model ask for a command. */
  readonly shell: (command: string) => string;
  readonly asks: RegExp;
  readonly approve: string;
}

export const STRANGERS: Readonly<Record<Stranger, Known>> = {
  amp: { first: { seen: /Would you like to log in/, activity: "question" } },
  auggie: { first: { seen: /Login to continue/, activity: "question" } },
  cline: {
    first: { seen: /Enter to select/, activity: "question" },
    turn: {
      home: (server) => ({
        command: "cline --auto-approve false",
        env: {},
        files: { ".cline/data/settings/providers.json": JSON.stringify(clineProviders(server)) },
      }),
      opening: { seen: /any other key to close/, activity: "question", keys: "x" },
      ready: /What can I do for you\?/,
      shell: (command) => `[[tool:run_commands=${JSON.stringify({ commands: [command] })}]]`,
      asks: /\[y\] Approve/,
      approve: "y",
    },
  },
  crush: { first: { seen: /provider|model/i, activity: "question" } },
  droid: { first: { seen: /> Login/, activity: "question" } },
  "open-codex": {
    turn: {
      home: (server) => ({
        command: `open-codex --provider ollama --model ${MODEL_NAME}`,
        env: { OLLAMA_BASE_URL: `${server}/v1` },
        files: {},
      }),
      opening: { seen: /Do you want to continue\?/, activity: "question", keys: "y" },
      ready: /send a message|ctrl\+c/i,
      shell: (command) => `[[shell:${command}]]`,
      asks: /Yes \(y\)|Allow command\?/,
      approve: "y",
    },
  },
};

const START_MAX_MS = 90_000;
const DRAWN_AFTER_MS = 2_500;

export interface StrangerScene {
  readonly agent: Stranger;
  readonly version: string;
  readonly terminal: LiveTerminal;
  readonly size: Size;
  readonly shots: Shots;
  readonly model: ModelServer;
  readonly command: string;
}

/** Without a home of its own it is what somebody sees who has just installed it. */
export function strangerHome(agent: Stranger, server: string): AgentHome {
  return STRANGERS[agent].turn?.home(server) ?? { command: agent, env: {}, files: {} };
}

export async function playStranger(scene: StrangerScene): Promise<void> {
  const { first, turn } = STRANGERS[scene.agent];
  await scene.terminal.until(/\$ $|\$$/m);
  await scene.terminal.type(scene.command);
  scene.terminal.press("\r");
  if (turn) await playTurn(scene, turn);
  else if (first) await look(scene, "01-first", first);
}

async function playTurn(scene: StrangerScene, turn: Turn): Promise<void> {
  const { terminal, model } = scene;
  if (turn.opening) {
    await look(scene, "02-opening", turn.opening);
    terminal.press(turn.opening.keys);
  }
  await look(scene, "03-start-idle", { seen: turn.ready, activity: "idle" });
  const command = turn.shell("touch one.txt && sleep 6 && echo hi");
  terminal.press(`Run it. [[wait:6000]] ${command} [[slow:300]] [[chunks:40]] [[text:${TALE}]]`);
  await pause(DRAWN_AFTER_MS);
  take(scene, "04-typed", "idle");
  const before = model.turns();
  terminal.press("\r");
  await model.isAsked(before);
  await pause(DRAWN_AFTER_MS);
  take(scene, "05-working", "working");
  await look(scene, "06-permission", { seen: turn.asks, activity: "question" });
  const asked = model.turns();
  terminal.press(turn.approve);
  await pause(DRAWN_AFTER_MS);
  take(scene, "07-tool-running", "working");
  await model.isAsked(asked);
  await pause(DRAWN_AFTER_MS);
  take(scene, "08-streaming", "working");
  await model.isLeftAlone(TOLD_AFTER_MS);
  take(scene, "09-idle-after-turn", "idle");
}

const TALE = Array.from({ length: 12 }, (_, day) => `On day ${day + 1} it rained ${day * 7} mm.`).join(" ");
/** Longer than it takes to tell it. */
const TOLD_AFTER_MS = 20_000;

async function look(scene: StrangerScene, name: string, { seen, activity }: Look): Promise<void> {
  await scene.terminal.until(seen, START_MAX_MS);
  await pause(DRAWN_AFTER_MS);
  take(scene, name, activity);
}

function take(
  { agent, version, terminal, size, shots }: StrangerScene,
  name: string,
  activity: Activity,
): void {
  const file = `${agent}-${version}-${size.cols}x${size.rows}/${name}.ansi`;
  shots.take(terminal, { file, agent, version, activity, ...size });
}

function clineProviders(server: string): unknown {
  const provider = "openai-compatible";
  const settings = { provider, apiKey: MODEL_KEY, model: MODEL_NAME, baseUrl: `${server}/v1` };
  const updatedAt = "2026-01-01T00:00:00.000Z";
  return {
    version: 1,
    lastUsedProvider: provider,
    providers: { [provider]: { settings, updatedAt, tokenSource: "manual" } },
  };
}
