/** Any model of the Vercel AI SDK, as the agent needs it. */
import {
  jsonSchema,
  streamText,
  tool,
  type FinishReason,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage as SdkMessage,
  type ToolSet,
  type TypedToolCall,
} from "ai";
import type { Json } from "../../core/index.js";
import { BROKE_OFF, toModelError } from "./model-failure.js";
import { costUsd } from "./model-prices.js";
import {
  ModelError,
  type AssistantPart,
  type Model,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
  type ToolDescription,
} from "./model.js";

export class AiSdkModel implements Model {
  constructor(
    readonly name: string,
    private readonly model: LanguageModel,
  ) {}

  async *stream({ system, messages, tools, signal }: ModelRequest): AsyncIterable<ModelEvent> {
    const { fullStream } = streamText({
      model: this.model,
      system,
      messages: messages.map(toSdk),
      tools: toolSet(tools),
      abortSignal: signal,
      // We retry ourselves, and show it.
      maxRetries: 0,
      // What goes wrong comes through the stream.
      onError: () => undefined,
    });
    let isWhole = false;
    for await (const part of fullStream) {
      switch (part.type) {
        case "text-delta":
        case "reasoning-delta":
          // A piece without words carries a signature, or nothing.
          if (part.text !== "")
            yield { type: part.type === "text-delta" ? "text" : "thinking", text: part.text };
          break;
        case "tool-call":
          yield callOf(part);
          break;
        case "error":
          throw toModelError(part.error);
        case "finish": {
          isWhole = !endsEarly(part);
          const note = CUT_SHORT[part.finishReason];
          if (note !== undefined) yield { type: "note", text: note };
          yield { type: "usage", usage: usageOf(this.name, part.totalUsage) };
          break;
        }
        // The rest says how the answer is put together, which the parts above already tell.
        default:
      }
    }
    if (!isWhole && !signal.aborted) throw new ModelError(BROKE_OFF, "api_req_failed", true);
  }
}

/** Answers that are whole to their provider, and not to a person. */
const CUT_SHORT: Readonly<Partial<Record<FinishReason, string>>> = {
  length: "The answer ends here because it is as long as the model may make it.",
  "content-filter": "The model's provider held back the answer, or the rest of it.",
};

/** All input counts as such, whether it was cached or not. */
function usageOf(name: string, used: LanguageModelUsage): ModelUsage {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = used;
  const { cacheReadTokens: cachedTokens = 0, cacheWriteTokens: cacheWrite = 0 } = inputTokenDetails;
  const tokens = { input: inputTokens, cached: cachedTokens, cacheWrite, output: outputTokens };
  return { inputTokens, outputTokens, cachedTokens, costUsd: costUsd(name, tokens) };
}

/** A stream that ends without its provider's own end comes as `other`, and no reason with it. */
function endsEarly(finish: {
  readonly finishReason: FinishReason;
  readonly rawFinishReason: string | undefined;
}): boolean {
  const { finishReason, rawFinishReason } = finish;
  return finishReason === "error" || (finishReason === "other" && rawFinishReason === undefined);
}

function toSdk(message: ModelMessage): SdkMessage {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.text };
    case "assistant":
      return { role: "assistant", content: message.parts.map(toSdkPart) };
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ callId, name, content, isError }) => ({
          type: "tool-result",
          toolCallId: callId,
          toolName: name,
          output: { type: isError ? "error-text" : "text", value: content },
        })),
      };
  }
}

type SdkPart = Exclude<Extract<SdkMessage, { role: "assistant" }>["content"], string>[number];

function toSdkPart(part: AssistantPart): SdkPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { id: toolCallId, name: toolName, input, metadata } = part;
  // It is as this same SDK gave it.
  const options = metadata === undefined ? {} : { providerOptions: metadata as unknown as ProviderOptions };
  // Arguments that were no JSON come as a text, which providers refuse to see again.
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: isObject ? input : { invalid: input },
    ...options,
  };
}

type ProviderOptions = NonNullable<Extract<SdkPart, { type: "tool-call" }>["providerOptions"]>;

function callOf(part: TypedToolCall<ToolSet>): Extract<ModelEvent, { readonly type: "tool_call" }> {
  const { toolCallId: id, toolName: name, input, providerMetadata } = part;
  // Gemini signs its calls and refuses them unsigned. OpenAI's ids are left out: they would lead to items of its own
  // store, and want the reasoning beside them.
  const signed = providerMetadata?.["google"];
  const metadata = signed === undefined ? {} : { metadata: { google: signed as unknown as Json } };
  // It came as JSON.
  return { type: "tool_call", id, name, input: input as Json, ...metadata };
}

/** Without `execute`: every call comes to us. */
function toolSet(tools: readonly ToolDescription[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}
