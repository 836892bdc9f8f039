/** What is particular to each agent: how it is asked for its special powers, and what it cannot do. */
import type { CreateSession } from "../../../src/protocol/api-schemas.js";
import { ASK_TOOLS } from "../model-server/tool-call.js";
import type { AgentName } from "../packages.js";
import type { Enforcement } from "../../../src/protocol/session.js";
import type { CapabilityName } from "./capabilities.js";
import type { QuietDeed } from "./rules.js";

export interface Cannot {
  readonly why: string;
  /** The file, in `test/agents/recordings`, that shows it. */
  readonly recording: string;
  /** How it shows, and is looked at again: it offers its model none of these tools, or it never wakes. */
  readonly shows: { readonly lacks: readonly string[] } | "never wakes";
}

export interface AgentProfile {
  readonly harness: string;
  /** What its sessions are started with. */
  readonly session?: Partial<CreateSession>;
  /** As its sessions say how far rules hold, and what it was seen to do against a rule without asking. */
  readonly enforcement: Enforcement;
  readonly unseen: readonly QuietDeed[];
  /** What it asks about before it says of what: no rule can decide, and so a person must. */
  readonly asksBlindly?: readonly QuietDeed[];
  /** The directive with which its model runs a command that a person must allow, where that takes more than to run it. */
  readonly shell?: (command: string) => string;
  /** What its model must do first to be offered the tool with which it asks a person. */
  readonly beforeAsking?: string;
  /** It says what a turn cost. */
  readonly tellsCost: boolean;
  /** It says that it will try again. */
  readonly tellsRetries: boolean;
  /** The directives with which the model hands work to a subagent and hears of its end; its work has this id. */
  readonly subagent?: (id: string) => string;
  /** It asks a person before it hands work to a subagent. */
  readonly asksForSubagents?: true;
  /** The directive with which the model starts a command that outlives its turn, in whatever way the agent has. */
  readonly background: (command: string) => string;
  /** It wakes when such a command ends, and does not say before that one goes on. */
  readonly hidesBackground?: true;
  /** It can go on with a conversation only in a later minute than the one in which that began. */
  readonly resumesInNextMinute?: true;
  readonly cannot: Partial<Record<CapabilityName, Cannot>>;
}

const tool = (name: string, input: Readonly<Record<string, unknown>>) =>
  `[[tool:${name}=${JSON.stringify(input)}]]`;

const looking = (id: string) => `Look. [[id:${id}]] [[slow:300]] [[chunks:5]] [[text:it has looked]]`;

/** What Gemini's investigator is to hand in. */
const REPORT = { SummaryOfFindings: "nothing", ExplorationTrace: [], RelevantLocations: [] };

const noQuestions = (agent: string): Cannot => ({
  why: "As an ACP agent it offers its model no tool that asks a person.",
  recording: `${agent}-tools.json`,
  shows: { lacks: ASK_TOOLS },
});
const noSubagents = (agent: string): Cannot => ({
  why: "Over ACP nobody hears what its subagents ask, so that they would wait for ever: the harness forbids them.",
  recording: `${agent}-subagent.json`,
  shows: { lacks: ["task"] },
});
const noBackground = (agent: string, what: string): Cannot => ({
  why: `${what} When such a command ends, nothing happens: the agent does not wake.`,
  recording: `${agent}-background.json`,
  shows: "never wakes",
});

const claude = {
  tellsCost: true,
  tellsRetries: true,
  subagent: (id: string) =>
    tool("Agent", { description: "look", prompt: looking(id), subagent_type: "general-purpose" }),
  background: (command: string) =>
    tool("Bash", { command, description: "in the background", run_in_background: true }),
};

/** A command that a shell alone leaves behind. */
const leftBehind = (command: string) => `[[shell:nohup sh -c '${command}' >/dev/null 2>&1 &]]`;

const codexSubagent = (id: string) =>
  `${tool("spawn_agent", { message: looking(id) })} ${tool("wait_agent", { targets: ["{{agent_id}}"] })}`;
