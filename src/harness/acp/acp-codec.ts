/**
 * The Agent Client Protocol, as facts and content; and effects, as its messages. Pure.
 *
 * What we send is typed by the official SDK. What an agent sends is read field by field: newer agents say more, and some
 * say less than the protocol asks of them.
 */
import type { InitializeRequest } from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import type { QueryAnswer } from "../../runtime/query.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import { METHOD_NOT_FOUND, parseMessage, type RpcId, type RpcMessage } from "../kit/json-rpc.js";
import { fieldAt, fieldsOf, type JsonObject } from "../kit/json.js";
import {
  APPROVED_MAX,
  type AcpPhase,
  type Asked,
  firstState,
  FOLLOW_UPS_MAX,
  fromJson,
} from "./acp-state.js";
import { AcpStep } from "./acp-step.js";
import { askIdOf } from "./asks.js";
import { controlled, isControlNote } from "./controls.js";
import { fileDecided, fileServed, refuseFile, serveFile, takeFileRequest } from "./file-requests.js";
import {
  authenticated,
  initialized,
  opened,
  pinged,
  prepared,
  PROTOCOL_VERSION,
  type Reply,
} from "./handshake.js";
import {
  answerPermission,
  permissionDecided,
  releaseHeld,
  takePermissionRequest,
} from "./permission-request.js";
import { answerLogin, invocationOf } from "./login.js";
import { answerQuestion, declineQuestion, takeQuestion } from "./questions.js";
import { takeUpdate } from "./session-update.js";
import {
  cancelTerminal,
  commandSeen,
  killTerminals,
  refuseTerminal,
  startTerminal,
  takeTerminalCreate,
  takeTerminalUse,
  tellBackground,
  terminalDecided,
  terminalServed,
  terminalShown,
  withdrawWait,
} from "./terminal-requests.js";
import { markRejected } from "./tool-calls.js";
import { admitWake, beginTurn, cancelTurn, cancelWake, endTurn, PING, rest, wake, WAKE } from "./turn.js";

const CANCELLED = -32_800;

/** What goes on means to an agent that knows only prompts. */
const CONTINUE = {
  resume: "Continue where you left off.",
  retry: "The last attempt failed. Try again, and continue where you left off.",
} as const;

const HELLO = {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    elicitation: { form: {} },
    // A person is told what to type.
    auth: { terminal: true },
  },
  clientInfo: { name: "signalbox", title: "Signalbox", version: "1" },
} satisfies InitializeRequest;

/** `agent`: its name in the registry; null: any command. */
export function startAcp(
  start: RunStart,
  agent: string | null,
): { readonly state: Json; readonly input: string } {
  const step = new AcpStep(firstState(start, agent));
  step.set({ invocation: invocationOf(start.settings, step.agent) });
  step.request("initialize", HELLO);
  const { state, writes } = step.encoded();
  return { state, input: writes.join("") };
}

export function canResumeAcp(json: Json): boolean {
  return fromJson(json).canResume === true;
}

const AWAITED: Readonly<Record<AcpPhase, string | null>> = {
  initializing: "it has not answered `initialize` yet",
  opening: "it has not opened a session yet",
  logging_in: "it waits for the login",
  preparing: "its mode and model are being set",
  settling: "it repeats the conversation so far",
  ready: null,
  failed: null,
};

/** Some are downloaded first, or look through the whole project. */
export function startingAcp(json: Json): string | null {
  return AWAITED[fromJson(json).phase];
}

export function decodeAcp(json: Json, line: string, nowMs: number): Decoded {
  if (line.trim() === "") return { state: json, outputs: [] };
  const step = new AcpStep(fromJson(json), nowMs);
  const message = parseMessage(line);
  if (message) take(step, message);
  else step.unknown("line", line);
  releaseHeld(step);
  settle(step);
  tellBackground(step);
  return step.decoded();
}

export function observeAcp(json: Json, observation: TerminalObservation): Decoded {
  if (observation.type !== "command") return { state: json, outputs: [] };
  const step = new AcpStep(fromJson(json));
  commandSeen(step, observation);
  tellBackground(step);
  return step.decoded();
}

