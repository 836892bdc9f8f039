import { expect, test } from "vitest";
import { outcomeOf } from "./turn.js";

const CALM = { failure: null, interrupt: "no" } as const;

test.each([
  [{ subtype: "success", is_error: false, result: "ok" }, { type: "done" }],
  [{}, { type: "done" }],
  [{ subtype: "success", stop_reason: "end_turn" }, { type: "done" }],
  [{ subtype: "success", stop_reason: "constructor" }, { type: "done" }],
  [
    { subtype: "success", stop_reason: "max_tokens" },
    { type: "done", ending: "max_tokens" },
  ],
  [
    { subtype: "success", stop_reason: "refusal" },
    { type: "done", ending: "refusal" },
  ],
  [
    { subtype: "success", stop_reason: "model_context_window_exceeded" },
    { type: "done", ending: "context_full" },
  ],
  [
    { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" },
    { type: "interrupted" },
  ],
  [
    { subtype: "error_during_execution", is_error: true, errors: ["it broke", 1, "twice"] },
    { type: "failed", ask: "api_req_failed", text: "it broke\ntwice" },
  ],
  [
    { subtype: "error_max_turns" },
    { type: "failed", ask: "api_req_failed", text: "Claude Code ended the turn with error_max_turns." },
  ],
  [
    { subtype: "success", is_error: true, result: "API Error: 402 pay", api_error_status: 402 },
    { type: "failed", ask: "payment_required_prompt", text: "API Error: 402 pay" },
  ],
])("%j", (result, outcome) => {
  expect(outcomeOf(result as never, CALM)).toEqual(outcome);
});

test("an error after our interrupt is the interruption", () => {
  const result = { subtype: "error_during_execution", is_error: true };
  expect(outcomeOf(result, { failure: null, interrupt: "asked" })).toEqual({ type: "interrupted" });
});

test.each([
  ["authentication_failed", { type: "login_required", text: "no" }],
  ["oauth_org_not_allowed", { type: "login_required", text: "no" }],
  ["billing_error", { type: "failed", ask: "payment_required_prompt", text: "no" }],
  ["model_not_found", { type: "failed", ask: "invalid_model", text: "no" }],
  ["rate_limit", { type: "failed", ask: "api_req_failed", text: "no" }],
  ["unheard_of", { type: "failed", ask: "api_req_failed", text: "no" }],
])("the failure %s", (failure, outcome) => {
  const result = { subtype: "success", is_error: true, result: "no" };
  expect(outcomeOf(result, { failure, interrupt: "no" })).toEqual(outcome);
});

test.each([
  ["Invalid API key · Please run /login", "login_required"],
  ["Credit balance is too low", "payment_required_prompt"],
  ["There's an issue with the selected model (x).", "invalid_model"],
  ["API Error: 500", "api_req_failed"],
])("a version that names no failure: %s", (text, kind) => {
  const outcome = outcomeOf({ subtype: "success", is_error: true, result: text }, CALM);
  expect("ask" in outcome ? outcome.ask : outcome.type).toBe(kind);
});
