import type { LanguageModel } from "ai";
import {
  AGENT_PROVIDERS,
  isDemoModel,
  keyOf,
  modelNameFlaw,
  urlOf,
  type ProviderName,
} from "../../protocol/agent-providers.js";
import { DemoModel } from "./demo-model.js";
import { ModelError, type Model } from "./model.js";
import { patientFetch } from "./patient-fetch.js";

export type Environment = Readonly<Record<string, string | undefined>>;

const request = patientFetch();

interface Access {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly env: Environment;
}

/** Each is loaded only when it is used. */
const LOADERS: Readonly<Record<ProviderName, (model: string, access: Access) => Promise<LanguageModel>>> = {
  anthropic: async (model, { apiKey, baseURL }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ apiKey, baseURL, fetch: request })(model);
  },
  openai: async (model, { apiKey, baseURL }) => {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ apiKey, baseURL, fetch: request }).responses(model);
  },
  google: async (model, { apiKey, baseURL }) => {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return createGoogleGenerativeAI({ apiKey, baseURL, fetch: request })(model);
  },
  compatible: (model, { baseURL, env }) => loadCompatible(model, baseURL, env["OPENAI_COMPATIBLE_API_KEY"]),
  ollama: (model, { baseURL }) => loadCompatible(model, `${baseURL}/v1`),
};

async function loadCompatible(model: string, baseURL: string, apiKey?: string): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey === undefined ? {} : { apiKey };
  const options = { name: "compatible", baseURL, includeUsage: true, fetch: request, ...key };
  return createOpenAICompatible(options)(model);
}

/** One of the demo's, or `provider/model`. */
export async function chooseModel(name: string, env: Environment): Promise<Model> {
  if (isDemoModel(name)) return new DemoModel(name);
  const [providerName = "", ...rest] = name.split("/");
  const model = rest.join("/");
  const flaw = modelNameFlaw(name);
  if (flaw !== null || !isProvider(providerName))
    throw new ModelError(flaw ?? `There is no provider ${providerName}.`, "invalid_model", false);
  const provider = AGENT_PROVIDERS[providerName];
  const apiKey = keyOf(provider, env);
  if (apiKey === null)
    throw new ModelError(`${name} needs ${provider.key ?? ""} to be set.`, "login_required", false);
  const access = { apiKey, baseURL: urlOf(provider, env), env };
  // The SDK takes longer to load than all the rest, and the demo needs none of it.
  const { AiSdkModel } = await import("./ai-sdk-model.js");
  return new AiSdkModel(name, await LOADERS[providerName](model, access));
}

function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(LOADERS, name);
}

/** The first provider that has what it needs; without any, the demo. */
export function defaultModel(env: Environment): string {
  const first = DEFAULTS.find(([provider]) => keyOf(AGENT_PROVIDERS[provider], env) !== null);
  return first ? first[1] : "demo";
}

const DEFAULTS = [
  ["anthropic", "anthropic/claude-sonnet-4-5"],
  ["openai", "openai/gpt-5"],
  ["google", "google/gemini-2.5-pro"],
] as const;