/** Some agents work on, and ask, after a turn. Once they are answered and go on, they are as idle as they were. */
function settle(step: AcpStep): void {
  const { strayed, turnOpen, isAwake, asked } = step.state;
  if (strayed === null || asked.length > 0) return;
  step.set({ strayed: null });
  if (!turnOpen && !isAwake) step.turnEnded({ askId: `${strayed}:end` });
}

function take(step: AcpStep, message: RpcMessage): void {
  switch (message.type) {
    case "response":
      return takeReply(step, message.id, { ok: true, result: message.result });
    case "error":
      return takeReply(step, message.id, { ok: false, error: message.error });
    case "request":
      return takeAgentRequest(step, message.id, message.method, fieldsOf(message.params));
    case "notification":
      return takeNotification(step, message.method, fieldsOf(message.params));
  }
}

function takeReply(step: AcpStep, id: RpcId | null, reply: Reply): void {
  const request = step.answeredRequest(id);
  if (!request) {
    step.unknown("response", reply.ok ? reply.result : { ...reply.error });
    return;
  }
  switch (request.method) {
    case "initialize":
      return initialized(step, reply);
    case "session/new":
    case "session/load":
    case "session/resume":
      return opened(step, request.method, reply);
    case "authenticate":
      return authenticated(step, request.note, reply);
    case PING:
      return request.note === WAKE ? rest(step) : pinged(step, request.note);
    case "session/prompt":
      return endTurn(step, Number(request.note), reply);
    default:
      return isControlNote(request.note)
        ? controlled(step, request.note, reply)
        : prepared(step, request.note, reply);
  }
}

