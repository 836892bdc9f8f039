import type { LanguageModel } from "ai";
import { AiSdkModel } from "./ai-sdk-model.js";
import { DemoModel } from "./demo-model.js";
import { ModelError, type Model } from "./model.js";

export type Environment = Readonly<Record<string, string | undefined>>;

interface Provider {
  /** What must be set for it to work; null: nothing. */
  readonly key: string | null;
  readonly load: (model: string, env: Environment) => Promise<LanguageModel>;
}

/** Each is loaded only when it is used. `…_BASE_URL` leads to another server that speaks the same. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    load: async (model, env) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings(env, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"))(model);
    },
  },
  openai: {
    key: "OPENAI_API_KEY",
    load: async (model, env) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings(env, "OPENAI_API_KEY", "OPENAI_BASE_URL")).responses(model);
    },
  },
  google: {
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    load: async (model, env) => {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      const key = "GOOGLE_GENERATIVE_AI_API_KEY";
      return createGoogleGenerativeAI(settings(env, key, "GOOGLE_GENERATIVE_AI_BASE_URL"))(model);
    },
  },
  compatible: {
    key: "OPENAI_COMPATIBLE_BASE_URL",
    load: (model, env) =>
      loadCompatible(model, env["OPENAI_COMPATIBLE_BASE_URL"] ?? "", env["OPENAI_COMPATIBLE_API_KEY"]),
  },
  ollama: {
    key: null,
    load: (model, env) => loadCompatible(model, `${env["OLLAMA_HOST"] ?? "http://127.0.0.1:11434"}/v1`),
  },
};

async function loadCompatible(model: string, baseURL: string, apiKey?: string): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey === undefined ? {} : { apiKey };
  return createOpenAICompatible({ name: "compatible", baseURL, includeUsage: true, ...key })(model);
}

function settings(env: Environment, key: string, url: string): { apiKey?: string; baseURL?: string } {
  const [apiKey, baseURL] = [env[key], env[url]];
  return { ...(apiKey ? { apiKey } : {}), ...(baseURL ? { baseURL } : {}) };
}

/** `demo`, or `provider/model`. */
export async function chooseModel(name: string, env: Environment): Promise<Model> {
  if (name === "demo") return new DemoModel();
  const [providerName = "", ...rest] = name.split("/");
  const provider = Object.hasOwn(PROVIDERS, providerName) ? PROVIDERS[providerName] : undefined;
  const model = rest.join("/");
  if (!provider || model === "") {
    const known = Object.keys(PROVIDERS).map((known) => `${known}/MODEL`);
    throw new ModelError(
      `There is no model ${JSON.stringify(name)}: it is demo, ${known.join(", ")}.`,
      "invalid_model",
      false,
    );
  }
  if (provider.key !== null && !env[provider.key])
    throw new ModelError(`${name} needs ${provider.key} to be set.`, "login_required", false);
  return new AiSdkModel(name, await provider.load(model, env));
}

/** The first provider that has what it needs; without any, the demo. */
export function defaultModel(env: Environment): string {
  if (env["ANTHROPIC_API_KEY"]) return "anthropic/claude-sonnet-4-5";
  if (env["OPENAI_API_KEY"]) return "openai/gpt-5";
  if (env["GOOGLE_GENERATIVE_AI_API_KEY"]) return "google/gemini-2.5-pro";
  return "demo";
}
