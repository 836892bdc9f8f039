/**
 * The agents' own programs: for each, the version that everything is held against (the pin: the newest there was when it
 * was last moved), and older ones, because people do not all update on the same day.
 */

export interface AgentPackage {
  /** The folder of its installation. */
  readonly folder: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
}

export interface AgentVersions {
  readonly pinned: AgentPackage;
  /** A release or a few before the pin; null: none is kept. */
  readonly previous: AgentPackage | null;
  /** Many releases back. */
  readonly older: AgentPackage;
}

interface KnownVersions {
  readonly pinned: string;
  readonly previous?: string;
  readonly older: string;
}

export const VERSIONS = {
  claude: known("claude", "@anthropic-ai/claude-code", "claude", {
    pinned: "2.1.326",
    previous: "2.1.325",
    older: "2.1.300",
  }),
  codex: known("codex", "@openai/codex", "codex", {
    pinned: "0.169.0",
    previous: "0.166.0",
    older: "0.154.0",
  }),
  gemini: known("gemini", "@google/gemini-cli", "gemini", { pinned: "0.61.0", older: "0.57.0" }),
  opencode: known("opencode", "opencode-ai", "opencode", { pinned: "1.18.33", older: "1.17.11" }),
  // 7.8.1 has no program for Linux in the registry.
  kilo: known("kilo", "@kilocode/cli", "kilo", { pinned: "7.7.7", older: "7.7.2" }),
  qwen: known("qwen", "@qwen-code/qwen-code", "qwen", {
    pinned: "0.24.4",
    previous: "0.21.10",
    older: "0.15.10",
  }),
  copilot: known("copilot", "@github/copilot", "copilot", { pinned: "1.0.102", older: "1.0.86" }),
  "claude-acp": known("claude-acp", "@agentclientprotocol/claude-agent-acp", "claude-agent-acp", {
    pinned: "0.99.1",
    older: "0.81.2",
  }),
  "codex-acp": known("codex-acp", "@agentclientprotocol/codex-acp", "codex-acp", {
    pinned: "2.6.0",
    older: "2.3.0",
  }),
} as const satisfies Readonly<Record<string, AgentVersions>>;

export type AgentName = keyof typeof VERSIONS;

export const AGENT_NAMES = Object.keys(VERSIONS) as readonly AgentName[];

/** Other versions than the pins, for one run of the tests: `claude@2.1.300,codex@0.154.0`. */
const CHOSEN_VERSIONS = "SIGNALBOX_AGENT_VERSIONS";

/** The version that the tests run with: the pin, unless the environment says otherwise. */
export function chosenPackage(
  name: AgentName,
  env: Readonly<Record<string, string | undefined>> = process.env,
): AgentPackage {
  const words = (env[CHOSEN_VERSIONS] ?? "").split(",").map((word) => word.trim());
  const version = words.find((word) => word.startsWith(`${name}@`))?.slice(name.length + 1);
  return version === undefined || version === "" ? VERSIONS[name].pinned : inVersion(name, version);
}

/** For agents that run on a newer Node than ours. */
export const NEWER_NODE: AgentPackage = { folder: "node24", package: "node", version: "24", program: "node" };

/** The pin first, then what is older, without repetition. */
export function versionsOf(name: AgentName): readonly AgentPackage[] {
  const { pinned, previous, older } = VERSIONS[name];
  return [pinned, ...(previous ? [previous] : []), older];
}

/** The same agent in any other version, such as the newest in the registry. */
export function inVersion(name: AgentName, version: string): AgentPackage {
  return { ...VERSIONS[name].pinned, folder: `${name}-${version}`, version };
}

function known(name: string, packageName: string, program: string, versions: KnownVersions): AgentVersions {
  const of = (version: string): AgentPackage => ({
    folder: `${name}-${version}`,
    package: packageName,
    version,
    program,
  });
  const { pinned, previous, older } = versions;
  return {
    pinned: of(pinned),
    previous: previous === undefined ? null : of(previous),
    older: of(older),
  };
}