function takeAgentRequest(step: AcpStep, id: RpcId, method: string, params: JsonObject): void {
  switch (method) {
    case "session/request_permission":
      return takePermissionRequest(step, id, params);
    case "elicitation/create":
      return takeQuestion(step, id, params);
    case "fs/read_text_file":
      return takeFileRequest(step, id, "read", params);
    case "fs/write_text_file":
      return takeFileRequest(step, id, "write", params);
    case "terminal/create":
      return takeTerminalCreate(step, id, params);
    case "terminal/wait_for_exit":
      return takeTerminalUse(step, id, "wait", params);
    case "terminal/output":
    case "terminal/kill":
    case "terminal/release":
      return takeTerminalUse(step, id, TERMINAL_USES[method], params);
    case "_qwencode/start_turn":
      return admitWake(step, id);
    default:
      step.refuse(id, METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 100)}`);
      return step.unknown("request", { method, params });
  }
}

const TERMINAL_USES = {
  "terminal/output": "output",
  "terminal/kill": "kill",
  "terminal/release": "release",
} as const;

function takeNotification(step: AcpStep, method: string, params: JsonObject): void {
  switch (method) {
    case "session/update":
      return takeUpdate(step, params);
    case "$/cancel_request":
      return withdraw(step, fieldAt(params, "requestId"));
    case "elicitation/complete":
      return;
    case "_qwencode/start_turn":
      return wake(step);
    case "_qwencode/end_turn":
      return rest(step);
    default:
      return step.unknown("notification", { method, params });
  }
}

/** The agent does not need the answer any more. */
function withdraw(step: AcpStep, id: Json | undefined): void {
  if (typeof id !== "string" && typeof id !== "number") return;
  if (withdrawWait(step, id)) {
    step.refuse(id, CANCELLED, "The request was cancelled.");
    return;
  }
  const asked = step.asked(askIdOf(id));
  // What is done to a terminal is done, and answered.
  if (!asked || asked.type === "terminal_use" || (asked.type === "terminal" && asked.terminal !== null))
    return;
  step.refuse(asked.id, CANCELLED, "The request was cancelled.");
  step.dropAsked(asked.askId);
  step.askClosed(asked.askId);
}

export function answeredAcp(json: Json, queryId: string, answer: QueryAnswer): Decoded {
  const step = new AcpStep(fromJson(json));
  const shown = /^terminal-(\d+):shown$/.exec(queryId)?.[1];
  if (shown !== undefined) {
    terminalShown(step, Number(shown), answer);
    return step.decoded();
  }
  const [, askId = "", about] = /^(.*):(rules|file|terminal)$/.exec(queryId) ?? [];
  const asked = step.asked(askId);
  if (!asked || asked.type === "question" || asked.type === "login") return { state: json, outputs: [] };
  if (asked.type === "permission") permissionDecided(step, asked, answer);
  else if (asked.type === "terminal" && about === "rules") terminalDecided(step, asked, answer);
  else if (asked.type === "terminal" || asked.type === "terminal_use") terminalServed(step, asked, answer);
  else if (about === "rules") fileDecided(step, asked, answer);
  else fileServed(step, asked, answer);
  tellBackground(step);
  return step.decoded();
}

export function encodeAcp(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const step = new AcpStep(fromJson(json));
  switch (effect.type) {
    case "deliver_message":
      beginTurn(step, text ?? "");
      return step.encoded();
    case "continue_run":
      beginTurn(step, (effect.why === "retry" ? step.state.unheard : null) ?? CONTINUE[effect.why]);
      return step.encoded();
    case "interrupt_run":
      step.set({ interrupting: true });
      cancelTurn(step);
      cancelWake(step);
      for (const asked of step.state.asked) cancel(step, asked);
      killTerminals(step);
      return step.encoded();
    case "void_asks":
      for (const asked of step.state.asked) if (effect.askIds.includes(asked.askId)) cancel(step, asked);
      return step.encoded();
    case "answer_ask": {
      const asked = step.asked(effect.askId);
      if (!asked) return { state: json, writes: [] };
      if (!step.state.turnOpen && asked.type !== "login") step.set({ strayed: asked.askId });
      const problem = answer(step, asked, effect.decision, text);
      return problem === null ? step.encoded() : { state: json, writes: [], failure: problem };
    }
  }
}

/** Null, or why it cannot be said. */
function answer(
  step: AcpStep,
  asked: Asked,
  decision: "approve" | "reject" | "reply",
  text: string | null,
): string | null {
  switch (asked.type) {
    case "question":
      if (decision === "reject") declineQuestion(step, asked, "decline");
      else answerQuestion(step, asked, text ?? "");
      return null;
    case "read":
    case "write":
      if (decision === "reject") refuseFile(step, asked, text ?? "A person did not allow it.");
      else serveFile(step, asked);
      return null;
    case "terminal":
      if (asked.terminal !== null) return null;
      if (decision === "reject") refuseTerminal(step, asked, text ?? "A person did not allow it.");
      else startTerminal(step, asked);
      return null;
    case "terminal_use":
      return null;
    case "login":
      answerLogin(step, asked, decision === "reject" ? null : (text ?? ""));
      return null;
    case "permission":
      answerPermission(step, asked, decision === "reject" ? "reject" : "approve");
      if (decision !== "reject") {
        noteApproved(step, asked);
        return null;
      }
      if (asked.callId !== null) markRejected(step, asked.callId);
      return text === null ? null : followUp(step, text);
  }
}

/** What it may then do through us is not asked about again. */
function noteApproved(
  step: AcpStep,
  { writes, command }: Extract<Asked, { readonly type: "permission" }>,
): void {
  const { approved, approvedCommands } = step.state;
  step.set({
    approved: [...approved, ...writes].slice(-APPROVED_MAX),
    approvedCommands: [...approvedCommands, ...(command ? [command] : [])].slice(-APPROVED_MAX),
  });
}

/**
 * A no has no room for words. They are the next prompt, sent when the turn is over; and a turn in which nothing else waits
 * for a person is ended for them, so that the agent does not go on without having heard them.
 */
function followUp(step: AcpStep, text: string): string | null {
  const { followUps, asked } = step.state;
  if (followUps.length >= FOLLOW_UPS_MAX) return "Too many messages wait for the end of the turn.";
  step.set({ followUps: [...followUps, text] });
  if (asked.length === 0) cancelTurn(step);
  return null;
}

/** As the protocol demands of everything that is pending when a turn is cancelled. */
function cancel(step: AcpStep, asked: Asked): void {
  if (asked.type === "permission") answerPermission(step, asked, "cancel");
  else if (asked.type === "question") declineQuestion(step, asked, "cancel");
  else if (asked.type === "login") answerLogin(step, asked, null);
  else if (asked.type === "terminal" || asked.type === "terminal_use") cancelTerminal(step, asked);
  else refuseFile(step, asked, "It was cancelled.");
}
