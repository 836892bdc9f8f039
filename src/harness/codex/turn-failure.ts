/** Why a turn failed, as the session machine knows it. */
import type { Json, SessionFact } from "../../core/index.js";
import { cut } from "../cut.js";
import { parseJson } from "../parse-json.js";
import { asFields, asNumber, asText } from "./read-json.js";

const MESSAGE_LENGTH_MAX = 2_000;
export const LOGIN_COMMAND = "codex login";

/** `error`: Codex's TurnError. */
export function turnFailure(error: Json | undefined, needsLogin: boolean, askId: string): SessionFact {
  const text = errorMessage(error);
  const { code, httpStatus } = errorInfo(error);
  if (needsLogin && (code === "unauthorized" || httpStatus === 401))
    return loginRequired(`Codex is logged in no more: ${text}`);
  switch (code) {
    case "usageLimitExceeded":
    case "sessionBudgetExceeded":
      return { type: "ask:payment_required_prompt", askId, text };
    case "modelNotFound":
      return { type: "ask:invalid_model", askId, text };
    case "tooManyDenials":
      return { type: "ask:mistake_limit_reached", askId, text };
    default:
      return httpStatus === 402
        ? { type: "ask:payment_required_prompt", askId, text }
        : { type: "ask:api_req_failed", askId, text };
  }
}

export function loginRequired(problem: string): SessionFact {
  return { type: "process_error", code: "login_required", error: `${problem}. Run: ${LOGIN_COMMAND}` };
}

/** A provider's answer may be handed through as the JSON that it was. */
export function errorMessage(error: Json | undefined): string {
  const message = asText(asFields(error)["message"]) ?? "the turn failed";
  const inner = message.startsWith("{") ? innerMessage(message) : null;
  return cut(inner ?? message, MESSAGE_LENGTH_MAX);
}

function innerMessage(message: string): string | null {
  return asText(asFields(asFields(parseJson(message))["error"])["message"]);
}

/** A word, or an object with that word as its only key. */
function errorInfo(error: Json | undefined): {
  readonly code: string | null;
  readonly httpStatus: number | null;
} {
  const info = asFields(error)["codexErrorInfo"];
  if (typeof info === "string") return { code: info, httpStatus: null };
  const [code = null] = Object.keys(asFields(info));
  const httpStatus = code === null ? null : asNumber(asFields(asFields(info)[code])["httpStatusCode"]);
  return { code, httpStatus };
}
