import type { Harness } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { findProgram } from "../find-program.js";
import { ACP_AGENTS, type AcpAgent } from "./acp-agents.js";
import {
  answeredAcp,
  canResumeAcp,
  decodeAcp,
  encodeAcp,
  observeAcp,
  startAcp,
  startingAcp,
} from "./acp-codec.js";
import { acpControls, controlAcp } from "./controls.js";
import { launchAgent, launchCommand, probeAgent } from "./acp-launch.js";

const CODEC = {
  asksClose: "explicit",
  framing: "lines",
  canResume: canResumeAcp,
  starting: startingAcp,
  decode: decodeAcp,
  answered: answeredAcp,
  observe: observeAcp,
  encode: encodeAcp,
  controls: acpControls,
  control: controlAcp,
} as const;

/** The harness of one agent of the registry, under its name. */
export function acpHarness(agent: AcpAgent): Harness {
  return {
    name: agent.name,
    enforcement: agent.enforcement,
    ...CODEC,
    start: (start) => startAcp(start, agent.name),
    launch: (settings, start) => launchAgent(agent, settings.args, settings, start),
    probe: (setup) => probeAgent(agent, { ...process.env, ...setup?.env }, setup?.program, setup?.onlyPath),
  };
}

/**
 * An agent that somebody has given a name and a command in `config.toml`: it speaks ACP as it is written. One that has no
 * command any more, or is of another version, can be read, and cannot be started.
 */
export function namedAcpHarness(name: string): Harness {
  const problem = `this version knows no agent ${JSON.stringify(name)}, and no [harness.${name}] of a config.toml that counts has a command`;
  return {
    name,
    enforcement: "when-asked",
    ...CODEC,
    start: (start) => startAcp(start, null),
    launch: async (settings, { program }) => {
      if (program === null || program === undefined) throw new Error(problem);
      return launchCommand([program, ...settings.args], settings);
    },
    probe: async (setup) => {
      const program = setup?.program ?? null;
      const path = program === null ? null : await findProgram(program, { ...process.env, ...setup?.env });
      const wrong = program === null ? problem : `there is no program ${JSON.stringify(program)}`;
      const problems = path === null ? [wrong] : [];
      return { name, installed: path !== null, version: null, path, login: "unknown", problems, hint: null };
    },
  };
}

/** Any agent: one of the registry by its name, `gemini …`, or a command, `--command PROGRAM …`. */
export const anyAcpHarness: Harness = {
  name: "acp",
  enforcement: "when-asked",
  ...CODEC,
  start: (start) => startAcp(start, chosenAgent(start.settings)?.name ?? null),
  launch: async (settings, start) => {
    const [first, ...args] = settings.args;
    const agent = chosenAgent(settings);
    if (agent) return launchAgent(agent, args, settings, start);
    if (first === "--command" && args.length > 0) return launchCommand(args, settings);
    throw new Error(USE);
  },
  probe: () =>
    Promise.resolve({
      name: "acp",
      installed: true,
      version: null,
      path: null,
      login: "unknown",
      problems: [],
      hint: USE,
    }),
};

const NAMES = ACP_AGENTS.map(({ name }) => name).join(", ");
const USE = `The arguments of acp are the name of an agent (${NAMES}), or --command and a program that speaks ACP.`;

function chosenAgent({ args: [first] }: SessionSettings): AcpAgent | null {
  return ACP_AGENTS.find(({ name }) => name === first) ?? null;
}
