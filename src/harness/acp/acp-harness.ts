import type { Harness } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { answeredAcp, decodeAcp, encodeAcp, startAcp } from "./acp-codec.js";
import { ACP_AGENTS, type AcpAgent } from "./acp-agents.js";
import { launchAgent, launchCommand, probeAgent } from "./acp-launch.js";

const CODEC = {
  asksClose: "explicit",
  framing: "lines",
  decode: decodeAcp,
  answered: answeredAcp,
  encode: encodeAcp,
} as const;

/** The harness of one agent of the registry, under its name. */
export function acpHarness(agent: AcpAgent): Harness {
  return {
    name: agent.name,
    enforcement: agent.enforcement,
    ...CODEC,
    start: (start) => startAcp(start, agent.name),
    launch: (settings, start) => launchAgent(agent, settings.args, settings, start),
    probe: () => probeAgent(agent, process.env),
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
