/** Who provides models for the built-in agent, and what must be set for each. */
export interface AgentProvider {
  readonly name: string;
  /** The variable that must be set for it to work; null: it runs on this machine, and needs none. */
  readonly key: string | null;
  /** The variable that leads to another server that speaks the same. */
  readonly baseUrl: string;
  readonly defaultUrl: string | null;
  /** Its key may also be in this one. */
  readonly secondKey?: string;
}

export const AGENT_PROVIDERS = {
  anthropic: {
    name: "anthropic",
    key: "ANTHROPIC_API_KEY",
    baseUrl: "ANTHROPIC_BASE_URL",
    defaultUrl: "https://api.anthropic.com/v1",
  },
  openai: {
    name: "openai",
    key: "OPENAI_API_KEY",
    baseUrl: "OPENAI_BASE_URL",
    defaultUrl: "https://api.openai.com/v1",
  },
  google: {
    name: "google",
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    secondKey: "GEMINI_API_KEY",
    baseUrl: "GOOGLE_GENERATIVE_AI_BASE_URL",
    defaultUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
  /** Any other server that speaks OpenAI's chat completions; its key, if it wants one, is OPENAI_COMPATIBLE_API_KEY. */
  compatible: {
    name: "compatible",
    key: "OPENAI_COMPATIBLE_BASE_URL",
    baseUrl: "OPENAI_COMPATIBLE_BASE_URL",
    defaultUrl: null,
  },
  ollama: {
    name: "ollama",
    key: null,
    baseUrl: "OLLAMA_HOST",
    defaultUrl: "http://127.0.0.1:11434",
  },
} as const satisfies Readonly<Record<string, AgentProvider>>;

export type ProviderName = keyof typeof AGENT_PROVIDERS;

/** Scripts that need no provider; `demo/hasty` makes a mistake, for a race to find. */
const DEMO_MODELS = ["demo", "demo/hasty"] as const;
export type DemoModelName = (typeof DEMO_MODELS)[number];

export function isDemoModel(name: string): name is DemoModelName {
  return DEMO_MODELS.some((each) => each === name);
}

/** Why this cannot be a model of the built-in agent; null: it may be one, which only its provider knows. */
export function modelNameFlaw(name: string): string | null {
  const [provider = "", ...model] = name.split("/");
  if (isDemoModel(name) || (Object.hasOwn(AGENT_PROVIDERS, provider) && model.join("/") !== "")) return null;
  const known = Object.keys(AGENT_PROVIDERS).map((each) => `${each}/MODEL`);
  return `There is no model ${JSON.stringify(name)}: it is demo, ${known.join(", ")}.`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What it is used with; null: it is missing. */
export function keyOf(provider: AgentProvider, env: Environment): string | null {
  const { key, secondKey } = provider;
  if (key === null) return "";
  return valueOf(env, key) ?? (secondKey === undefined ? null : valueOf(env, secondKey));
}

/** An empty variable is as good as none. */
function valueOf(env: Environment, name: string): string | null {
  const value = env[name];
  return value === undefined || value === "" ? null : value;
}

/** Those that have what they need; one that needs nothing is not among them, for it may not be there. */
export function providersWithKeys(env: Environment): readonly ProviderName[] {
  const names = Object.keys(AGENT_PROVIDERS) as readonly ProviderName[];
  return names.filter((name) => AGENT_PROVIDERS[name].key !== null && keyOf(AGENT_PROVIDERS[name], env));
}

/** Without a slash at its end. */
export function urlOf(provider: AgentProvider, env: Environment): string {
  const url = valueOf(env, provider.baseUrl) ?? provider.defaultUrl ?? "";
  // Ollama's own variable may be a bare host and port.
  const whole = url === "" || url.includes("://") ? url : `http://${url}`;
  return whole.replace(/\/+$/, "");
}
