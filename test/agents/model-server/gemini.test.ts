import { afterAll, beforeAll, expect, test } from "vitest";
import { ModelServer } from "./model-server.js";
import { ask } from "./read-stream.js";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

const tools = [
  {
    functionDeclarations: [
      {
        name: "run_shell_command",
        parametersJsonSchema: { properties: { command: {} }, required: ["command"] },
      },
    ],
  },
];
const user = (text: string) => ({ role: "user", parts: [{ text }] });
const url = (call: string) => `${server.url}/v1beta/models/some-model:${call}`;
const chunk = (id: string, parts: readonly object[], last = false) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(last ? { finishReason: "STOP" } : {}) }],
  usageMetadata: {
    promptTokenCount: 1_200,
    cachedContentTokenCount: 800,
    candidatesTokenCount: 25,
    totalTokenCount: 1_225,
  },
  modelVersion: "some-model",
  responseId: id,
});

test("a stream: thinking, text and a tool call", async () => {
  const contents = [user("[[think:hm]] [[shell:ls]]")];
  const { events } = await ask(`${url("streamGenerateContent")}?alt=sse`, { contents, tools });
  const functionCall = { id: "call_sb10", name: "run_shell_command", args: { command: "ls" } };
  expect(events).toEqual([
    { data: chunk("sb1", [{ text: "hm", thought: true }]) },
    { data: chunk("sb1", [{ text: "I will us" }]) },
    { data: chunk("sb1", [{ text: "e a tool." }]) },
    { data: chunk("sb1", [{ thoughtSignature: "signed-sb1", functionCall }], true) },
  ]);
});

test("a whole answer, after a tool's result", async () => {
  const result = { role: "user", parts: [{ functionResponse: { name: "x", response: { output: "a" } } }] };
  const contents = [user("[[shell:ls]] [[text:done]]"), result];
  const { json } = await ask(url("generateContent"), { contents, tools });
  expect(json).toEqual(chunk("sb2", [{ text: "done" }], true));
});

test("an answer that must be JSON", async () => {
  const generationConfig = {
    responseMimeType: "application/json",
    responseJsonSchema: { properties: { choice: { type: "string", enum: ["flash"] } } },
  };
  const { json } = await ask(url("generateContent"), {
    contents: [user("[[hang]]")],
    tools,
    generationConfig,
  });
  expect(json).toEqual(chunk("sb3", [{ text: '{"choice":"flash"}' }], true));
});

test("failures, and a rate limit that says when to try again", async () => {
  const failed = (text: string) => ask(url("streamGenerateContent"), { contents: [user(text)], tools });
  const error = { code: 400, message: "scripted failure 400", status: "INVALID_ARGUMENT" };
  expect(await failed("[[error:400]]")).toMatchObject({ status: 400, json: { error } });
  const limited = await failed("[[error:429]]");
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1s" };
  expect(limited.json).toEqual({
    error: { code: 429, message: "scripted failure 429", status: "RESOURCE_EXHAUSTED", details: [retry] },
  });
  expect(limited.headers.get("retry-after")).toBe("1");
});

test("how many tokens", async () => {
  expect((await ask(url("countTokens"), { contents: [] })).json).toEqual({ totalTokens: 1_200 });
});
