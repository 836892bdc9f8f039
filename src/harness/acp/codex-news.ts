/** What the Codex bridge tells of Codex beside the protocol: that its conversation failed, and that it tries again. */
import type { AcpStep } from "./acp-step.js";
import { firstTextAt, fieldAt, objectAt, textAt, type JsonObject } from "./json-fields.js";

export function takeCodexNews(step: AcpStep, codex: JsonObject): void {
  if (textAt(objectAt(codex, "threadStatus"), "type") === "systemError")
    step.set({ failing: true, failure: null });
  const error = objectAt(codex, "error");
  if (fieldAt(error, "willRetry") !== true) return;
  const [, attempt] = /(\d+)\/\d+/.exec(firstTextAt(error, ["message"]) ?? "") ?? [];
  noteRetry(step, attempt === undefined ? step.state.retries + 1 : Number(attempt));
}

/** It tries again by itself. None says when, so: about now. */
export function noteRetry(step: AcpStep, attempt: number): void {
  step.set({ retries: attempt });
  step.fact({ type: "retry_scheduled", attempt, atMs: step.nowMs });
}
