import type { Ending } from "../../core/index.js";
import type { ClaudeState, Outcome } from "./claude-state.js";
import { idAt, listAt, numberAt, textAt, type WireObject } from "./wire-object.js";

const MESSAGE_LENGTH_MAX = 10_000;

/** How a turn ended, by its `result`. An error of the model's API comes as a success that is an error. */
export function outcomeOf(result: WireObject, state: Pick<ClaudeState, "failure" | "interrupt">): Outcome {
  const subtype = idAt(result, "subtype") ?? "";
  const isError = result["is_error"] === true || subtype.startsWith("error");
  if (!isError) return { type: "done", ...endingOf(textAt(result, "stop_reason")) };
  if (isAborted(result, subtype, state.interrupt !== "no")) return { type: "interrupted" };
  const text = messageOf(result, subtype);
  if (isLogin(state.failure, text)) return { type: "login_required", text };
  return { type: "failed", ask: failureOf(result, state.failure, text), text };
}

/** Why the model stopped, where that is short of what was asked. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  max_tokens: "max_tokens",
  refusal: "refusal",
  model_context_window_exceeded: "context_full",
};

function endingOf(stopReason: string | null): { readonly ending?: Ending } {
  const ending = stopReason !== null && Object.hasOwn(ENDINGS, stopReason) ? ENDINGS[stopReason] : undefined;
  return ending === undefined ? {} : { ending };
}

function isAborted(result: WireObject, subtype: string, wasAsked: boolean): boolean {
  const reason = textAt(result, "terminal_reason") ?? "";
  return reason.startsWith("aborted") || (wasAsked && subtype === "error_during_execution");
}

function messageOf(result: WireObject, subtype: string): string {
  const errors = listAt(result, "errors").filter((error) => typeof error === "string");
  const text = textAt(result, "result") ?? errors.join("\n");
  return text === "" ? `Claude Code ended the turn with ${subtype}.` : text.slice(0, MESSAGE_LENGTH_MAX);
}

/** Versions that do not name the kind of error are known by their words. */
function isLogin(failure: string | null, text: string): boolean {
  if (failure === "authentication_failed" || failure === "oauth_org_not_allowed") return true;
  return failure === null && /please run \/login|invalid api key|not logged in/i.test(text);
}

function failureOf(
  result: WireObject,
  failure: string | null,
  text: string,
): Extract<Outcome, { readonly type: "failed" }>["ask"] {
  if (failure === "model_not_found") return "invalid_model";
  const isBilling = failure === "billing_error" || textAt(result, "api_error_type") === "billing_error";
  if (isBilling || numberAt(result, "api_error_status") === 402) return "payment_required_prompt";
  if (failure !== null) return "api_req_failed";
  if (/credit balance is too low/i.test(text)) return "payment_required_prompt";
  return /issue with the selected model/i.test(text) ? "invalid_model" : "api_req_failed";
}
