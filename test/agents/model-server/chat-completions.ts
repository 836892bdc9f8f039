/** OpenAI's chat completions, which many servers and agents speak. */
import {
  flatText,
  isBody,
  listIn,
  textIn,
  type Body,
  type Conversation,
  type Utterance,
} from "./conversation.js";
import { openAiFailure } from "./openai-failure.js";
import type { Reply } from "./reply.js";
import { CREATED_S, TOKENS, type Frame, type Wire } from "./wire.js";

export const chatCompletionsWire: Wire = {
  name: "chat-completions",
  matches: (path) => path.endsWith("/chat/completions"),
  read,
  whole,
  frames,
  failure: openAiFailure,
};

const SETTING_ROLES: readonly unknown[] = ["system", "developer"];

function read(body: Body): Conversation {
  const messages = listIn(body["messages"]);
  return {
    model: textIn(body["model"]),
    stream: body["stream"] === true,
    utterances: messages.filter((message) => !SETTING_ROLES.includes(message["role"])).map(utteranceOf),
    tools: listIn(body["tools"]).map((tool) => {
      const offered = isBody(tool["function"]) ? tool["function"] : tool;
      return {
        name: textIn(offered["name"]),
        schema: offered["parameters"] ?? {},
        freeform: false,
      };
    }),
    setting: messages.map((message) => flatText(message["content"])).join("\n"),
  };
}

function utteranceOf(message: Body): Utterance {
  const { role, content } = message as { role?: unknown; content?: unknown };
  const isKnown = role === "assistant" || role === "tool";
  return { role: isKnown ? role : "user", text: flatText(content) };
}

const USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
  prompt_tokens_details: { cached_tokens: TOKENS.cached },
};

const finishReason = ({ calls }: Reply) => (calls.length > 0 ? "tool_calls" : "stop");

function toolCalls({ id, calls }: Reply): readonly Body[] {
  return calls.map((call, index) => ({
    index,
    id: `call_${id}${index}`,
    type: "function",
    function: {
      name: call.name,
      arguments: JSON.stringify("input" in call ? call.input : { input: call.text }),
    },
  }));
}

function whole(reply: Reply): unknown {
  const calls = toolCalls(reply);
  const message = {
    role: "assistant",
    content: reply.text.join(""),
    ...(reply.think === null ? {} : { reasoning_content: reply.think }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: `chatcmpl-${reply.id}`,
    object: "chat.completion",
    created: CREATED_S,
    model: reply.model,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    usage: USAGE,
  };
}

function* frames(reply: Reply): Iterable<Frame> {
  const base = {
    id: `chatcmpl-${reply.id}`,
    object: "chat.completion.chunk",
    created: CREATED_S,
    model: reply.model,
  };
  const delta = (fields: Body, finish: string | null = null): Frame => ({
    data: { ...base, choices: [{ index: 0, delta: fields, finish_reason: finish }] },
  });
  yield delta({ role: "assistant", content: "" });
  if (reply.think !== null) yield { ...delta({ reasoning_content: reply.think }), piece: "think" };
  for (const content of reply.text) yield { ...delta({ content }), piece: "text" };
  for (const call of toolCalls(reply)) yield delta({ tool_calls: [call] });
  yield delta({}, finishReason(reply));
  yield { data: { ...base, choices: [], usage: USAGE } };
  yield { data: "[DONE]" };
}
