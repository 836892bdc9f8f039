/** What is particular to each agent: how it is asked for its special powers, and what it cannot do. */
import type { CreateSession } from "../../../src/protocol/api-schemas.js";
import type { AgentName } from "../packages.js";
import type { CapabilityName } from "./capabilities.js";

export interface Cannot {
  readonly why: string;
  /** The file, in `test/agents/recordings`, that shows it. */
  readonly recording: string;
}

export interface AgentProfile {
  readonly harness: string;
  /** What its sessions are started with. */
  readonly session?: Partial<CreateSession>;
  /** It says what a turn cost. */
  readonly tellsCost: boolean;
  /** It says that it will try again. */
  readonly tellsRetries: boolean;
  /** The directives with which the model hands work to a subagent and hears of its end; its work has this id. */
  readonly subagent?: (id: string) => string;
  /** The directive with which the model starts a command that outlives its turn. */
  readonly background?: (command: string) => string;
  /** It can go on with a conversation only in a later minute than the one in which that began. */
  readonly resumesInNextMinute?: true;
  readonly cannot: Partial<Record<CapabilityName, Cannot>>;
}

const tool = (name: string, input: Readonly<Record<string, unknown>>) =>
  `[[tool:${name}=${JSON.stringify(input)}]]`;

const looking = (id: string) => `Look. [[id:${id}]] [[slow:300]] [[chunks:5]] [[text:it has looked]]`;

/** What Gemini's investigator is to hand in. */
const REPORT = { SummaryOfFindings: "nothing", ExplorationTrace: [], RelevantLocations: [] };

const claude = {
  tellsCost: true,
  tellsRetries: true,
  subagent: (id: string) =>
    tool("Agent", { description: "look", prompt: looking(id), subagent_type: "general-purpose" }),
  background: (command: string) =>
    tool("Bash", { command, description: "in the background", run_in_background: true }),
};

const openCode = {
  tellsCost: true,
  tellsRetries: false,
  subagent: (id: string) =>
    tool("task", { description: "look", prompt: looking(id), subagent_type: "general" }),
};

export const PROFILES: Readonly<Record<AgentName, AgentProfile>> = {
  claude: { harness: "claude", ...claude, cannot: {} },
  codex: {
    harness: "codex",
    tellsCost: false,
    tellsRetries: true,
    subagent: (id) =>
      `${tool("spawn_agent", { message: looking(id) })} ${tool("wait_agent", { targets: ["{{agent_id}}"] })}`,
    cannot: {},
  },
  gemini: {
    harness: "gemini",
    tellsCost: false,
    tellsRetries: false,
    resumesInNextMinute: true,
    // It looks until it calls a tool that says what it has found.
    subagent: (id) =>
      tool("invoke_agent", {
        agent_name: "codebase_investigator",
        prompt: `Look. [[id:${id}]] [[wait:1000]] ${tool("complete_task", { report: REPORT })}`,
      }),
    cannot: {},
  },
  opencode: { harness: "opencode", ...openCode, cannot: {} },
  kilo: { harness: "kilo", ...openCode, cannot: {} },
  qwen: { harness: "qwen", tellsCost: false, tellsRetries: false, cannot: {} },
  copilot: { harness: "copilot", tellsCost: false, tellsRetries: false, cannot: {} },
  "claude-acp": { harness: "claude-acp", ...claude, cannot: {} },
  "codex-acp": { harness: "codex-acp", tellsCost: false, tellsRetries: false, cannot: {} },
};
