/** What providers send when something is wrong, over HTTP as they send it. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chooseModel } from "./choose-model.js";
import { ModelError, type ModelEvent, type ModelMessage } from "./model.js";
import { patientFetch } from "./patient-fetch.js";

let server: Server;
let url = "";
/** What the next request is answered with; null: only that there will be an answer. */
let reply: string | null = "";
let bodies: unknown[] = [];

beforeEach(async () => {
  bodies = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(JSON.parse(body || "null"));
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (reply === null) response.write(": wait\n\n");
      else response.end(reply);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const TOOL = {
  name: "look",
  description: "",
  inputSchema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
};

async function ask(
  model: string,
  messages: readonly ModelMessage[] = [{ role: "user", text: "go" }],
): Promise<{ readonly events: readonly ModelEvent[]; readonly error: ModelError | null }> {
  const env = {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: "key",
    OPENAI_BASE_URL: url,
    GEMINI_API_KEY: "key",
    GOOGLE_GENERATIVE_AI_BASE_URL: url,
    OPENAI_COMPATIBLE_BASE_URL: url,
  };
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  try {
    const chosen = await chooseModel(model, env);
    for await (const event of chosen.stream({ system: "", messages, tools: [TOOL], signal }))
      events.push(event);
    return { events, error: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, error };
  }
}

const ANTHROPIC = "anthropic/claude-sonnet-4-5";
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const BEGIN = data({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 1 },
  },
});
const block = (content_block: object, delta: object): string =>
  data({ type: "content_block_start", index: 0, content_block }) +
  data({ type: "content_block_delta", index: 0, delta }) +
  data({ type: "content_block_stop", index: 0 });
const HELLO = block({ type: "text", text: "" }, { type: "text_delta", text: "Hello" });
const end = (stop_reason: string): string =>
  data({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } }) +
  data({ type: "message_stop" });
const problem = (type: string, message: string): string => data({ type: "error", error: { type, message } });

const CREATED = data({ type: "response.created", response: { id: "r", created_at: 1, model: "gpt-5" } });
const FAILED = data({
  type: "response.failed",
  sequence_number: 2,
  response: { error: { code: "rate_limit_exceeded", message: "Slow down" } },
});

test.each([
  ["it is busy, at once", ANTHROPIC, problem("overloaded_error", "Busy"), "Busy (HTTP 529)", true],
  ["it is busy, after it began", ANTHROPIC, BEGIN + problem("overloaded_error", "Busy"), "Busy", true],
  ["it breaks after a word", ANTHROPIC, BEGIN + HELLO + problem("api_error", "Oh"), "Oh", true],
  ["it refuses in the middle", ANTHROPIC, BEGIN + problem("invalid_request_error", "No"), "No", false],
  ["no JSON", ANTHROPIC, `${BEGIN}data: {oops\n\n`, "JSON parsing failed", false],
  ["a page in the place of a stream", ANTHROPIC, "<html>Sign in</html>", "broke off", true],
  ["nothing at all", ANTHROPIC, "", "broke off", true],
  ["OpenAI fails", "openai/gpt-5", CREATED + FAILED, "Slow down (HTTP 429)", true],
  ["OpenAI sends no JSON", "openai/gpt-5", `${CREATED}data: {oops\n\n`, "JSON parsing failed", false],
  [
    "Google is busy",
    "google/gemini-2.5-pro",
    data({ error: { code: 503, message: "Busy", status: "UNAVAILABLE" } }),
    "Busy (HTTP 503)",
    true,
  ],
  [
    "a compatible server crashes",
    "compatible/x",
    data({ error: { message: "Crashed", type: "server_error", code: 500 } }),
    "Crashed",
    true,
  ],
])("%s", async (_what, model, sent, message, isRetryable) => {
  reply = sent;
  const { error } = await ask(model);
  expect([error?.message, error?.isRetryable]).toEqual([expect.stringContaining(message), isRetryable]);
});

test("an answer that its provider cut short says so", async () => {
  reply = BEGIN + HELLO + end("max_tokens");
  const note = (text: string): unknown => ({ type: "note", text: expect.stringContaining(text) as string });
  const { events } = await ask(ANTHROPIC);
  expect(events).toMatchObject([{ type: "text" }, note("as long as the model may"), { type: "usage" }]);
  reply = BEGIN + end("refusal");
  expect((await ask(ANTHROPIC)).events).toMatchObject([note("held back"), { type: "usage" }]);
});

test("arguments that are no JSON come as a text, and go back as an object, which providers want", async () => {
  const use = { type: "tool_use", id: "c1", name: "look", input: {} };
  reply = BEGIN + block(use, { type: "input_json_delta", partial_json: '{"at": ' }) + end("tool_use");
  const { events } = await ask(ANTHROPIC);
  const [call] = events;
  expect(call).toEqual({ type: "tool_call", id: "c1", name: "look", input: '{"at": ' });
  if (call?.type !== "tool_call") throw new Error("no call");
  await ask(ANTHROPIC, [
    { role: "user", text: "go" },
    { role: "assistant", parts: [call] },
    { role: "tool", results: [{ callId: "c1", name: "look", content: "No.", isError: true }] },
  ]);
  expect(bodies[1]).toMatchObject({
    messages: [{}, { content: [{ type: "tool_use", input: { invalid: '{"at": ' } }] }, {}],
  });
});

test("a server that falls silent is given up, before its answer and in the middle of it", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const get = patientFetch(100);
  const { port } = silent.address() as AddressInfo;
  await expect(get(`http://127.0.0.1:${port}`)).rejects.toThrow("sent nothing for 0.1 s");
  silent.closeAllConnections();
  silent.close();
  reply = null;
  const response = await get(url);
  await expect(response.text()).rejects.toThrow("sent nothing for 0.1 s");
  reply = "all of it";
  expect(await (await get(url)).text()).toBe("all of it");
});
