import { afterAll, beforeAll, expect, test } from "vitest";
import { ModelServer } from "./model-server.js";
import { ask } from "./read-stream.js";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

const tools = [
  { name: "Bash", input_schema: { properties: { command: { type: "string" } }, required: ["command"] } },
];
const request = (text: string, more: object = {}) => ({
  model: "m",
  system: [{ type: "text", text: "You are an agent." }],
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  tools,
  stream: true,
  ...more,
});

test("a stream: thinking, text and a tool call", async () => {
  const { status, events } = await ask(
    `${server.url}/v1/messages?beta=true`,
    request("[[think:hm]] [[shell:ls]]"),
  );
  const usage = {
    input_tokens: 1_200,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 800,
    output_tokens: 1,
  };
  const base = { id: "msg_sb1", type: "message", role: "assistant", model: "m", stop_sequence: null };
  const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
  const data = [
    { type: "message_start", message: { ...base, content: [], stop_reason: null, usage } },
    { type: "ping" },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    delta(0, { type: "signature_delta", signature: "c2ln" }),
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    delta(1, { type: "text_delta", text: "I will us" }),
    delta(1, { type: "text_delta", text: "e a tool." }),
    { type: "content_block_stop", index: 1 },
    {
      type: "content_block_start",
      index: 2,
      content_block: { type: "tool_use", id: "toolu_sb10", name: "Bash", input: {} },
    },
    delta(2, { type: "input_json_delta", partial_json: '{"command":"ls"}' }),
    { type: "content_block_stop", index: 2 },
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 25 },
    },
    { type: "message_stop" },
  ];
  expect({ status, events }).toEqual({
    status: 200,
    events: data.map((each) => ({ event: each.type, data: each })),
  });
});

test("a whole answer, after a tool's result", async () => {
  const messages = [
    { role: "user", content: "[[shell:ls]] [[text:done]]" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "a" }] }],
    },
  ];
  const { json } = await ask(`${server.url}/v1/messages`, request("", { messages, stream: false }));
  expect(json).toMatchObject({ content: [{ type: "text", text: "done" }], stop_reason: "end_turn" });
});

test("failures, and a rate limit with its headers", async () => {
  const failed = async (text: string) => {
    const { status, headers, json } = await ask(`${server.url}/v1/messages`, request(text));
    return { status, retryAfter: headers.get("retry-after"), json };
  };
  const problem = (type: string, status: number) => ({
    type: "error",
    error: { type, message: `scripted failure ${status}` },
  });
  expect(await failed("[[error:529]]")).toEqual({
    status: 529,
    retryAfter: null,
    json: problem("overloaded_error", 529),
  });
  expect(await failed("[[error:500]]")).toEqual({
    status: 500,
    retryAfter: null,
    json: problem("api_error", 500),
  });
  expect(await failed("[[errorn:1:429]] [[text:x]]")).toEqual({
    status: 429,
    retryAfter: "1",
    json: problem("rate_limit_error", 429),
  });
  expect((await ask(`${server.url}/v1/messages`, request("[[errorn:1:429]] [[text:x]]"))).status).toBe(200);
});

test("how many tokens, and which models", async () => {
  expect((await ask(`${server.url}/v1/messages/count_tokens`, request("x"))).json).toEqual({
    input_tokens: 1_200,
  });
  const models = (await (await fetch(`${server.url}/v1/models`)).json()) as {
    readonly data: readonly { readonly id: string }[];
  };
  expect(models.data.map(({ id }) => id)).toEqual(["signalbox-scripted"]);
});
