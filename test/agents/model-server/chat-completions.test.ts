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
    type: "function",
    function: { name: "bash", parameters: { properties: { command: {} }, required: ["command"] } },
  },
];
const request = (messages: readonly object[], stream: boolean) => ({ model: "m", messages, tools, stream });
const system = { role: "system", content: "An agent's prompt, which may show [[text:an example]]." };
const user = (content: unknown) => ({ role: "user", content });
const usage = {
  prompt_tokens: 1_200,
  completion_tokens: 25,
  total_tokens: 1_225,
  prompt_tokens_details: { cached_tokens: 800 },
};
const call = {
  index: 0,
  id: "call_sb10",
  type: "function",
  function: { name: "bash", arguments: '{"command":"ls"}' },
};

test("a stream: thinking, text and a tool call", async () => {
  const prompt = user([{ type: "text", text: "[[think:hm]] [[shell:ls]]" }]);
  const { events } = await ask(`${server.url}/v1/chat/completions`, request([system, prompt], true));
  const base = { id: "chatcmpl-sb1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" };
  const delta = (fields: object, finish_reason: string | null = null) => ({
    data: { ...base, choices: [{ index: 0, delta: fields, finish_reason }] },
  });
  expect(events).toEqual([
    delta({ role: "assistant", content: "" }),
    delta({ reasoning_content: "hm" }),
    delta({ content: "I will us" }),
    delta({ content: "e a tool." }),
    delta({ tool_calls: [call] }),
    delta({}, "tool_calls"),
    { data: { ...base, choices: [], usage } },
    { data: "[DONE]" },
  ]);
});

test("a whole answer, after a tool's result", async () => {
  const messages = [
    system,
    user("[[shell:ls]] [[text:done]]"),
    { role: "tool", tool_call_id: "x", content: "a" },
  ];
  const { json } = await ask(`${server.url}/v1/chat/completions`, request(messages, false));
  expect(json).toEqual({
    id: "chatcmpl-sb2",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
    usage,
  });
});

test("failures, and a rate limit with its headers", async () => {
  const failed = (text: string) => ask(`${server.url}/v1/chat/completions`, request([user(text)], true));
  const invalid = { type: "invalid_request_error", param: null, code: "invalid_value" };
  expect(await failed("[[error:400]]")).toMatchObject({
    status: 400,
    json: { error: { message: "scripted failure 400", ...invalid } },
  });
  const limited = await failed("[[error:429]]");
  expect(limited).toMatchObject({ status: 429, json: { error: { code: "rate_limit_exceeded" } } });
  expect(limited.headers.get("retry-after")).toBe("1");
  expect(limited.headers.get("x-ratelimit-remaining-requests")).toBe("0");
});