const codexBackground = (command: string) => tool("exec_command", { cmd: command, yield_time_ms: 250 });
/** In its sandbox Codex asks only about what its model wants to do outside of it. */
const OUTSIDE = { sandbox_permissions: "require_escalated", justification: "it is needed" };

const openCode = {
  enforcement: "when-asked",
  unseen: [],
  tellsCost: true,
  tellsRetries: false,
  background: leftBehind,
} as const;

export const PROFILES: Readonly<Record<AgentName, AgentProfile>> = {
  claude: { harness: "claude", ...claude, enforcement: "enforced", unseen: [], cannot: {} },
  codex: {
    harness: "codex",
    enforcement: "when-asked",
    unseen: [],
    tellsCost: false,
    tellsRetries: true,
    subagent: codexSubagent,
    background: codexBackground,
    cannot: {
      "background work": noBackground("codex", "A command may go on in a terminal in the background."),
    },
  },
  gemini: {
    harness: "gemini",
    enforcement: "when-asked",
    unseen: ["read", "list"],
    tellsCost: false,
    tellsRetries: false,
    background: (command) => tool("run_shell_command", { command, is_background: true }),
    resumesInNextMinute: true,
    // It looks until it calls a tool that says what it has found.
    subagent: (id) =>
      tool("invoke_agent", {
        agent_name: "codebase_investigator",
        prompt: `Look. [[id:${id}]] [[wait:1000]] ${tool("complete_task", { report: REPORT })}`,
      }),
    cannot: {
      "question and answer": noQuestions("gemini"),
      "background work": noBackground("gemini", "A command may go on in the background."),
    },
  },
  opencode: {
    harness: "opencode",
    ...openCode,
    cannot: {
      "question and answer": noQuestions("opencode"),
      subagents: noSubagents("opencode"),
      "background work": noBackground("opencode", "It has only what a shell leaves behind."),
    },
  },
  kilo: {
    harness: "kilo",
    ...openCode,
    asksBlindly: ["read"],
    cannot: {
      "question and answer": noQuestions("kilo"),
      subagents: noSubagents("kilo"),
      "background work": noBackground("kilo", "It has only what a shell leaves behind."),
    },
  },
  qwen: {
    harness: "qwen",
    enforcement: "when-asked",
    unseen: ["list"],
    beforeAsking: tool("tool_search", { query: "select:ask_user_question" }),
    tellsCost: false,
    tellsRetries: false,
    subagent: (id) =>
      tool("agent", { description: "look", prompt: looking(id), subagent_type: "general-purpose" }),
    asksForSubagents: true,
    background: (command) => tool("run_shell_command", { command, is_background: true }),
    hidesBackground: true,
    cannot: {},
  },
  copilot: {
    harness: "copilot",
    enforcement: "when-asked",
    unseen: ["read"],
    tellsCost: false,
    tellsRetries: false,
    subagent: (id) =>
      tool("task", {
        description: "look",
        prompt: looking(id),
        agent_type: "general-purpose",
        name: "looker",
        mode: "sync",
      }),
    background: (command) =>
      tool("bash", { command, description: "in the background", shellId: "behind", mode: "async" }),
    cannot: {
      "question and answer": noQuestions("copilot"),
      "background work": noBackground("copilot", "A command may go on in a shell of its own."),
    },
  },
  "claude-acp": {
    harness: "claude-acp",
    ...claude,
    tellsRetries: false,
    enforcement: "when-asked",
    unseen: ["read", "list"],
    hidesBackground: true,
    cannot: {},
  },
  "codex-acp": {
    harness: "codex-acp",
    enforcement: "when-asked",
    unseen: ["read", "list"],
    tellsCost: false,
    tellsRetries: false,
    subagent: codexSubagent,
    shell: (command) => tool("exec_command", { cmd: command, ...OUTSIDE }),
    background: (command) => tool("exec_command", { cmd: command, yield_time_ms: 250, ...OUTSIDE }),
    cannot: {
      "background work": noBackground("codex-acp", "A command may go on in a terminal in the background."),
    },
  },
};
