/** The agents' own programs, in the versions that the recordings were made with. */

export interface AgentPackage {
  /** The folder of its installation. */
  readonly folder: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
}

export const PACKAGES = {
  claude: pinned("claude", "@anthropic-ai/claude-code", "2.1.325", "claude"),
  codex: pinned("codex", "@openai/codex", "0.166.0", "codex"),
  gemini: pinned("gemini", "@google/gemini-cli", "0.61.0", "gemini"),
  opencode: pinned("opencode", "opencode-ai", "1.18.33", "opencode"),
  kilo: pinned("kilo", "@kilocode/cli", "7.7.7", "kilo"),
  qwen: pinned("qwen", "@qwen-code/qwen-code", "0.15.10", "qwen"),
  copilot: pinned("copilot", "@github/copilot", "1.0.102", "copilot"),
  "claude-acp": pinned("claude-acp", "@agentclientprotocol/claude-agent-acp", "0.49", "claude-agent-acp"),
  "codex-acp": pinned("codex-acp", "@agentclientprotocol/codex-acp", "2.6", "codex-acp"),
} as const satisfies Readonly<Record<string, AgentPackage>>;

export type AgentName = keyof typeof PACKAGES;

export const AGENT_NAMES = Object.keys(PACKAGES) as readonly AgentName[];

/** For agents that run on a newer Node than ours. */
export const NEWER_NODE: AgentPackage = { folder: "node24", package: "node", version: "24", program: "node" };

function pinned(name: string, packageName: string, version: string, program: string): AgentPackage {
  return { folder: `${name}-${version}`, package: packageName, version, program };
}
