/**
 * Work between two turns. The bridge of Claude Code goes on by itself when something in the background has ended: it then
 * writes and calls tools without a prompt, and tells with its usage that this is over. Qwen Code (since 0.24) asks whether
 * it may, `_qwencode/start_turn`, and tells the end, `_qwencode/end_turn`.
 */
import type { AcpStep } from "./acp-step.js";
import type { RpcId } from "../json-rpc/rpc-message.js";
import { objectAt, textAt, type JsonObject } from "./json-fields.js";
import { closeCalls } from "./tool-calls.js";
import { beginTurn, ping } from "./turn.js";

export const WAKE = "wake";

/** It writes, or calls a tool. Of an agent that would not tell the end of it, nothing is made of that. */
export function noteWork(step: AcpStep): void {
  if (step.agent.quirks.tellsWakes === true) wake(step);
}

/** It says so itself. */
export function wake(step: AcpStep): void {
  const { turnOpen, isAwake, wakes } = step.state;
  if (turnOpen || isAwake) return;
  step.set({ isAwake: true, wakes: wakes + 1, cancelled: false });
  step.fact({ type: "api_req_started" });
}

/** It asks first. A prompt of ours comes before it: refused, it asks again later. */
export function admitWake(step: AcpStep, id: RpcId): void {
  const { turnOpen } = step.state;
  step.respond(id, { accepted: !turnOpen });
  wake(step);
}

/** With its usage it says on whose account that was. */
export function noteRest(step: AcpStep, usageUpdate: JsonObject): void {
  const origin = objectAt(objectAt(usageUpdate, "_meta"), "_claude/origin");
  if (textAt(origin, "kind") === "task-notification") rest(step);
}

/** It was told to stop, and takes its input in order: when it answers this, it has heard of it. */
export function cancelWake(step: AcpStep): void {
  if (step.state.isAwake) ping(step, WAKE);
}

export function rest(step: AcpStep): void {
  if (!step.state.isAwake) return;
  const { followUps, cancelled, interrupting } = step.state;
  closeCalls(step);
  step.stream("completed", { reason: cancelled ? "cancelled" : "end_turn" });
  const askId = `${step.streamId}:end`;
  step.set({ isAwake: false, interrupting: false });
  if (followUps.length > 0 && !interrupting) beginTurn(step, null);
  else if (cancelled) step.fact({ type: "turn_interrupted" });
  else step.fact({ type: "ask:completion_result", askId });
}
