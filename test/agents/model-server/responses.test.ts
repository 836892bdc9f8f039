import { afterAll, beforeAll, expect, test } from "vitest";
import { ModelServer } from "./model-server.js";
import { ask } from "./read-stream.js";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

const tools = [
  { type: "function", name: "exec_command", parameters: { properties: { cmd: {} }, required: ["cmd"] } },
  { type: "custom", name: "apply_patch" },
  { type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn", parameters: {} }] },
];
const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
});
const request = (input: unknown, stream = true) => ({
  model: "m",
  instructions: "Be.",
  input,
  tools,
  stream,
});

interface Data {
  readonly type: string;
  readonly sequence_number: number;
  readonly item?: { readonly type: string };
}

const text = "I will use a tool.";
const reasoning = {
  type: "reasoning",
  id: "rs_sb1",
  summary: [{ type: "summary_text", text: "hm" }],
  encrypted_content: "eA==",
};
const said = {
  type: "message",
  id: "msg_sb1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
};
const call = {
  type: "function_call",
  id: "fc_sb10",
  call_id: "call_sb10",
  name: "exec_command",
  arguments: '{"cmd":"ls"}',
  status: "completed",
};

test("a stream: thinking, text and a tool call", async () => {
  const { events } = await ask(
    `${server.url}/v1/responses`,
    request([message("user", "[[think:hm]] [[shell:ls]]")]),
  );
  const data = events.map((event) => event.data as Data);
  expect(events.map(({ event }) => event)).toEqual(data.map(({ type }) => type));
  expect(data.map(({ sequence_number }) => sequence_number)).toEqual(data.map((_, index) => index));
  const rest = data.slice(2, -1).map(({ sequence_number: _, ...fields }) => fields);
  const at = (item_id: string, output_index: number, more: object) => ({ item_id, output_index, ...more });
  const summary = (type: string, more: object) => ({
    type,
    ...at("rs_sb1", 0, { summary_index: 0, ...more }),
  });
  const content = (type: string, more: object) => ({
    type,
    ...at("msg_sb1", 1, { content_index: 0, ...more }),
  });
  const part = (words: string) => ({ part: { type: "output_text", text: words, annotations: [] } });
  expect(rest).toEqual([
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", id: "rs_sb1", summary: [] },
    },
    summary("response.reasoning_summary_part.added", { part: { type: "summary_text", text: "" } }),
    summary("response.reasoning_summary_text.delta", { delta: "hm" }),
    summary("response.reasoning_summary_text.done", { text: "hm" }),
    summary("response.reasoning_summary_part.done", { part: { type: "summary_text", text: "hm" } }),
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { ...said, status: "in_progress", content: [] },
    },
    content("response.content_part.added", part("")),
    content("response.output_text.delta", { delta: "I will us" }),
    content("response.output_text.delta", { delta: "e a tool." }),
    content("response.output_text.done", { text }),
    content("response.content_part.done", part(text)),
    { type: "response.output_item.done", output_index: 1, item: said },
    {
      type: "response.output_item.added",
      output_index: 2,
      item: { ...call, status: "in_progress", arguments: "" },
    },
    { type: "response.function_call_arguments.delta", ...at("fc_sb10", 2, { delta: call.arguments }) },
    { type: "response.function_call_arguments.done", ...at("fc_sb10", 2, { arguments: call.arguments }) },
    { type: "response.output_item.done", output_index: 2, item: call },
  ]);
  expect(data[0]).toMatchObject({
    type: "response.created",
    response: { status: "in_progress", output: [] },
  });
  expect(data.at(-1)).toMatchObject({
    type: "response.completed",
    response: {
      id: "resp_sb1",
      status: "completed",
      output: [reasoning, said, call],
      usage: { total_tokens: 1_225 },
    },
  });
});

test("tools that take text, tools of a group, and what their results are called", async () => {
  const prompt = message("user", '[[write:a=b]] [[tool:spawn={"n":1}]] [[text:done]]');
  const patched = { type: "custom_tool_call_output", call_id: "c1", output: "ok" };
  const spawned = { type: "function_call_output", call_id: "c2", output: "ok" };
  const items = async (...more: readonly object[]) => {
    const { json } = await ask(`${server.url}/v1/responses`, request([prompt, ...more], false));
    return (json as { readonly output: readonly object[] }).output.at(-1);
  };
  const patch = "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n";
  expect(await items()).toMatchObject({ type: "custom_tool_call", name: "apply_patch", input: patch });
  expect(await items(patched)).toMatchObject({ type: "function_call", name: "spawn", namespace: "agents" });
  expect(await items(patched, spawned)).toMatchObject({ content: [{ text: "done" }] });
});

test("failures, and a rate limit with its headers", async () => {
  const failed = (text: string) => ask(`${server.url}/v1/responses`, request(text));
  expect(await failed("[[error:503]]")).toMatchObject({
    status: 503,
    json: { error: { type: "server_error" } },
  });
  const limited = await failed("[[error:429]]");
  expect(limited.json).toMatchObject({ error: { code: "rate_limit_exceeded" } });
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
});
