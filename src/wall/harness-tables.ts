/**
 * What each agent keeps in the home folder, and what of it a run may change.
 *
 * The home folder inside is an empty one, and so is every folder that is named here only in part. What an agent keeps
 * there beside the named is the run's own and gone with it. Settings, hooks, plugins and MCP entries are read-only, because
 * they run later, outside; they cannot be made anew either, because their folder inside is not that of this machine.
 *
 * Logins are never copies: refresh tokens rotate. A login that is one file is mounted alone: written in place it is the
 * person's own, and replaced by rename it is refused (`EBUSY`), which agents tell as a failure to save. What is settings,
 * caches and counters in one file that is replaced at every start (`.claude.json`) is copied into the run, and what the
 * run changes in it is not kept.
 */
import type { WallEntry } from "../protocol/wall.js";

/** A file or folder below a root. */
export interface Place {
  readonly path: string;
  readonly type: WallEntry["type"];
  /** `made`: writable, and made on this machine when it is missing, as the agent itself would. */
  readonly access: "readOnly" | "writable" | "made" | "copied";
}

export interface HarnessRoot {
  /** The variable that moves it, if there is one. */
  readonly variable: string | null;
  /** Where it is otherwise, below the home folder; empty: the home folder itself. */
  readonly below: string;
  /** What is added to the variable's value. */
  readonly inVariable?: string;
  readonly places: readonly Place[];
}

export interface HarnessTable {
  readonly roots: readonly HarnessRoot[];
  /** Names of environment variables; a star at the end stands for any rest. */
  readonly environment: readonly string[];
  /** Variables that say where it keeps what it can make anew: set to folders below `.cache`, which outlive the run. */
  readonly caches?: Readonly<Record<string, string>>;
  /** Of its models and its login, where the network is limited to a list. */
  readonly hosts: readonly string[];
  /** It connects by itself, whatever the variables say: with a list of hosts it would reach nothing. */
  readonly ignoresProxy?: true;
  /** It has a sandbox of its own, made of user namespaces. */
  readonly nestedNamespaces: boolean;
  /** Files below the home folder that a person's shell reads when it starts. */
  readonly shellFiles: boolean;
}

/** Stands for the session's folder as Claude Code writes it: every character but letters and digits is a dash. */
const PROJECT = "{project}";

const readOnlyFiles = (...paths: readonly string[]) => placed("file", "readOnly", paths);
const readOnlyFolders = (...paths: readonly string[]) => placed("folder", "readOnly", paths);
const logins = (...paths: readonly string[]) => placed("file", "writable", paths);
const kept = (...paths: readonly string[]) => placed("folder", "made", paths);
const keptIfThere = (...paths: readonly string[]) => placed("folder", "writable", paths);
const copied = (...paths: readonly string[]) => placed("file", "copied", paths);

function placed(type: Place["type"], access: Place["access"], paths: readonly string[]): readonly Place[] {
  return paths.map((path) => ({ path, type, access }));
}

/** Keys of the providers whose models the agents that know many of them may use. */
const PROVIDER_KEYS = [
  "OPENAI_*",
  "ANTHROPIC_*",
  "GEMINI_*",
  "GOOGLE_*",
  "AZURE_*",
  "MISTRAL_API_KEY",
  "GROQ_API_KEY",
  "OPENROUTER_API_KEY",
  "DEEPSEEK_API_KEY",
  "XAI_API_KEY",
  "TOGETHER_API_KEY",
  "FIREWORKS_API_KEY",
  "CEREBRAS_API_KEY",
  "MOONSHOT_API_KEY",
  "DASHSCOPE_API_KEY",
  "ZHIPU_API_KEY",
  "OLLAMA_*",
];

const CLAUDE: HarnessTable = {
  roots: [
    {
      variable: "CLAUDE_CONFIG_DIR",
      below: ".claude",
      places: [
        ...readOnlyFiles(
          "settings.json",
          "settings.local.json",
          "CLAUDE.md",
          "keybindings.json",
          "statusline.sh",
        ),
        ...readOnlyFolders(
          "hooks",
          "plugins",
          "agents",
          "commands",
          "skills",
          "output-styles",
          "rules",
          "local",
        ),
        ...logins(".credentials.json"),
        ...kept(`projects/${PROJECT}`),
        ...keptIfThere("todos", "tasks", "file-history", "plans", "session-env"),
      ],
    },
    { variable: "CLAUDE_CONFIG_DIR", below: "", places: copied(".claude.json") },
  ],
  environment: [
    "ANTHROPIC_*",
    "CLAUDE_*",
    "DISABLE_*",
    "ENABLE_*",
    "MAX_THINKING_TOKENS",
    "MAX_MCP_OUTPUT_TOKENS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
    "API_TIMEOUT_MS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "USE_BUILTIN_RIPGREP",
  ],
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  nestedNamespaces: false,
  shellFiles: false,
};

