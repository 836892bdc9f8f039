/** What the agent needs of a language model, whoever provides it. */
import type { Json } from "../../core/index.js";

/** The conversation as a model sees it. Calls are never parted from their results. */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly text: string }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolResultPart[] };

export type AssistantPart =
  { readonly type: "text"; readonly text: string } | ({ readonly type: "tool_call" } & ModelToolCall);

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** What the provider wants to see again with this call, such as a signature of the thoughts before it. */
  readonly metadata?: Json;
}

export interface ToolResultPart {
  readonly callId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, Json>>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDescription[];
  readonly signal: AbortSignal;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly costUsd: number | null;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | ({ readonly type: "tool_call" } & ModelToolCall)
  /** For the person: something about the answer, which is no part of it. */
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "usage"; readonly usage: ModelUsage };

export type ModelErrorCode =
  "api_req_failed" | "invalid_model" | "payment_required_prompt" | "login_required";

/** Why a stream failed; `isRetryable`: the same request may succeed a moment later. */
export class ModelError extends Error {
  override readonly name = "ModelError";

  constructor(
    message: string,
    readonly code: ModelErrorCode,
    readonly isRetryable: boolean,
  ) {
    super(message);
  }
}

export interface Model {
  /** As it is chosen: `provider/name`. */
  readonly name: string;
  /** Ends when the answer is whole; an answer that breaks off, however it does, throws a `ModelError`. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
