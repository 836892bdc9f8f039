/** Asks of the legacy Kilo CLI. All but the questions and approvals end a turn. */
import { fieldAt, firstTextAt, numberAt, textAt, type JsonObject } from "../acp/json-fields.js";
import { contentOf, describeAsk, metadataOf } from "./kilo-asks.js";
import { ASKS_MAX } from "./kilo-state.js";
import type { KiloStep } from "./kilo-step.js";

const WAITING = ["tool", "command", "browser_action_launch", "use_mcp_server", "followup"] as const;
const FAILURES = [
  "api_req_failed",
  "mistake_limit_reached",
  "invalid_model",
  "payment_required_prompt",
] as const;
const PAUSES = ["resume_task", "resume_completed_task"] as const;

export function isPause(ask: string | null): boolean {
  return isOneOf(PAUSES, ask);
}

export function takeAsk(step: KiloStep, message: JsonObject): void {
  const ask = textAt(message, "ask");
  const isPartial = fieldAt(message, "partial") === true;
  if (isOneOf(WAITING, ask)) takeWaiting(step, ask, message, isPartial);
  // What is not finished yet changes nothing.
  else if (isPartial) return;
  else if (ask === "completion_result") {
    rest(step, "done", "done");
    step.fact({ type: "ask:completion_result", askId: idOf(step, message) });
  } else if (isOneOf(FAILURES, ask)) {
    rest(step, "failed", "failed");
    step.fact({ type: `ask:${ask}`, askId: idOf(step, message), text: wordsOf(message, ask) });
  } else if (isOneOf(PAUSES, ask)) takePause(step, ask, message);
  // It asks whether to go on while a command runs, and goes on anyway.
  else if (ask === "command_output") showOutput(step, message);
  else step.unknown("ask", message);
}

/** Ready is told once. */
export function beReady(step: KiloStep, sessionId: string | null): void {
  step.set({ ready: true });
  step.fact({ type: "session_created", ...(sessionId ? { sessionId } : {}) });
}

/** What a command or a tool has put out so far. */
export function showOutput(step: KiloStep, message: JsonObject): void {
  const callId = step.state.calls.at(-1)?.callId;
  const outputDelta = firstTextAt(metadataOf(message), ["output"]) ?? contentOf(message);
  if (callId !== undefined && outputDelta !== "")
    step.stream("tool_call_delta", { callId, outputDelta, replace: true });
}

/** A call is over when the model is asked again, or when nothing goes on: then what still waits never ran. */
export function closeCalls(step: KiloStep, waiting: readonly string[]): void {
  for (const { callId, rejected } of step.state.calls) {
    const canceled = waiting.includes(callId);
    step.stream("tool_call_completed", {
      callId,
      isError: rejected || canceled,
      ...(rejected ? { error: "It was not allowed.", rejected } : {}),
      ...(canceled ? { canceled } : {}),
    });
  }
  step.set({ calls: [] });
}

/** Messages are told apart by their timestamps. */
export function idOf(step: KiloStep, message: JsonObject): string {
  const { run, count } = step.state;
  const atMs = numberAt(message, "timestamp");
  if (atMs !== null) return `run-${run}-at-${atMs}`;
  step.set({ count: count + 1 });
  return `run-${run}-message-${count + 1}`;
}

function takeWaiting(
  step: KiloStep,
  ask: (typeof WAITING)[number],
  message: JsonObject,
  partial: boolean,
): void {
  const askId = idOf(step, message);
  const { asks, calls } = step.state;
  if (fieldAt(message, "isAnswered") === true) {
    step.set({ asks: asks.filter((other) => other !== askId) });
    if (asks.includes(askId)) step.fact({ type: "ask_closed", askId });
    return;
  }
  const { title, detail, tool } = describeAsk(ask, message);
  step.outputs.push({ type: "ask_detail", askId, title, detail, tool });
  if (!partial && !asks.includes(askId)) {
    step.set({ asks: [...asks, askId].slice(-ASKS_MAX) });
    if (ask !== "followup") {
      const { name, input } = tool;
      step.stream("tool_call_delta", { callId: askId, name, argsDelta: JSON.stringify(input) });
      step.set({ calls: [...calls, { callId: askId, rejected: false }].slice(-ASKS_MAX) });
    }
  }
  step.stream("ask", { askId, ask, title, detail, partial });
  step.fact({ type: `ask:${ask}`, askId, partial });
}

function takePause(step: KiloStep, ask: (typeof PAUSES)[number], message: JsonObject): void {
  const { resume, ready, continues, interrupting } = step.state;
  const askId = idOf(step, message);
  if (resume !== null && !ready) {
    step.set({ sinceMs: numberAt(message, "timestamp"), resting: "paused" });
    beReady(step, resume);
    if (!continues) step.fact({ type: `ask:${ask}`, askId });
    return;
  }
  rest(step, "paused", interrupting ? "interrupted" : "paused");
  step.set({ interrupting: false });
  step.fact(interrupting ? { type: "turn_interrupted" } : { type: `ask:${ask}`, askId });
}

function rest(step: KiloStep, resting: "done" | "paused" | "failed", reason: string): void {
  closeCalls(step, step.state.asks);
  step.set({ resting, asks: [] });
  step.stream("completed", { reason });
}

function wordsOf(message: JsonObject, ask: string): string {
  const words = firstTextAt(metadataOf(message), ["message", "title", "error"]) ?? contentOf(message);
  return words === "" ? ask : words;
}

function isOneOf<const T extends readonly string[]>(all: T, one: string | null): one is T[number] {
  return one !== null && all.includes(one);
}
