/** Claude Code's lines, as facts and content; and effects, as lines for it. Pure. */
import type { Json } from "../../core/index.js";
import { NO_USAGE } from "../../protocol/session.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import type { QueryAnswer } from "../../runtime/query.js";
import { NO_OFFER, withCurrent } from "../kit/controls.js";
import { type JsonObject, parseObject, textAt } from "../kit/json.js";
import { toJson } from "../kit/step.js";
import { type ClaudeState, fromJson } from "./claude-state.js";
import { ClaudeStep } from "./claude-step.js";
import { readPiece, readResults, readWhole } from "./content.js";
import { encodeAnswer, encodeVoid, readCancel, readRequest, readResponse, ruleAnswer } from "./requests.js";
import { readRateLimit, readSystem } from "./system-messages.js";
import { initializeLine, messageLine, responseLine, uuidOf } from "./told-line.js";
import { given, interrupting, readDelivery, readResult } from "./turn.js";

/** It may be given the prompt before it is ready: it reads its input in order. */
export function startClaude(start: RunStart): { readonly state: Json; readonly input: string } {
  const { run, settings, resume, prompt, continues, before } = start;
  const first: ClaudeState = {
    run,
    cwd: settings.cwd,
    turn: 0,
    ready: false,
    idleWhenReady: prompt === null && resume === null && !continues,
    sessionId: null,
    unkept: resume === null ? [] : before === undefined ? null : fromJson(before).unkept,
    activity: "idle",
    tellsStates: false,
    delivery: null,
    interrupt: "no",
    outcome: null,
    failure: null,
    requesting: false,
    background: 0,
    speakers: [],
    agents: 0,
    requests: [],
    answered: [],
    elsewhere: [],
    used: NO_USAGE,
    sent: 0,
    offer: withCurrent(NO_OFFER, "model", settings.model),
  };
  if (!prompt) return { state: toJson(first), input: initializeLine() };
  const uuid = uuidOf(run, prompt.messageId);
  const state = toJson(given(first, uuid, prompt.text));
  return { state, input: initializeLine() + messageLine(prompt.text, uuid) };
}

/** `nowMs`: a retry is told only to those who know the time, because Claude says how long it waits, not until when. */
export function decodeClaude(json: Json, line: string, nowMs: number | null = null): Decoded {
  if (line.trim() === "") return { state: json, outputs: [] };
  const step = new ClaudeStep(fromJson(json), nowMs);
  const message = parseObject(line);
  if (message) readMessage(step, message, line);
  else step.unknown("line", line);
  return step.decoded();
}

function readMessage(step: ClaudeStep, message: JsonObject, line: string): void {
  const type = textAt(message, "type") ?? "";
  switch (type) {
    case "stream_event":
      return readPiece(step, message, line);
    case "assistant":
      return readWhole(step, message);
    case "user":
      return readResults(step, message);
    case "system":
      return readSystem(step, message, line);
    case "result":
      return readResult(step, message);
    case "command_lifecycle":
      return readDelivery(step, message);
    case "control_request":
      return readRequest(step, message, line);
    case "control_response":
      return readResponse(step, message);
    case "control_cancel_request":
      return readCancel(step, message);
    case "rate_limit_event":
      return readRateLimit(step, message);
    case "auth_status":
    case "conversation_reset":
    case "keep_alive":
    case "prompt_suggestion":
    case "tool_progress":
    case "tool_use_summary":
      return;
    default:
      return step.unknown(type, line);
  }
}

/** What the rules say of a call. */
export function claudeAnswered(state: Json, queryId: string, answer: QueryAnswer): Decoded {
  return { state, outputs: [{ type: "write", data: responseLine(queryId, ruleAnswer(answer)) }] };
}

/** It never kept what it was given in its first turn, and gets it again. */
export function claudeForgot(json: Json): Decoded {
  const before = fromJson(json);
  let state: ClaudeState = { ...before, unkept: [] };
  const outputs = (before.unkept ?? []).map((text, index) => {
    const uuid = uuidOf(before.run, `again ${index}`);
    state = given(state, uuid, text);
    return { type: "write", data: messageLine(text, uuid) } as const;
  });
  return { state: toJson(state), outputs };
}

export function encodeClaude(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const state = fromJson(json);
  switch (effect.type) {
    case "deliver_message":
      return told(state, text ?? "", uuidOf(state.run, effect.messageId));
    case "continue_run": {
      const words = effect.why === "retry" ? "That failed. Try again." : "Continue.";
      return told(state, words, uuidOf(state.run, `turn ${state.turn + 1}`));
    }
    case "interrupt_run": {
      const asked = interrupting(state);
      return { state: toJson(asked.state), writes: [asked.data] };
    }
    case "answer_ask":
      return encodeAnswer(state, effect, text);
    case "void_asks":
      return encodeVoid(state, effect.askIds);
  }
}

function told(state: ClaudeState, text: string, uuid: string): Encoded {
  return { state: toJson(given(state, uuid, text)), writes: [messageLine(text, uuid)] };
}
