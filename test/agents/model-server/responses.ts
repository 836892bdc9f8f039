/** OpenAI's Responses API. */
import {
  flatText,
  listIn,
  textIn,
  type Body,
  type Conversation,
  type OfferedTool,
  type ToolSchema,
  type Utterance,
} from "./conversation.js";
import { openAiFailure } from "./openai-failure.js";
import type { Reply } from "./reply.js";
import { CREATED_S, TOKENS, type Frame, type Wire } from "./wire.js";

export const responsesWire: Wire = {
  name: "responses",
  matches: (path) => path.endsWith("/responses"),
  read,
  whole: (reply) => responseOf(reply, "completed", itemsOf(reply)),
  frames,
  failure: openAiFailure,
};

function read(body: Body): Conversation {
  const { input } = body as { input?: unknown };
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listIn(input);
  return {
    model: textIn(body["model"]),
    stream: body["stream"] === true,
    utterances: items.flatMap(utterancesOf),
    tools: listIn(body["tools"]).flatMap(toolsIn),
    setting: [textIn(body["instructions"]), ...items.map((item) => flatText(item["content"]))].join("\n"),
  };
}

function utterancesOf(item: Body): readonly Utterance[] {
  const { type, role } = item as { type?: unknown; role?: unknown };
  if (textIn(type).endsWith("_call_output")) return [{ role: "tool", text: flatText(item["output"]) }];
  if (type !== undefined && type !== "message") return [];
  return role === "user" || role === "assistant" ? [{ role, text: flatText(item["content"]) }] : [];
}

function toolsIn(tool: Body): readonly OfferedTool[] {
  const name = textIn(tool["name"]) || textIn(tool["type"]);
  if (tool["type"] === "namespace") {
    return listIn(tool["tools"])
      .flatMap(toolsIn)
      .map((inner) => ({ ...inner, namespace: name }));
  }
  const schema = (tool["parameters"] ?? {}) as ToolSchema;
  return [{ name, schema, freeform: tool["type"] === "custom" }];
}

const USAGE = {
  input_tokens: TOKENS.input,
  input_tokens_details: { cached_tokens: TOKENS.cached },
  output_tokens: TOKENS.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: TOKENS.input + TOKENS.output,
};

function responseOf(
  { id, model }: Reply,
  status: "in_progress" | "completed",
  output: readonly Body[],
): Body {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: CREATED_S,
    status,
    model,
    output,
    usage: status === "completed" ? USAGE : null,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
}

/** The finished items of the output, in order. */
function itemsOf({ id, think, text, calls }: Reply): readonly Body[] {
  const reasoning = {
    type: "reasoning",
    id: `rs_${id}`,
    summary: [{ type: "summary_text", text: think ?? "" }],
    encrypted_content: "eA==",
  };
  const message = {
    type: "message",
    id: `msg_${id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: text.join(""), annotations: [] }],
  };
  const toolCalls = calls.map(({ name, namespace, ...call }, index) => {
    const named = { call_id: `call_${id}${index}`, name, ...(namespace === undefined ? {} : { namespace }) };
    return "input" in call
      ? {
          type: "function_call",
          id: `fc_${id}${index}`,
          ...named,
          arguments: JSON.stringify(call.input),
          status: "completed",
        }
      : {
          type: "custom_tool_call",
          id: `ctc_${id}${index}`,
          ...named,
          input: call.text,
          status: "completed",
        };
  });
  return [...(think === null ? [] : [reasoning]), message, ...toolCalls];
}

function* frames(reply: Reply): Iterable<Frame> {
  let sequence = 0;
  const event = (type: string, fields: Body): Frame => ({
    event: type,
    data: { type, ...fields, sequence_number: sequence++ },
  });
  const begun = responseOf(reply, "in_progress", []);
  yield event("response.created", { response: begun });
  yield event("response.in_progress", { response: begun });
  const items = itemsOf(reply);
  for (const [index, item] of items.entries()) {
    const at = { item_id: item["id"], output_index: index };
    yield event("response.output_item.added", { output_index: index, item: opened(item) });
    for (const [type, fields, piece] of contentOf(item, reply)) {
      const frame = event(type, { ...at, ...fields });
      yield piece === undefined ? frame : { ...frame, piece };
    }
    yield event("response.output_item.done", { output_index: index, item });
  }
  yield event("response.completed", { response: responseOf(reply, "completed", items) });
}

type Content = readonly [type: string, fields: Body, piece?: "think" | "text"];

function* contentOf(item: Body, reply: Reply): Iterable<Content> {
  switch (item["type"]) {
    case "reasoning": {
      const at = { summary_index: 0 };
      const part = (text: string) => ({ ...at, part: { type: "summary_text", text } });
      const think = reply.think ?? "";
      yield ["response.reasoning_summary_part.added", part("")];
      yield ["response.reasoning_summary_text.delta", { ...at, delta: think }, "think"];
      yield ["response.reasoning_summary_text.done", { ...at, text: think }];
      yield ["response.reasoning_summary_part.done", part(think)];
      return;
    }
    case "message": {
      const at = { content_index: 0 };
      const part = (text: string) => ({ ...at, part: { type: "output_text", text, annotations: [] } });
      yield ["response.content_part.added", part("")];
      for (const delta of reply.text) yield ["response.output_text.delta", { ...at, delta }, "text"];
      yield ["response.output_text.done", { ...at, text: reply.text.join("") }];
      yield ["response.content_part.done", part(reply.text.join(""))];
      return;
    }
    case "function_call":
      yield ["response.function_call_arguments.delta", { delta: item["arguments"] }];
      yield ["response.function_call_arguments.done", { arguments: item["arguments"] }];
      return;
    default:
      yield ["response.custom_tool_call_input.delta", { delta: item["input"] }];
      yield ["response.custom_tool_call_input.done", { input: item["input"] }];
  }
}

/** The item before anything of it has come. */
function opened(item: Body): Body {
  switch (item["type"]) {
    case "reasoning":
      return { type: "reasoning", id: item["id"], summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    default:
      return { ...item, status: "in_progress", input: "" };
  }
}
