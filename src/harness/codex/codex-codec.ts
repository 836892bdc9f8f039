/** Codex's app-server, as facts and content; and effects, as its requests and answers. Pure. */
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import { takeRequest } from "../json-rpc/pending-requests.js";
import { parseMessage, type RpcMessage } from "../json-rpc/rpc-message.js";
import { cut } from "../cut.js";
import { parseJson } from "../parse-json.js";
import { answerAsk, steerRefused, voidAsk } from "./answers.js";
import { serverRequest } from "./asks.js";
import { firstState, fromJson, toJson } from "./codex-state.js";
import { Draft } from "./draft.js";
import {
  accountRead,
  begin,
  conversationOpened,
  handshakeFailed,
  initialized,
  openConversation,
} from "./handshake.js";
import { notified } from "./notifications.js";
import { asFields, asNumber, asText, type Fields } from "./read-json.js";
import { interruptAll, nothingToInterrupt, settle, startTurn, turnAccepted } from "./turns.js";

const UNKNOWN_LENGTH_MAX = 10_000;

export function startCodex(start: RunStart): { readonly state: Json; readonly input: string } {
  const draft = new Draft(firstState(start));
  begin(draft);
  return { state: toJson(draft.state), input: draft.writes.join("") };
}

export function decodeCodex(json: Json, line: string): Decoded {
  if (line.trim() === "") return { state: json, outputs: [] };
  const draft = new Draft(fromJson(json));
  const message = parseMessage(line);
  if (message) take(draft, message, line);
  else {
    draft.outputs.push({ type: "unknown", kind: "line" });
    draft.metadata({ unknown: line.slice(0, UNKNOWN_LENGTH_MAX) });
  }
  settle(draft);
  return { state: toJson(draft.state), outputs: draft.outputs };
}

export function encodeCodex(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const draft = new Draft(fromJson(json));
  switch (effect.type) {
    case "deliver_message":
      if (draft.state.conversationId === null) return notReady(json);
      startTurn(draft, text ?? "", { messageId: effect.messageId });
      break;
    case "continue_run":
      if (draft.state.conversationId === null) return notReady(json);
      startTurn(draft, effect.why === "retry" ? "Try again." : "Continue.");
      break;
    case "answer_ask":
      answerAsk(draft, effect.askId, effect.decision, text);
      break;
    case "interrupt_run":
      interruptAll(draft);
      break;
    case "void_asks":
      for (const askId of effect.askIds) voidAsk(draft, askId);
      break;
  }
  return { state: toJson(draft.state), writes: draft.writes };
}

function notReady(state: Json): Encoded {
  return { state, writes: [], failure: "Codex has no conversation yet" };
}

function take(draft: Draft, message: RpcMessage, line: string): void {
  switch (message.type) {
    case "request":
      return serverRequest(draft, message.id, message.method, asFields(message.params));
    case "notification":
      return notified(draft, message.method, asFields(message.params), () => emittedAtMs(line));
    case "response":
      return responded(draft, message);
    case "error":
      return refused(draft, message);
  }
}

function responded(draft: Draft, { id, result }: Extract<RpcMessage, { type: "response" }>): void {
  const { requests, request } = takeRequest(draft.state.requests, id);
  draft.set({ requests });
  switch (request?.method) {
    case "initialize":
      return initialized(draft);
    case "account/read":
      return accountRead(draft, result);
    case "thread/start":
    case "thread/resume":
      return conversationOpened(draft, result);
    case "turn/start":
      return turnAccepted(draft, asFields(asFields(result)["turn"]));
    case "thread/read":
      return nothingToInterrupt(draft);
    default:
      // Nothing depends on it.
      return;
  }
}

function refused(draft: Draft, { id, error }: Extract<RpcMessage, { type: "error" }>): void {
  const { requests, request } = takeRequest(draft.state.requests, id);
  draft.set({ requests });
  const note = asFields(request?.note);
  switch (request?.method) {
    case "account/read":
      return openConversation(draft);
    case "initialize":
    case "thread/start":
    case "thread/resume":
      return handshakeFailed(draft, request.method, error);
    case "turn/start":
      return turnRefused(draft, note, error.message);
    case "turn/interrupt":
    case "thread/read":
      return nothingToInterrupt(draft);
    case "turn/steer":
      return steerRefused(draft, note, error.message);
    default:
      draft.metadata({ problem: `Codex refused: ${cut(error.message, UNKNOWN_LENGTH_MAX)}` });
  }
}

/** A message goes back to the queue; without one, the run itself is of no use. */
function turnRefused(draft: Draft, note: Fields, message: string): void {
  const error = `Codex refused the turn: ${message}`;
  const messageId = asText(note["messageId"]);
  draft.set({ starting: null });
  if (messageId !== null) draft.fact({ type: "delivery_failed", messageId, error });
  else if (note["optional"] === true) draft.metadata({ problem: error });
  else draft.fact({ type: "process_error", error });
}

/** Beside the params, where JSON-RPC has no place for it. */
function emittedAtMs(line: string): number {
  return asNumber(asFields(parseJson(line))["emittedAtMs"]) ?? 0;
}