/** An index of its conversations, in six databases. Without them each start makes them anew, which takes 0.1 s. */
const CODEX_CACHES = { CODEX_SQLITE_HOME: "codex" };

const CODEX: HarnessTable = {
  roots: [
    {
      variable: "CODEX_HOME",
      below: ".codex",
      places: [
        ...readOnlyFiles("config.toml", "managed_config.toml", "requirements.toml", "hooks.json"),
        ...readOnlyFiles("AGENTS.md", "AGENTS.override.md"),
        ...readOnlyFolders("hooks", "rules", "prompts", "skills", "plugins", "agents"),
        ...logins("auth.json", ".credentials.json"),
        ...kept("sessions"),
        ...keptIfThere("archived_sessions"),
      ],
    },
  ],
  environment: [...PROVIDER_KEYS, "CODEX_*"],
  caches: CODEX_CACHES,
  hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  nestedNamespaces: true,
  shellFiles: false,
};

/** Gemini CLI, and Qwen Code, which is made from it. `conversations`: where they are, if not in `tmp`. */
function fromGemini(
  root: Pick<HarnessRoot, "variable" | "below" | "inVariable">,
  memory: string,
  ...conversations: readonly string[]
): HarnessRoot {
  const others = ["history", "projects", "todos"].filter((name) => !conversations.includes(name));
  return {
    ...root,
    places: [
      ...readOnlyFiles("settings.json", "trustedFolders.json", memory, ".env", "keybindings.json"),
      ...readOnlyFiles("mcp-server-enablement.json"),
      ...readOnlyFolders("extensions", "commands", "skills", "hooks", "policies", "agents"),
      ...logins("oauth_creds.json", "google_accounts.json", "gemini-credentials.json"),
      ...logins("mcp-oauth-tokens.json", "mcp-oauth-tokens-v2.json"),
      ...copied("installation_id", "state.json", "projects.json"),
      ...kept("tmp", ...conversations),
      ...keptIfThere(...others),
    ],
  };
}

const GEMINI: HarnessTable = {
  roots: [fromGemini({ variable: "GEMINI_CLI_HOME", below: ".gemini", inVariable: ".gemini" }, "GEMINI.md")],
  environment: ["GEMINI_*", "GOOGLE_*", "CODE_ASSIST_ENDPOINT"],
  hosts: [
    "generativelanguage.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "aiplatform.googleapis.com",
    "oauth2.googleapis.com",
  ],
  nestedNamespaces: false,
  shellFiles: false,
};

const QWEN: HarnessTable = {
  roots: [fromGemini({ variable: "QWEN_HOME", below: ".qwen" }, "QWEN.md", "projects")],
  environment: ["QWEN_*", ...PROVIDER_KEYS],
  hosts: ["portal.qwen.ai", "chat.qwen.ai", "dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"],
  nestedNamespaces: false,
  shellFiles: false,
};

/** Both write into their folders of settings whenever they start: those are empty ones with the settings in them. */
function opencodeSettings(name: string, folder: string): readonly Place[] {
  const files = [
    `${name}.json`,
    `${name}.jsonc`,
    "config.json",
    "tui.json",
    "AGENTS.md",
    "package.json",
    "bun.lock",
  ];
  const singular = ["agent", "command", "mode", "plugin", "skill", "theme", "tool"];
  const folders = [...singular, ...singular.map((each) => `${each}s`), "node_modules", "bin", "rules"];
  const below = (names: readonly string[]) =>
    names.map((each) => (folder === "" ? each : `${folder}/${each}`));
  return [...readOnlyFiles(...below(files)), ...readOnlyFolders(...below(folders))];
}

/** OpenCode, and Kilo Code, which is made from it: settings and data are in folders of their own. */
function fromOpencode(
  name: string,
  prefix: string,
  hosts: readonly string[],
  ...homes: readonly string[]
): HarnessTable {
  return {
    roots: [
      { variable: "XDG_CONFIG_HOME", below: ".config", places: opencodeSettings(name, name) },
      ...homes.map((home) => ({ variable: null, below: home, places: opencodeSettings(name, "") })),
      // Programs that it downloads are in `bin` of its data or of its cache, by version: an agent must make neither.
      {
        variable: "XDG_DATA_HOME",
        below: ".local/share",
        places: [...kept(name), { path: `${name}/bin`, type: "folder", access: "readOnly" }],
      },
    ],
    environment: [`${prefix}_*`, ...PROVIDER_KEYS],
    hosts,
    nestedNamespaces: false,
    shellFiles: false,
  };
}

