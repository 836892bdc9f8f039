/** What Claude asks of us: permissions, answers to questions, and what the rules say of a call. */
import type { AskedTool, Decision, Json, SessionEffect } from "../../core/index.js";
import type { Encoded } from "../../runtime/harness.js";
import type { QueryAnswer } from "../../runtime/query.js";
import { fieldsAt, fieldsOf, idAt, type JsonObject, objectOf, textAt } from "../kit/json.js";
import { type AskName, toJson } from "../kit/step.js";
import { type ClaudeState, INPUTS_LENGTH_MAX, type OpenRequest, REQUESTS_MAX } from "./claude-state.js";
import type { ClaudeStep } from "./claude-step.js";
import { noteOffer, readControlled } from "./controls.js";
import { answersFrom, elicitationAnswer, elicitationWords, questionsIn, questionWords } from "./questions.js";
import { errorLine, INITIALIZE_ID, INTERRUPT_ID, responseLine } from "./told-line.js";
import { bounded, mcpName, toolWords, type Words } from "./tool-words.js";
import { readInterrupted, wake } from "./turn.js";

export const QUESTION_TOOL = "AskUserQuestion";

export function readRequest(step: ClaudeStep, message: JsonObject, line: string): void {
  const requestId = idAt(message, "request_id");
  const request = fieldsAt(message, "request");
  if (requestId === null) return step.unknown("control_request", line);
  const subtype = textAt(request, "subtype") ?? "";
  switch (subtype) {
    case "can_use_tool":
      return askPermission(step, requestId, request);
    case "hook_callback":
      return askRules(step, requestId, fieldsAt(request, "input"));
    case "elicitation":
      return open(step, "followup", bounded(elicitationWords(request)), {
        askId: requestId,
        kind: "elicitation",
        callId: null,
        input: keptInput(step, { requested_schema: request["requested_schema"] ?? null }),
      });
    case "request_user_dialog":
      // Its own way to say that nobody can see it.
      return step.write(responseLine(requestId, { behavior: "cancelled" }));
    default:
      // Without any answer it would wait for ever.
      step.write(errorLine(requestId, `Signalbox has no answer to ${subtype}`));
      return step.unknown(`control_request/${subtype}`, line);
  }
}

function askPermission(step: ClaudeStep, requestId: string, request: JsonObject): void {
  const name = idAt(request, "tool_name") ?? "unknown";
  const input = request["input"] ?? {};
  const callId = idAt(request, "tool_use_id");
  const questions = name === QUESTION_TOOL ? questionsIn(input) : [];
  if (questions.length > 0) {
    const kept: OpenRequest = {
      askId: requestId,
      kind: "question",
      callId,
      input: keptInput(step, input),
    };
    return open(step, "followup", bounded(questionWords(questions)), kept, { name, input });
  }
  const reason = textAt(request, "decision_reason");
  const notes = [
    ...(textAt(request, "agent_id") === null ? [] : ["A subagent asks."]),
    ...(reason === null ? [] : [`Why it asks: ${reason}`]),
  ];
  const ask = name === "Bash" ? "command" : mcpName(name) === null ? "tool" : "use_mcp_server";
  const kept: OpenRequest = { askId: requestId, kind: "tool", callId, input: keptInput(step, input) };
  const tool = { name, input, ...placeOf(step, callId) };
  return open(step, ask, toolWords(name, input, step.state.cwd, notes), kept, tool);
}

function open(step: ClaudeStep, ask: AskName, words: Words, request: OpenRequest, tool: Json = null): void {
  const { requests } = step.state;
  const { askId } = request;
  if (requests.some((known) => known.askId === askId)) return;
  if (requests.length >= REQUESTS_MAX) {
    const message = "Too many requests wait for an answer.";
    return step.write(responseLine(askId, refusalOf(request, message)));
  }
  wake(step);
  step.set({ requests: [...requests, request] });
  step.ask({ askId, ask, ...words, tool });
}

function keptInput({ state }: ClaudeStep, input: Json): Json {
  const lengths = [input, ...state.requests.map((request) => request.input)].map(
    (each) => JSON.stringify(each).length,
  );
  return lengths.reduce((sum, length) => sum + length, 0) > INPUTS_LENGTH_MAX ? null : input;
}

/** How each kind of request is refused. */
export function refusalOf({ kind }: OpenRequest, message: string): Json {
  if (kind === "elicitation") return { action: "cancel" };
  return { behavior: "deny", message, interrupt: false };
}

/** Claude is about to use a tool, whether or not it will ask: the rules are asked first. */
function askRules(step: ClaudeStep, requestId: string, input: JsonObject): void {
  const name = idAt(input, "tool_name");
  if (textAt(input, "hook_event_name") !== "PreToolUse" || name === null) {
    const decided = verdictAnswer("ask", "Signalbox could not read what this call is.");
    return step.write(responseLine(requestId, decided));
  }
  const callId = idAt(input, "tool_use_id");
  const cwd = idAt(input, "cwd");
  if (callId !== null && cwd !== null && cwd !== step.state.cwd) {
    const elsewhere = [...step.state.elsewhere, { callId, cwd }].slice(-REQUESTS_MAX);
    step.set({ elsewhere });
  }
  const tool: AskedTool = { name, input: input["tool_input"] ?? {}, ...placeOf(step, callId) };
  step.query(requestId, { type: "permission", tool });
}

