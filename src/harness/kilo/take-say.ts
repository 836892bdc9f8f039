/** What the legacy Kilo CLI says. */
import { fieldAt, numberAt, textAt, type JsonObject } from "../acp/json-fields.js";
import { contentOf, metadataOf } from "./kilo-asks.js";
import type { KiloUsage } from "./kilo-state.js";
import type { KiloStep } from "./kilo-step.js";
import { closeCalls, idOf, showOutput } from "./take-ask.js";

/** Kinds that only repeat, or belong to its own screen. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "api_req_finished",
  "user_feedback",
  "user_feedback_diff",
  "shell_integration_warning",
]);

/** Kinds that a person may want to know of. */
const NOTICES: ReadonlySet<string> = new Set([
  "error",
  "diff_error",
  "condense_context",
  "condense_context_error",
  "subtask_result",
  "mcp_server_request_started",
  "mcp_server_response",
  "api_req_retried",
  "api_req_deleted",
  "rooignore_error",
  "codebase_search_result",
]);

export function takeSay(step: KiloStep, message: JsonObject): void {
  const say = textAt(message, "say") ?? "";
  const partial = fieldAt(message, "partial") === true;
  switch (say) {
    case "api_req_started":
      return takeRequest(step, message);
    case "text":
      // Before the first request it repeats the prompt.
      if (!step.state.requested && step.state.resume === null) return;
      write(step, "text_delta", message);
      return step.fact({ type: "say:text", partial });
    case "completion_result":
      write(step, "text_delta", message);
      return step.fact({ type: "say:completion_result", partial });
    case "reasoning":
      return write(step, "thinking_delta", message);
    case "checkpoint_saved":
      return step.fact({ type: "say:checkpoint_saved" });
    case "command_output":
      return showOutput(step, message);
    case "api_req_retry_delayed":
      return takeRetry(step, message, partial);
    default:
      if (NOTICES.has(say)) step.stream("metadata", { notice: contentOf(message), say });
      else if (!LEFT_OUT.has(say)) step.unknown("say", message);
  }
}

function write(step: KiloStep, event: "text_delta" | "thinking_delta", message: JsonObject): void {
  const text = contentOf(message);
  if (text !== "") step.stream(event, { text, replace: true }, idOf(step, message));
}

/** With counts of tokens it is no request, but what one has used. */
function takeRequest(step: KiloStep, message: JsonObject): void {
  const metadata = metadataOf(message);
  if (numberAt(metadata, "tokensIn") !== null || numberAt(metadata, "tokensOut") !== null) {
    takeUsage(step, message, metadata);
    return;
  }
  // It works on: whatever it asked has been answered, there or here.
  for (const askId of step.state.asks) step.fact({ type: "ask_closed", askId });
  closeCalls(step, []);
  const { turn, resting } = step.state;
  // Nobody told it to go on: it woke by itself.
  step.set({ requested: true, asks: [], resting: null, turn: resting === null ? turn : turn + 1 });
  step.fact({ type: "api_req_started" });
}

function takeUsage(step: KiloStep, message: JsonObject, metadata: JsonObject): void {
  const count = (key: string) => Math.max(0, numberAt(metadata, key) ?? 0);
  const now: KiloUsage = {
    id: String(numberAt(message, "timestamp")),
    inputTokens: count("tokensIn"),
    outputTokens: count("tokensOut"),
    cachedTokens: count("cacheReads"),
    costUsd: count("cost"),
  };
  const before = step.state.used?.id === now.id ? step.state.used : null;
  const more = (key: "inputTokens" | "outputTokens" | "cachedTokens" | "costUsd") =>
    Math.max(0, now[key] - (before?.[key] ?? 0));
  step.set({ used: now });
  step.outputs.push({
    type: "usage",
    usage: {
      inputTokens: more("inputTokens"),
      outputTokens: more("outputTokens"),
      cachedTokens: more("cachedTokens"),
      costUsd: numberAt(metadata, "cost") === null ? null : more("costUsd"),
    },
  });
}

/** `Retrying in 5 seconds`, counted down; told once for each attempt. */
function takeRetry(step: KiloStep, message: JsonObject, partial: boolean): void {
  const [, seconds] = /(\d+)\s*s(?:ec|\b)/i.exec(contentOf(message)) ?? [];
  if (seconds === undefined) return;
  const [, told] = /attempt\s+(\d+)/i.exec(contentOf(message)) ?? [];
  const attempt = told === undefined ? Math.max(1, step.state.retries) : Number(told);
  if (partial && attempt === step.state.retries) return;
  step.set({ retries: attempt });
  step.fact({ type: "retry_scheduled", attempt, atMs: step.nowMs + Number(seconds) * 1_000 });
}
