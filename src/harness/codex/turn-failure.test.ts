import { expect, test } from "vitest";
import type { Json } from "../../core/index.js";
import { turnFailure } from "./turns.js";

const http = (variant: string, httpStatusCode: number | null): Json => ({ [variant]: { httpStatusCode } });

const FAILURES: readonly (readonly [Json, string])[] = [
  ["usageLimitExceeded", "ask:payment_required_prompt"],
  ["sessionBudgetExceeded", "ask:payment_required_prompt"],
  [http("httpConnectionFailed", 402), "ask:payment_required_prompt"],
  ["modelNotFound", "ask:invalid_model"],
  ["tooManyDenials", "ask:mistake_limit_reached"],
  ["other", "ask:api_req_failed"],
  ["serverOverloaded", "ask:api_req_failed"],
  ["a word of a later version", "ask:api_req_failed"],
  [http("responseTooManyFailedAttempts", 429), "ask:api_req_failed"],
  [http("httpConnectionFailed", 503), "ask:api_req_failed"],
  [http("httpConnectionFailed", null), "ask:api_req_failed"],
  [null, "ask:api_req_failed"],
  [{}, "ask:api_req_failed"],
  [7, "ask:api_req_failed"],
];

test.each(FAILURES)("%j is %s", (codexErrorInfo, type) => {
  expect(turnFailure({ message: "why", codexErrorInfo }, false, "a")).toEqual({
    type,
    askId: "a",
    text: "why",
  });
});

test.each(["unauthorized", http("httpConnectionFailed", 401)])(
  "%j: nobody is logged in",
  (codexErrorInfo) => {
    expect(turnFailure({ message: "why", codexErrorInfo }, true, "a")).toEqual({
      type: "process_error",
      code: "login_required",
      error: "Codex is logged in no more: why. Run: codex login",
    });
  },
);

test("a provider with a key of its own has no login: its key is wrong", () => {
  const codexErrorInfo = http("httpConnectionFailed", 401);
  expect(turnFailure({ message: "why", codexErrorInfo }, false, "a").type).toBe("ask:api_req_failed");
});

const MESSAGES: readonly (readonly [Json | undefined, string])[] = [
  [{ message: '{"error":{"message":"too long","type":"x"}}' }, "too long"],
  [{ message: '{"detail":"other"}' }, '{"detail":"other"}'],
  [{ message: "{broken" }, "{broken"],
  [{ message: "" }, "the turn failed"],
  [undefined, "the turn failed"],
  [{ message: "x".repeat(2_010) }, `${"x".repeat(2_000)}\n… 10 more characters are not shown`],
];

test.each(MESSAGES)("%j is told as %j", (error, text) => {
  expect(turnFailure(error, false, "a")).toEqual({ type: "ask:api_req_failed", askId: "a", text });
});
