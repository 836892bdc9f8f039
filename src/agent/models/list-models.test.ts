import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listModels, modelListText } from "./list-models.js";
import { MODEL_PRICES } from "./model-prices.js";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (response: ServerResponse, value: unknown): void => void response.end(JSON.stringify(value));
/** Nobody listens there. */
const NOBODY = "http://127.0.0.1:9";
const known = (provider: "anthropic" | "openai" | "google"): readonly string[] =>
  Object.keys(MODEL_PRICES[provider] ?? {}).map((model) => `${provider}/${model}`);

test("each provider is asked in its own way, with its own key", async () => {
  const asked: unknown[] = [];
  const url = await serve((request, response) => {
    const { "x-api-key": apiKey, authorization, "x-goog-api-key": goog } = request.headers;
    asked.push([request.url, apiKey ?? authorization ?? goog ?? null]);
    if (request.url?.startsWith("/g/"))
      json(response, {
        models: [
          { name: "models/gemini-next", supportedGenerationMethods: ["generateContent"] },
          { name: "models/embedding", supportedGenerationMethods: ["embedContent"] },
        ],
      });
    else if (request.url === "/api/tags") json(response, { models: [{ name: "llama:7b" }] });
    else
      json(response, { data: [{ id: "gpt-5" }, { id: "gpt-next" }, { id: "gpt-image-3" }, { id: "tts-1" }] });
  });
  const { models, problems } = await listModels({
    ANTHROPIC_API_KEY: "a",
    ANTHROPIC_BASE_URL: `${url}/a/`,
    OPENAI_API_KEY: "o",
    OPENAI_BASE_URL: `${url}/o`,
    GEMINI_API_KEY: "g",
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/g`,
    OPENAI_COMPATIBLE_BASE_URL: `${url}/c`,
    OPENAI_COMPATIBLE_API_KEY: "c",
    OLLAMA_HOST: url.replace("http://", ""),
  });
  expect(problems).toEqual([]);
  expect(asked.toSorted()).toEqual([
    ["/a/models?limit=100", "a"],
    ["/api/tags", null],
    ["/c/models", "Bearer c"],
    ["/g/models?pageSize=200", "g"],
    ["/o/models", "Bearer o"],
  ]);
  expect(models).toEqual([
    ...known("anthropic"),
    "anthropic/gpt-5",
    "anthropic/gpt-image-3",
    "anthropic/gpt-next",
    "anthropic/tts-1",
    ...known("openai"),
    "openai/gpt-next",
    ...known("google"),
    "google/gemini-next",
    "compatible/gpt-5",
    "compatible/gpt-image-3",
    "compatible/gpt-next",
    "compatible/tts-1",
    "ollama/llama:7b",
    "demo",
  ]);
});

test("without keys there is the demo, and nothing is complained of", async () => {
  const { models, problems } = await listModels({});
  expect([models.at(-1), problems]).toEqual(["demo", []]);
  expect(models.filter((model) => !model.startsWith("ollama/"))).toEqual(["demo"]);
});

test("a provider that cannot be reached, refuses, or sends junk or too much leaves what we know", async () => {
  const refuses = await serve((_request, response) => void response.writeHead(401).end("no"));
  const junk = await serve((_request, response) => void response.end("<html>"));
  const endless = await serve((_request, response) => {
    const more = (): void => {
      if (!response.destroyed) response.write("x".repeat(100_000), more);
    };
    more();
  });
  const { models, problems } = await listModels({
    ANTHROPIC_API_KEY: "a",
    ANTHROPIC_BASE_URL: refuses,
    OPENAI_API_KEY: "o",
    OPENAI_BASE_URL: junk,
    GEMINI_API_KEY: "g",
    GOOGLE_GENERATIVE_AI_BASE_URL: endless,
    OPENAI_COMPATIBLE_BASE_URL: NOBODY,
    OLLAMA_HOST: NOBODY,
  });
  expect(models).toEqual([...known("anthropic"), ...known("openai"), ...known("google"), "demo"]);
  expect(problems.map((problem) => problem.replace(/: .*/s, ""))).toEqual(
    ["anthropic", "openai", "google", "compatible", "ollama"].map(
      (name) => `The list of ${name} could not be read`,
    ),
  );
});

test("a person sees which one answers, and what is known of the prices", () => {
  const list = { models: ["openai/gpt-5", "ollama/llama:7b", "demo"], problems: ["A problem."] };
  expect(modelListText("demo", list)).toBe(
    [
      "The model is demo. Choose one with /model NAME; prices are per million tokens.",
      "  openai/gpt-5     $1.25 in, $0.125 cached, $10 out",
      "  ollama/llama:7b",
      "* demo",
      "A problem.",
    ].join("\n"),
  );
});
