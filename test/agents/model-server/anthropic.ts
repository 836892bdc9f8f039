/** Anthropic's Messages API. */
import { flatText, listIn, textIn, type Body, type Conversation, type Utterance } from "./conversation.js";
import type { Reply } from "./reply.js";
import { RATE_LIMITED, TOKENS, type Failure, type Frame, type Wire } from "./wire.js";

export const anthropicWire: Wire = {
  name: "anthropic",
  matches: (path) => path.endsWith("/messages"),
  read,
  whole,
  frames,
  failure,
};

function read(body: Body): Conversation {
  const utterances = listIn(body["messages"]).flatMap(utterancesOf);
  return {
    model: textIn(body["model"]),
    stream: body["stream"] === true,
    utterances,
    tools: listIn(body["tools"]).map((tool) => ({
      name: textIn(tool["name"]),
      schema: tool["input_schema"] ?? {},
      freeform: false,
    })),
    setting: [flatText(body["system"]), ...utterances.map(({ text }) => text)].join("\n"),
  };
}

function utterancesOf(message: Body): readonly Utterance[] {
  const role = message["role"] === "assistant" ? "assistant" : "user";
  const content = message["content"];
  if (typeof content === "string") return [{ role, text: content }];
  return listIn(content).flatMap((part): readonly Utterance[] => {
    if (part["type"] === "text") return [{ role, text: textIn(part["text"]) }];
    if (part["type"] === "tool_result") return [{ role: "tool", text: flatText(part["content"]) }];
    return [];
  });
}

const usage = (outputTokens: number) => ({
  input_tokens: TOKENS.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: TOKENS.cached,
  output_tokens: outputTokens,
});

const stopReason = ({ calls }: Reply) => (calls.length > 0 ? "tool_use" : "end_turn");

function messageOf({ id, model }: Reply) {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function blocksOf({ id, think, text, calls }: Reply): readonly Body[] {
  return [
    ...(think === null ? [] : [{ type: "thinking", thinking: think, signature: "c2ln" }]),
    { type: "text", text: text.join("") },
    ...calls.map((call, index) => ({
      type: "tool_use",
      id: `toolu_${id}${index}`,
      name: call.name,
      input: "input" in call ? call.input : { input: call.text },
    })),
  ];
}

function whole(reply: Reply): unknown {
  return {
    ...messageOf(reply),
    content: blocksOf(reply),
    stop_reason: stopReason(reply),
    usage: usage(TOKENS.output),
  };
}

function* frames(reply: Reply): Iterable<Frame> {
  const message = { ...messageOf(reply), content: [], stop_reason: null, usage: usage(1) };
  yield event({ type: "message_start", message });
  yield event({ type: "ping" });
  for (const [index, block] of blocksOf(reply).entries()) {
    yield event({ type: "content_block_start", index, content_block: emptied(block) });
    yield* deltas(reply, block, index);
    yield event({ type: "content_block_stop", index });
  }
  const delta = { stop_reason: stopReason(reply), stop_sequence: null };
  yield event({ type: "message_delta", delta, usage: { output_tokens: TOKENS.output } });
  yield event({ type: "message_stop" });
}

function* deltas(reply: Reply, block: Body, index: number): Iterable<Frame> {
  const delta = (fields: Body) => event({ type: "content_block_delta", index, delta: fields });
  switch (block["type"]) {
    case "thinking":
      yield { ...delta({ type: "thinking_delta", thinking: block["thinking"] }), piece: "think" };
      yield delta({ type: "signature_delta", signature: block["signature"] });
      return;
    case "text":
      for (const text of reply.text) yield { ...delta({ type: "text_delta", text }), piece: "text" };
      return;
    default:
      yield delta({ type: "input_json_delta", partial_json: JSON.stringify(block["input"]) });
  }
}

function emptied(block: Body): Body {
  if (block["type"] === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block["type"] === "text") return { type: "text", text: "" };
  return { ...block, input: {} };
}

function event(data: Body): Frame {
  return { event: textIn(data["type"]), data };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function failure({ status, message, retryAfterS }: Failure) {
  const limits: Record<string, string> =
    status === RATE_LIMITED
      ? {
          "retry-after": String(retryAfterS),
          "anthropic-ratelimit-requests-limit": "50",
          "anthropic-ratelimit-requests-remaining": "0",
        }
      : {};
  const error = { type: ERROR_TYPES[status] ?? "api_error", message };
  return { headers: limits, body: { type: "error", error } };
}