function placeOf({ state }: ClaudeStep, callId: string | null): { readonly cwd?: string } {
  const cwd = state.elsewhere.find((call) => call.callId === callId)?.cwd;
  return cwd === undefined ? {} : { cwd };
}

/**
 * A deny is final, and an ask makes Claude ask us. An allow is only told when Claude asks: it must not override Claude's
 * own checks.
 */
export function ruleAnswer(answer: QueryAnswer): Json {
  if (answer.type !== "decided")
    return verdictAnswer("ask", "Signalbox could not find out what its rules say.");
  const { verdict } = answer.decision;
  if (verdict === "deny" || verdict === "ask") return verdictAnswer(verdict, reasonOf(answer.decision));
  return { continue: true };
}

function verdictAnswer(permissionDecision: "deny" | "ask", permissionDecisionReason: string): Json {
  const output = { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason };
  return { hookSpecificOutput: output };
}

function reasonOf({ verdict, rule, because }: Decision): string {
  const says = verdict === "deny" ? "denies" : "asks a person about";
  return rule === null ? because : `Signalbox's rule ${rule} ${says} this. ${because}`;
}

/** Claude no longer waits for it. */
export function readCancel(step: ClaudeStep, message: JsonObject): void {
  const askId = idAt(message, "request_id");
  const { requests } = step.state;
  if (askId === null || !requests.some((request) => request.askId === askId)) return;
  step.set({ requests: requests.filter((request) => request.askId !== askId) });
  step.askClosed(askId);
}

/** The answer to a request of ours. */
export function readResponse(step: ClaudeStep, message: JsonObject): void {
  const response = fieldsAt(message, "response");
  const requestId = idAt(response, "request_id") ?? "";
  const answer = fieldsAt(response, "response");
  if (requestId === INITIALIZE_ID) return readReady(step, response, answer);
  if (requestId.startsWith(INTERRUPT_ID)) readInterrupted(step, answer);
  else readControlled(step, requestId, response);
}

function readReady(step: ClaudeStep, response: JsonObject, answer: JsonObject): void {
  if (textAt(response, "subtype") === "error" || answer["hooks_applied"] === false) {
    const why = textAt(response, "error") ?? "it does not show its tool calls before they run";
    return step.fact({ type: "process_error", error: `Claude Code could not be set up: ${why}` });
  }
  const { sessionId, idleWhenReady, run, ready } = step.state;
  if (ready) return;
  step.set({ ready: true });
  noteOffer(step, answer);
  step.fact({ type: "session_created", ...(sessionId === null ? {} : { sessionId }) });
  if (idleWhenReady) step.turnEnded({ askId: `run-${run}-ready:end` });
}

type AnswerAsk = Extract<SessionEffect, { readonly type: "answer_ask" }>;

const REFUSALS = {
  user: "The person does not want this to be done.",
  rule: "A permission rule of Signalbox denies this.",
  wall: "The wall of Signalbox does not let this be done.",
  auto: "Signalbox does not want this to be done.",
} as const satisfies Record<AnswerAsk["by"], string>;

export function encodeAnswer(state: ClaudeState, effect: AnswerAsk, text: string | null): Encoded {
  const { askId } = effect;
  const request = state.requests.find((open) => open.askId === askId);
  if (!request)
    return { state: toJson(state), writes: [], failure: "Claude Code no longer waits for this answer" };
  const { callId } = request;
  const rejected = effect.decision === "reject" ? { rejected: true as const } : {};
  const answered = callId === null ? state.answered : [...state.answered, { askId, callId, ...rejected }];
  const next: ClaudeState = {
    ...state,
    requests: state.requests.filter((open) => open !== request),
    answered: answered.slice(-REQUESTS_MAX),
  };
  return { state: toJson(next), writes: [responseLine(askId, answerOf(request, effect, text))] };
}

function answerOf(request: OpenRequest, { decision, by }: AnswerAsk, text: string | null): Json {
  const { kind, input } = request;
  if (decision === "approve" && kind === "tool") return allow(input);
  if (decision === "reply" && text !== null) {
    const questions = questionsIn(input);
    if (kind === "elicitation") return elicitationAnswer(fieldsOf(input), text);
    if (questions.length > 0) return allow({ ...objectOf(input), answers: answersFrom(questions, text) });
  }
  return refusalOf(request, text ?? REFUSALS[by]);
}

/** Without an input, Claude takes the one that it asked about. */
function allow(input: Json): Json {
  return { behavior: "allow", ...(input === null ? {} : { updatedInput: input }) };
}

/** Nobody will answer any more. What Claude withdrew itself is not among the open ones. */
export function encodeVoid(state: ClaudeState, askIds: readonly string[]): Encoded {
  const isVoid = ({ askId }: OpenRequest) => askIds.includes(askId);
  const writes = state.requests
    .filter(isVoid)
    .map((request) => responseLine(request.askId, refusalOf(request, "Nobody answered this.")));
  const requests = state.requests.filter((request) => !isVoid(request));
  return { state: writes.length === 0 ? toJson(state) : toJson({ ...state, requests }), writes };
}
