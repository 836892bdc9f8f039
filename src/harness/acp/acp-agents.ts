/**
 * The agents that are known to speak ACP: how each is started in its strictest asking mode, installed and logged in, and
 * in what it differs from the protocol. Whatever is said here of an agent was seen: see `test/golden/acp/recordings`.
 *
 * To add one, add an entry, a recording, and its name to the list of harnesses.
 */
import type { Enforcement } from "../../protocol/session.js";
import { askForEverything, waitForNextMinute } from "./acp-launch.js";

export interface AcpAgent {
  readonly name: string;
  readonly title: string;
  /** As it is found in `PATH`, and what makes it speak ACP. */
  readonly program: string;
  readonly args: readonly string[];
  /** `--version` means nothing to it. */
  readonly tellsNoVersion?: true;
  /** What installs it. */
  readonly install: string;
  readonly login: AcpLogin;
  readonly enforcement: Enforcement;
  /** The session mode in which it asks most; it is put into it if it starts in another. */
  readonly mode?: string;
  /** Configuration options of its sessions with the values that make it ask. */
  readonly options?: Readonly<Record<string, string>>;
  /** What its environment needs beside, given what it inherits. */
  readonly environment?: (inherited: Environment) => Readonly<Record<string, string>>;
  /** Done before it is started to go on with a conversation. Rejects with the reason why that cannot be now. */
  readonly beforeResume?: (sessionId: string, inherited: Environment) => Promise<void>;
  readonly quirks: AcpQuirks;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface AcpLogin {
  /** What logs in, for a person to type. */
  readonly command: string;
  /** Any of these shows that somebody is logged in: variables, and files below the home folder. */
  readonly variables: readonly string[];
  readonly files: readonly string[];
  /** What it means that there is none of them. */
  readonly otherwise: "missing" | "unknown";
}

export interface AcpQuirks {
  /** It goes on replaying a loaded conversation after it has said that it is loaded. */
  readonly replaysLate?: true;
  /** It takes the error that a file does not exist for a failure, and cannot write new files then. */
  readonly missingFileIsEmpty?: true;
  /** It tells no input of any call; of a command, the title is the command itself. */
  readonly titleIsCommand?: true;
  /** It tells the tokens of all turns so far, not of the last one. */
  readonly tokensAddUp?: true;
  /** It tells the cost of the whole conversation, earlier runs included. */
  readonly costOutlivesRun?: true;
  /** Its questions to a person come as permission requests, whose answer has a place for the answers. */
  readonly questionsArePermissions?: true;
  /** It does not remember a prompt whose first answer failed: who tries again must say it again. */
  readonly forgetsFailedPrompt?: true;
  /** It keeps a prompt a while after it has begun to answer it: killed before, it has never heard of it. */
  readonly keepsPromptsLate?: true;
  /** When something in the background ends it goes on by itself, and says when that is over. */
  readonly tellsWakes?: true;
  /** Kinds of calls that it asks about only because we make it: what no rule forbids is allowed, as it would be there. */
  readonly quietKinds?: readonly string[];
  /** A failure that it writes as text, before it ends the turn as if all were well; and an attempt to try again. */
  readonly failureText?: RegExp;
  readonly retryText?: RegExp;
}

/** OpenCode and what is made from it ask about everything because we make them. */
const FROM_OPENCODE = { costOutlivesRun: true, quietKinds: ["read", "search", "think"] } as const;

export const ACP_AGENTS: readonly AcpAgent[] = [
  {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    args: ["--acp", "--approval-mode", "default"],
    install: "npm install -g @google/gemini-cli",
    login: {
      command: "gemini",
      variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
      files: [".gemini/oauth_creds.json"],
      otherwise: "missing",
    },
    enforcement: "when-asked",
    mode: "default",
    beforeResume: waitForNextMinute,
    quirks: {
      replaysLate: true,
      missingFileIsEmpty: true,
      titleIsCommand: true,
      forgetsFailedPrompt: true,
    },
  },
  {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    args: ["acp"],
    install: "npm install -g opencode-ai",
    login: {
      command: "opencode auth login",
      variables: [],
      files: [".local/share/opencode/auth.json"],
      // Some of its models need none.
      otherwise: "unknown",
    },
    enforcement: "when-asked",
    environment: (inherited) => askForEverything("OPENCODE", inherited),
    quirks: FROM_OPENCODE,
  },
  {
    name: "kilo",
    title: "Kilo Code",
    program: "kilo",
    args: ["acp"],
    install: "npm install -g @kilocode/cli",
    login: {
      command: "kilo auth login",
      variables: ["KILO_API_KEY"],
      files: [".local/share/kilo/auth.json"],
      otherwise: "unknown",
    },
    enforcement: "when-asked",
    environment: (inherited) => askForEverything("KILO", inherited),
    quirks: FROM_OPENCODE,
  },
  {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    args: ["--acp", "--approval-mode", "default"],
    install: "npm install -g @qwen-code/qwen-code",
    login: {
      command: "qwen",
      variables: ["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
      files: [".qwen/oauth_creds.json"],
      otherwise: "missing",
    },
    enforcement: "when-asked",
    mode: "default",
    quirks: { questionsArePermissions: true },
  },
  {
    name: "copilot",
    title: "Copilot CLI",
    program: "copilot",
    args: ["--acp"],
    install: "npm install -g @github/copilot",
    login: {
      command: "copilot login",
      variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"],
      files: [".copilot/config.json"],
      otherwise: "unknown",
    },
    enforcement: "when-asked",
    options: { allow_all: "off" },
    quirks: {
      tokensAddUp: true,
      failureText: /^Error: (?:\d{3}\b|Failed to get response|Authentication failed|.*\bHTTP \d{3}\b)/,
      retryText: /^Info: .*\bRetrying\.\.\.$/,
    },
  },
  {
    name: "claude-acp",
    title: "Claude Code, through its ACP bridge",
    program: "claude-agent-acp",
    args: [],
    tellsNoVersion: true,
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    login: {
      command: "claude",
      variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
      files: [".claude/.credentials.json"],
      otherwise: "missing",
    },
    enforcement: "when-asked",
    mode: "default",
    quirks: { tellsWakes: true, keepsPromptsLate: true },
  },
  {
    name: "codex-acp",
    title: "Codex, through its ACP bridge",
    program: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    login: {
      command: "codex login",
      variables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
      files: [".codex/auth.json"],
      otherwise: "missing",
    },
    // In its own default mode another model answers, and nobody is asked.
    enforcement: "when-asked",
    mode: "read-only",
    environment: () => ({ INITIAL_AGENT_MODE: "read-only" }),
    quirks: { keepsPromptsLate: true },
  },
];

/** Any other program that speaks the protocol as it is written. */
const ANY_AGENT: AcpAgent = {
  name: "acp",
  title: "An ACP agent",
  program: "",
  args: [],
  install: "",
  login: { command: "", variables: [], files: [], otherwise: "unknown" },
  enforcement: "when-asked",
  quirks: {},
};

export function acpAgentNamed(name: string | null): AcpAgent {
  return ACP_AGENTS.find((agent) => agent.name === name) ?? ANY_AGENT;
}
