/** What an agent's error means, in words for a person. */
import type { RpcError } from "../kit/json-rpc.js";
import { fieldsOf, firstTextAt, isObject, numberAt, objectAt, parseJson } from "../kit/json.js";

export type Failure =
  | { readonly type: "login"; readonly text: string }
  | {
      readonly type: "ask";
      readonly ask: "api_req_failed" | "invalid_model" | "payment_required_prompt";
      readonly text: string;
    };

/** As ACP numbers it. */
const AUTHENTICATION_REQUIRED = -32_000;

const LOGIN =
  /authentication (?:is )?(?:required|failed)|not (?:logged|signed) in|please (?:log|sign) in|(?:invalid|missing|incorrect|no) api key|api key (?:is )?(?:missing|invalid|not)/i;
const PAYMENT =
  /payment required|insufficient (?:credits?|quota|balance|funds)|credit balance|billing|out of credits/i;
const MODEL =
  /(?:unknown|invalid|unsupported) model|model\b.{0,80}?\b(?:not (?:found|exist|supported|available)|does not exist|is invalid)|model_not_found/i;

/** `login`: the command that logs in. */
export function failureOf(error: RpcError, login: string): Failure {
  const text = readable(error);
  const status = statusOf(error, text);
  if (error.code === AUTHENTICATION_REQUIRED || status === 401 || LOGIN.test(text))
    return { type: "login", text: `${text.replace(/\.?$/, ".")} Log in with: ${login}` };
  if (status === 402 || PAYMENT.test(text)) return { type: "ask", ask: "payment_required_prompt", text };
  if (MODEL.test(text)) return { type: "ask", ask: "invalid_model", text };
  return { type: "ask", ask: "api_req_failed", text };
}

/** The innermost text: agents wrap what their provider said, some as JSON within the text. */
export function readable({ message, data }: RpcError): string {
  const details = typeof data === "string" ? data : firstTextAt(fieldsOf(data), ["details", "message"]);
  const text = details ?? message.replace(/^Internal error: /, "");
  return inner(text.trim()) ?? text.trim();
}

function inner(text: string): string | null {
  if (!text.startsWith("{")) return null;
  const value = parseJson(text);
  // A text that only looks like JSON is a text.
  if (!isObject(value)) return null;
  const error = isObject(value["error"]) ? objectAt(value, "error") : value;
  const message = firstTextAt(error, ["message", "error"]);
  if (message === null) return null;
  const code = numberAt(error, "code");
  return code === null || message.includes(String(code)) ? message : `${code} ${message}`;
}

/** The provider's HTTP status, where it is told. */
function statusOf({ code }: RpcError, text: string): number | null {
  if (code >= 400 && code < 600) return code;
  const [, digits] = /(?:^|\b(?:HTTP|status|error):? )([45]\d\d)\b/i.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}