// Both install what a provider needs from npm when it is first used.
const OPENCODE = fromOpencode(
  "opencode",
  "OPENCODE",
  ["opencode.ai", "models.dev", "*.npmjs.org"],
  ".opencode",
);
const KILO = fromOpencode(
  "kilo",
  "KILO",
  ["api.kilo.ai", "kilocode.ai", "models.dev", "*.npmjs.org"],
  ".kilo",
  ".kilocode",
);

const COPILOT: HarnessTable = {
  roots: [
    {
      variable: "COPILOT_HOME",
      below: ".copilot",
      places: [
        ...readOnlyFiles("settings.json", "mcp-config.json", "lsp-config.json", "copilot-instructions.md"),
        ...readOnlyFolders(
          "agents",
          "skills",
          "hooks",
          "plugins",
          "installed-plugins",
          "instructions",
          "pkg",
        ),
        ...copied("config.json"),
        ...kept("session-state"),
        ...keptIfThere("history-session-state"),
      ],
    },
  ],
  environment: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
  hosts: ["api.github.com", "*.githubcopilot.com"],
  nestedNamespaces: false,
  shellFiles: false,
};

/** Keeps everything in what Signalbox gives to the run. */
const NOTHING: HarnessTable = {
  ...{ roots: [], environment: [], hosts: [] },
  ...{ nestedNamespaces: false, shellFiles: false },
};

/** Whichever agent a person starts in it. */
const TERMINAL: HarnessTable = {
  roots: [CLAUDE, CODEX, GEMINI, OPENCODE, KILO, QWEN, COPILOT].flatMap(({ roots }) => roots),
  environment: [
    ...new Set([CLAUDE, CODEX, GEMINI, OPENCODE, KILO, QWEN, COPILOT].flatMap((table) => table.environment)),
  ],
  caches: CODEX_CACHES,
  hosts: [CLAUDE, CODEX, GEMINI, OPENCODE, KILO, QWEN, COPILOT].flatMap(({ hosts }) => hosts),
  nestedNamespaces: true,
  shellFiles: true,
};

const TABLES: Readonly<Record<string, HarnessTable>> = {
  claude: CLAUDE,
  "claude-acp": CLAUDE,
  codex: CODEX,
  "codex-acp": CODEX,
  gemini: GEMINI,
  qwen: QWEN,
  opencode: OPENCODE,
  kilo: KILO,
  copilot: COPILOT,
  builtin: { ...NOTHING, environment: PROVIDER_KEYS },
  demo: NOTHING,
  script: NOTHING,
  acp: NOTHING,
  terminal: TERMINAL,
};

/** An agent that nobody knows gets no folder of the home folder but those that the person names. */
export function harnessTable(name: string): HarnessTable {
  return Object.hasOwn(TABLES, name) ? (TABLES[name] ?? NOTHING) : NOTHING;
}

/** Where a root is, for somebody with this home folder and this environment. */
export function rootFolder(
  { variable, below, inVariable }: HarnessRoot,
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const moved = variable === null ? undefined : environment[variable];
  if (!moved?.startsWith("/")) return below === "" ? home : `${home}/${below}`;
  const folder = moved.replace(/(?<=.)\/+$/, "");
  return inVariable === undefined ? folder : `${folder}/${inVariable}`;
}

/** `cwd`: the session's folder, for places that are named after it. */
export function placePath(place: Place, root: string, cwd: string): string {
  return `${root}/${place.path.replace(PROJECT, cwd.replace(/[^A-Za-z0-9]/g, "-"))}`;
}

/** Why a place of an agent's is there and can be written. */
export const KEPT_BY_AGENT = "what the agent keeps";

/** Settings of agents in a project: they run programs too, for whoever opens the project next. */
export const PROJECT_SETTINGS: readonly string[] = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/hooks",
  ".mcp.json",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".qwen/settings.json",
  "opencode.json",
  "opencode.jsonc",
  ".opencode/plugin",
  ".opencode/plugins",
  ".kilo",
  ".kilocode/mcp.json",
  ".copilot/mcp-config.json",
  ".vscode/tasks.json",
  ".vscode/settings.json",
];
