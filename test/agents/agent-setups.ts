/** How each agent is pointed at the scripted model, in a home folder of its own that holds nothing else. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MODEL } from "./model-server/side-answers.js";
import type { AgentName } from "./packages.js";

const KEY = "sk-scripted-000000000000000000000000";
/** Claude remembers a key that a person has agreed to by its end. */
const KEY_END = KEY.slice(-20);

export interface AgentSetup {
  readonly env: Readonly<Record<string, string>>;
  /** By path in the home folder. */
  readonly files: Readonly<Record<string, unknown>>;
}

/** `cwd`: the folder that sessions are in, which a person has already said to trust. */
export function setupOf(name: AgentName, url: string, cwd: string): AgentSetup {
  switch (name) {
    case "claude":
    case "claude-acp":
      return claude(url, cwd);
    case "codex":
    case "codex-acp":
      return codex(url, cwd);
    case "gemini":
      return gemini(url);
    case "opencode":
      return {
        env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
        files: { ".config/opencode/opencode.json": openAiCompatible(url) },
      };
    case "kilo":
      return {
        env: { KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1", KILO_DISABLE_SHARE: "1" },
        files: { ".config/kilo/kilo.json": openAiCompatible(url) },
      };
    case "qwen":
      return {
        env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: MODEL },
        files: {
          ".qwen/settings.json": {
            security: { auth: { selectedType: "openai" } },
            general: { disableAutoUpdate: true },
            privacy: { usageStatisticsEnabled: false },
          },
        },
      };
    case "copilot":
      return {
        env: {
          COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
          COPILOT_MODEL: MODEL,
          COPILOT_OFFLINE: "true",
        },
        files: {},
      };
  }
}

function claude(url: string, cwd: string): AgentSetup {
  return {
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // It refuses some of its modes to root elsewhere.
      IS_SANDBOX: "1",
    },
    files: {
      ".claude.json": {
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: [KEY_END], rejected: [] },
        projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      },
    },
  };
}

function codex(url: string, cwd: string): AgentSetup {
  const config = `
model = "${MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[features]
default_mode_request_user_input = true

[projects."${cwd}"]
trust_level = "untrusted"
`;
  // Below the folder for temporary files it makes no link to itself, and so bubblewrap before 0.9 does not find its sandbox.
  const env = { SCRIPTED_KEY: KEY, TMPDIR: "/var/tmp" };
  return { env, files: { ".codex/config.toml": config.trimStart() } };
}

function gemini(url: string): AgentSetup {
  return {
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY },
    files: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, disableUpdateNag: true },
      },
    },
  };
}

/** OpenCode's configuration, and Kilo's. */
function openAiCompatible(url: string): unknown {
  const model = `scripted/${MODEL}`;
  return {
    autoupdate: false,
    share: "disabled",
    model,
    small_model: model,
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: {
          [MODEL]: {
            name: "Scripted",
            tool_call: true,
            cost: { input: 1, output: 2, cache_read: 0.1 },
            limit: { context: 200_000, output: 8_000 },
          },
        },
      },
    },
    permission: { bash: "ask", edit: "ask" },
  };
}

export async function writeFiles(home: string, files: AgentSetup["files"]): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}
