/** Codex's app-server, as facts and content; and effects, as its requests and answers. Pure. */
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import { parseMessage, type RpcMessage } from "../kit/json-rpc.js";
import { fieldsOf, type JsonObject, numberAt, parseJson, textAt } from "../kit/json.js";
import { cut } from "../kit/words.js";
import { answerAsk, serverRequest, steerRefused, voidAsk } from "./asks.js";
import { modelsListed, offerAnswered, say } from "./controls.js";
import { firstState, fromJson } from "./codex-state.js";
import { CodexStep } from "./codex-step.js";
import {
  accountRead,
  begin,
  conversationOpened,
  handshakeFailed,
  initialized,
  openConversation,
} from "./handshake.js";
import { notified } from "./notifications.js";
import { interruptAll, nothingToInterrupt, settle, startTurn, turnAccepted } from "./turns.js";

const UNKNOWN_LENGTH_MAX = 10_000;

export function startCodex(start: RunStart): { readonly state: Json; readonly input: string } {
  const step = new CodexStep(firstState(start));
  begin(step);
  const { state, writes } = step.encoded();
  return { state, input: writes.join("") };
}

export function decodeCodex(json: Json, line: string): Decoded {
  if (line.trim() === "") return { state: json, outputs: [] };
  const step = new CodexStep(fromJson(json));
  const message = parseMessage(line);
  if (message) take(step, message, line);
  else step.unknown("line", line);
  settle(step);
  return step.decoded();
}

export function encodeCodex(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const step = new CodexStep(fromJson(json));
  switch (effect.type) {
    case "deliver_message":
      if (step.state.conversationId === null) return notReady(json);
      say(step, text ?? "", effect.messageId);
      break;
    case "continue_run":
      if (step.state.conversationId === null) return notReady(json);
      startTurn(step, effect.why === "retry" ? "Try again." : "Continue.");
      break;
    case "answer_ask":
      answerAsk(step, effect.askId, effect.decision, text);
      break;
    case "interrupt_run":
      interruptAll(step);
      break;
    case "void_asks":
      for (const askId of effect.askIds) voidAsk(step, askId);
      break;
  }
  return step.encoded();
}

function notReady(state: Json): Encoded {
  return { state, writes: [], failure: "Codex has no conversation yet" };
}

function take(step: CodexStep, message: RpcMessage, line: string): void {
  switch (message.type) {
    case "request":
      return serverRequest(step, message.id, message.method, fieldsOf(message.params));
    case "notification":
      return notified(step, message.method, fieldsOf(message.params), () => emittedAtMs(line));
    case "response":
      return responded(step, message);
    case "error":
      return refused(step, message);
  }
}

function responded(step: CodexStep, { id, result }: Extract<RpcMessage, { type: "response" }>): void {
  if (offerAnswered(step, id, result)) return;
  const request = step.answeredRequest(id);
  switch (request?.method) {
    case "initialize":
      return initialized(step);
    case "account/read":
      return accountRead(step, result);
    case "thread/start":
    case "thread/resume":
      return conversationOpened(step, result);
    case "turn/start":
    case "thread/compact/start":
      return turnAccepted(step, fieldsOf(fieldsOf(result)["turn"]));
    case "thread/read":
      return nothingToInterrupt(step);
    case "model/list":
      return modelsListed(step, fieldsOf(result), fieldsOf(request.note));
    default:
      // Nothing depends on it.
      return;
  }
}

function refused(step: CodexStep, { id, error }: Extract<RpcMessage, { type: "error" }>): void {
  if (offerAnswered(step, id, null)) return;
  const request = step.answeredRequest(id);
  const note = fieldsOf(request?.note);
  switch (request?.method) {
    case "account/read":
      return openConversation(step);
    case "initialize":
    case "thread/start":
    case "thread/resume":
      return handshakeFailed(step, request.method, error);
    case "turn/start":
    case "thread/compact/start":
      return turnRefused(step, note, error.message);
    case "turn/interrupt":
    case "thread/read":
      return nothingToInterrupt(step);
    case "model/list":
      return modelsListed(step, {}, note);
    case "turn/steer":
      return steerRefused(step, note, error.message);
    default:
      step.metadata({ problem: `Codex refused: ${cut(error.message, UNKNOWN_LENGTH_MAX)}` });
  }
}

/** A message goes back to the queue; without one, the run itself is of no use. */
function turnRefused(step: CodexStep, note: JsonObject, message: string): void {
  const error = `Codex refused the turn: ${message}`;
  const messageId = textAt(note, "messageId");
  step.set({ starting: null });
  if (messageId !== null) step.fact({ type: "delivery_failed", messageId, error });
  else if (note["optional"] === true) step.metadata({ problem: error });
  else step.fact({ type: "process_error", error });
}

/** Beside the params, where JSON-RPC has no place for it. */
function emittedAtMs(line: string): number {
  return numberAt(fieldsOf(parseJson(line)), "emittedAtMs") ?? 0;
}
