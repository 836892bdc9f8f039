import { expect, test } from "vitest";
import { failureOf, readable } from "./failure.js";

test.each([
  [{ code: 0, message: "plain", data: null }, "plain"],
  [{ code: 0, message: "Internal error: inner", data: null }, "inner"],
  [{ code: 0, message: "Internal error", data: { details: "inner" } }, "inner"],
  [{ code: 0, message: "Internal error", data: "inner" }, "inner"],
  [{ code: 0, message: '{"error":{"code":429,"message":"slow down"}}', data: null }, "429 slow down"],
  [{ code: 0, message: '{"message":"error 429"}', data: null }, "error 429"],
  [{ code: 0, message: "{not JSON", data: null }, "{not JSON"],
  [{ code: 0, message: '{"other":1}', data: null }, '{"other":1}'],
])("in words: %j", (error, text) => {
  expect(readable(error)).toBe(text);
});

test.each([
  ["Rate limit exceeded. Try again later.", 429, "api_req_failed"],
  ["model not found: x", -32_603, "invalid_model"],
  ["The model `x` does not exist", 404, "invalid_model"],
  ["Unknown model x", 0, "invalid_model"],
  ["Your credit balance is too low", 400, "payment_required_prompt"],
  ["anything", 402, "payment_required_prompt"],
  ["fake error 500", 0, "api_req_failed"],
] as const)("%s (%d) is %s", (message, code, ask) => {
  expect(failureOf({ code, message, data: null }, "gemini")).toEqual({ type: "ask", ask, text: message });
});

test.each([
  ["anything", -32_000],
  ["anything", 401],
  ["401 Unauthorized", -32_603],
  ["Gemini API key is missing or not configured", -32_603],
  ["Authentication failed with provider (HTTP 401)", 0],
  ["You are not logged in", 0],
])("%s (%d) needs a login", (message, code) => {
  expect(failureOf({ code, message, data: null }, "gemini")).toEqual({
    type: "login",
    text: `${message}. Log in with: gemini`,
  });
});
