/** What Claude is told: one JSON object per line. */
import { createHash } from "node:crypto";
import type { Json } from "../../core/index.js";

/** The id of our first request: its answer says that Claude is ready. */
export const INITIALIZE_ID = "initialize";
export const INTERRUPT_ID = "interrupt";
export const CONTROL_ID = "control";

/** A call waits for the rules for as long as the daemon may be away; then it is refused, never let through. */
const HOOK_TIMEOUT_S = 24 * 60 * 60;

/** Every tool call is shown to us before it runs, also those that Claude would never ask about. */
export function initializeLine(): string {
  const guard = { hookCallbackIds: ["pre_tool_use"], timeout: HOOK_TIMEOUT_S, onFailure: "block" };
  return requestLine(INITIALIZE_ID, { subtype: "initialize", hooks: { PreToolUse: [guard] } });
}

export function requestLine(requestId: string, request: Json): string {
  return line({ type: "control_request", request_id: requestId, request });
}

export function responseLine(requestId: string, response: Json): string {
  return line({
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  });
}

export function errorLine(requestId: string, error: string): string {
  return line({ type: "control_response", response: { subtype: "error", request_id: requestId, error } });
}

export function messageLine(text: string, uuid: string): string {
  return line({ type: "user", message: { role: "user", content: [{ type: "text", text }] }, uuid });
}

/** Claude names messages by UUIDs. A message that a later run gets again is another one to Claude, or it would be skipped. */
export function uuidOf(run: number, messageId: string): string {
  const hash = createHash("sha256").update(`${run} ${messageId}`).digest("hex");
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join("-");
}

function line(message: Json): string {
  return `${JSON.stringify(message)}\n`;
}
