/** What went wrong with a request to a model, whatever form a provider and the SDK give it. */
import { APICallError, NoOutputGeneratedError } from "ai";
import { z } from "zod";
import { ModelError, type ModelErrorCode } from "./model.js";

export const BROKE_OFF = "The model's answer broke off.";

/** In the middle of a stream an error is what the provider wrote: an object of its own. */
const problemSchema = z.object({
  message: z.string().min(1),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});
const streamedSchema = z.union([
  problemSchema,
  z.object({ error: problemSchema }).transform(({ error }) => error),
]);

const PASSES = /overloaded|rate_limit|server_error|api_error|unavailable|timeout/i;

export function toModelError(error: unknown): ModelError {
  const own = ownIn(error);
  if (own) return own;
  if (NoOutputGeneratedError.isInstance(error)) return new ModelError(BROKE_OFF, "api_req_failed", true);
  if (APICallError.isInstance(error)) {
    const { statusCode = 0, message, isRetryable } = error;
    const shown = statusCode === 0 ? message : `${message} (HTTP ${statusCode})`;
    return new ModelError(shown, codeOf(statusCode, message), isRetryable);
  }
  if (error instanceof Error) return new ModelError(error.message, "api_req_failed", false);
  const streamed = streamedSchema.safeParse(error);
  if (!streamed.success) return new ModelError(asText(error), "api_req_failed", false);
  const { message, type, code } = streamed.data;
  const passes = PASSES.test(`${type ?? ""} ${code ?? ""}`) || Number(code) === 429 || Number(code) >= 500;
  return new ModelError(message, codeOf(Number(code) || 0, message), passes);
}

/** One of ours, which the SDK may have wrapped. */
function ownIn(error: unknown): ModelError | null {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error; depth += 1) {
    if (inner instanceof ModelError) return inner;
    inner = inner.cause;
  }
  return null;
}

function asText(error: unknown): string {
  return typeof error === "string" ? error : JSON.stringify(error);
}

function codeOf(statusCode: number, message: string): ModelErrorCode {
  if (statusCode === 401 || statusCode === 403) return "login_required";
  if (statusCode === 402 || /credit balance|insufficient_quota|billing/i.test(message))
    return "payment_required_prompt";
  return statusCode === 404 ? "invalid_model" : "api_req_failed";
}
