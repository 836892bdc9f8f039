/** What each agent needs to start on a machine without internet, with the scripted model server as its model. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScreenAgent } from "../../src/core/index.js";

export interface AgentHome {
  /** What is typed at the shell's prompt. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files of the home folder, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Claude looks for the last 20 characters of a key among those that a person has approved. */
export const MODEL_KEY = "sk-of-nobody-00000000";
export const MODEL_NAME = "fake-model";

export function homeOf(agent: ScreenAgent, server: string): AgentHome {
  return HOMES[agent](server);
}

export function writeHome(home: AgentHome, folder: string): void {
  for (const [path, text] of Object.entries(home.files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const HOMES: Readonly<Record<ScreenAgent, (server: string) => AgentHome>> = {
  claude: (server) => ({
    command: "claude --permission-mode default",
    env: {
      ANTHROPIC_BASE_URL: server,
      ANTHROPIC_API_KEY: MODEL_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Ghost text in the input box, after every turn.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "true",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_INSTALLATION_CHECKS: "1",
    },
    files: {
      ".claude.json": json({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [MODEL_KEY.slice(-20)] },
      }),
    },
  }),
  codex: (server) => ({
    command: "codex",
    env: { FAKE_KEY: MODEL_KEY },
    files: {
      ".codex/config.toml": `model = "${MODEL_NAME}"
model_provider = "fake"
check_for_update_on_startup = false
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.fake]
name = "fake"
base_url = "${server}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[features]
default_mode_request_user_input = true
`,
    },
  }),
  gemini: (server) => ({
    command: "gemini",
    env: { GOOGLE_GEMINI_BASE_URL: server, GEMINI_API_KEY: MODEL_KEY },
    files: {
      ".gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        // It takes the lines of a box for a loop.
        model: { disableLoopDetection: true },
      }),
    },
  }),
  opencode: (server) => ({
    command: "opencode",
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: { ".config/opencode/opencode.json": json(openCodeConfig(server)) },
  }),
  kilo: (server) => ({
    command: "kilo",
    env: { KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1" },
    files: { ".config/kilo/kilo.json": json(openCodeConfig(server)) },
  }),
  copilot: (server) => ({
    command: "copilot",
    env: {
      COPILOT_PROVIDER_BASE_URL: `${server}/v1`,
      COPILOT_MODEL: MODEL_NAME,
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    },
    files: {},
  }),
  pi: (server) => ({
    command: "pi",
    env: { PI_OFFLINE: "1" },
    files: {
      ".pi/agent/models.json": json({
        providers: {
          fake: {
            baseUrl: `${server}/v1`,
            api: "openai-completions",
            apiKey: MODEL_KEY,
            models: [{ id: MODEL_NAME }],
          },
        },
      }),
      ".pi/agent/settings.json": json({ defaultProvider: "fake", defaultModel: MODEL_NAME }),
    },
  }),
  kimi: (server) => ({
    command: "kimi",
    env: {
      KIMI_MODEL_NAME: MODEL_NAME,
      KIMI_MODEL_API_KEY: MODEL_KEY,
      KIMI_MODEL_PROVIDER_TYPE: "openai",
      KIMI_MODEL_BASE_URL: `${server}/v1`,
      KIMI_CODE_NO_AUTO_UPDATE: "1",
    },
    files: {},
  }),
  cn: (server) => ({
    command: "cn --config ~/config.yaml",
    env: {},
    files: {
      "config.yaml": `name: Local
version: 1.0.0
schema: v1
models:
  - name: ${MODEL_NAME}
    provider: openai
    model: ${MODEL_NAME}
    apiKey: ${MODEL_KEY}
    apiBase: ${server}/v1
    capabilities: [tool_use]
    roles: [chat]
`,
    },
  }),
  grok: (server) => ({
    command: "grok",
    env: { GROK_API_KEY: MODEL_KEY, GROK_BASE_URL: `${server}/v1`, GROK_MODEL: MODEL_NAME },
    files: {},
  }),
  nanocoder: (server) => ({
    command: "nanocoder",
    env: {},
    files: {
      ".config/nanocoder/agents.config.json": json({
        nanocoder: {
          providers: [{ name: "fake", baseUrl: `${server}/v1`, apiKey: MODEL_KEY, models: [MODEL_NAME] }],
        },
      }),
    },
  }),
  qwen: (server) => ({
    command: "qwen",
    env: { OPENAI_BASE_URL: `${server}/v1`, OPENAI_API_KEY: MODEL_KEY, OPENAI_MODEL: MODEL_NAME },
    files: {
      ".qwen/settings.json": json({
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: true } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    },
  }),
};

function openCodeConfig(server: string): unknown {
  return {
    model: `fake/${MODEL_NAME}`,
    small_model: `fake/${MODEL_NAME}`,
    permission: { bash: "ask", edit: "ask" },
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${server}/v1`, apiKey: MODEL_KEY },
        models: { [MODEL_NAME]: { name: "Fake Model", limit: { context: 128_000, output: 8_000 } } },
      },
    },
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
