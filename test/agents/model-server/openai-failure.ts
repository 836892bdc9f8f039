/** How OpenAI says that a request failed; the same in both of its APIs. */
import { RATE_LIMITED, type Failure } from "./wire.js";

const SERVER_FAULT = 500;

export function openAiFailure({ status, message, retryAfterS }: Failure): {
  headers: Readonly<Record<string, string>>;
  body: unknown;
} {
  if (status === RATE_LIMITED) {
    return {
      headers: {
        "retry-after": String(retryAfterS),
        "x-ratelimit-limit-requests": "50",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": `${retryAfterS}s`,
      },
      body: { error: { message, type: "requests", param: null, code: "rate_limit_exceeded" } },
    };
  }
  const isOurs = status >= SERVER_FAULT;
  const type = isOurs ? "server_error" : "invalid_request_error";
  return {
    headers: {},
    body: { error: { message, type, param: null, code: isOurs ? "server_error" : "invalid_value" } },
  };
}
