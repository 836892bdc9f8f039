/** Which models can be used with the keys at hand: those we know the price of, and those that a provider lists itself. */
import { z } from "zod";
import { AGENT_PROVIDERS, keyOf, urlOf, type ProviderName } from "../../protocol/agent-providers.js";
import type { Environment } from "./choose-model.js";
import { MODEL_PRICES, priceOf } from "./model-prices.js";

const LIST_TIMEOUT_MS = 3_000;
const LIST_BYTES_MAX = 2_000_000;
const LISTED_MAX = 200;

export interface ModelList {
  /** `provider/model`, by provider. */
  readonly models: readonly string[];
  /** Lists that could not be read, and why. */
  readonly problems: readonly string[];
}

interface Listing {
  readonly path: string;
  readonly headers: (key: string, env: Environment) => Readonly<Record<string, string>>;
  readonly read: (body: unknown) => readonly string[];
}

const openAiList = z.object({ data: z.array(z.object({ id: z.string() })) });
const googleList = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      supportedGenerationMethods: z.array(z.string()).default(["generateContent"]),
    }),
  ),
});
const ollamaList = z.object({ models: z.array(z.object({ name: z.string() })) });

/** OpenAI lists everything that it sells. */
const IS_CHAT = /^(?:gpt-|o\d)/;
const IS_OTHER = /image|audio|tts|transcribe|realtime|embedding|search|instruct|deep-research/;

const idsIn = (body: unknown): readonly string[] => openAiList.parse(body).data.map(({ id }) => id);
const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key ? { authorization: `Bearer ${key}` } : {};

const LISTINGS: Readonly<Record<ProviderName, Listing>> = {
  anthropic: {
    path: "/models?limit=100",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    read: idsIn,
  },
  openai: {
    path: "/models",
    headers: (key) => bearer(key),
    read: (body) => idsIn(body).filter((id) => IS_CHAT.test(id) && !IS_OTHER.test(id)),
  },
  google: {
    path: "/models?pageSize=200",
    headers: (key) => ({ "x-goog-api-key": key }),
    read: (body) =>
      googleList
        .parse(body)
        .models.filter(({ supportedGenerationMethods: can }) => can.includes("generateContent"))
        .map(({ name }) => name.replace(/^models\//, "")),
  },
  compatible: {
    path: "/models",
    headers: (_key, env) => bearer(env["OPENAI_COMPATIBLE_API_KEY"]),
    read: idsIn,
  },
  ollama: {
    path: "/api/tags",
    headers: () => ({}),
    read: (body) => ollamaList.parse(body).models.map(({ name }) => name),
  },
};

/** Never fails: where a provider does not answer in time, what we know of it stands. */
export async function listModels(env: Environment): Promise<ModelList> {
  const names = Object.keys(LISTINGS) as readonly ProviderName[];
  const lists = await Promise.all(names.map((name) => modelsOf(name, env)));
  return {
    models: [...lists.flatMap(({ models }) => models), "demo"],
    problems: lists.flatMap(({ problems }) => problems),
  };
}

async function modelsOf(name: ProviderName, env: Environment): Promise<ModelList> {
  const provider = AGENT_PROVIDERS[name];
  const key = keyOf(provider, env);
  if (key === null) return { models: [], problems: [] };
  const known = Object.keys(MODEL_PRICES[name] ?? {});
  try {
    const { path, headers, read } = LISTINGS[name];
    const body = await fetchJson(`${urlOf(provider, env)}${path}`, headers(key, env));
    const listed = read(body).toSorted().slice(0, LISTED_MAX);
    return { models: named(name, [...new Set([...known, ...listed])]), problems: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // Nobody said that there is an Ollama here.
    const isExpected = provider.key !== null || Boolean(env[provider.baseUrl]);
    const problems = isExpected ? [`The list of ${name} could not be read: ${why}`] : [];
    return { models: named(name, known), problems };
  }
}

function named(provider: ProviderName, models: readonly string[]): readonly string[] {
  return models.map((model) => `${provider}/${model}`);
}

async function fetchJson(url: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(LIST_TIMEOUT_MS) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP ${response.status}`);
  }
  return JSON.parse(await boundedText(response));
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, sizeBytes] = ["", 0];
  const chunks = (response.body ?? []) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > LIST_BYTES_MAX) throw new Error(`more than ${LIST_BYTES_MAX} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** For a person: which one answers, which ones there are, and what each costs. */
export function modelListText(current: string, { models, problems }: ModelList): string {
  const width = Math.max(...models.map((model) => model.length));
  const lines = models.map((model) => {
    const price = priceOf(model);
    const mark = model === current ? "*" : " ";
    if (!price) return `${mark} ${model}`;
    const { input, cached, output } = price;
    return `${mark} ${model.padEnd(width)}  $${input} in, $${cached} cached, $${output} out`;
  });
  const head = `The model is ${current}. Choose one with /model NAME; prices are per million tokens.`;
  return [head, ...lines, ...problems].join("\n");
}
