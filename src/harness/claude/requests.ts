/** What Claude asks of us: permissions, answers to questions, and what the rules say of a call. */
import type { AskedTool, Decision, Json } from "../../core/index.js";
import type { QueryAnswer } from "../../runtime/query.js";
import { INPUTS_LENGTH_MAX, REQUESTS_MAX, type OpenRequest } from "./claude-state.js";
import { elicitationWords } from "./elicitation.js";
import { questionWords, questionsIn } from "./questions.js";
import type { Reading } from "./reading.js";
import { INITIALIZE_ID, INTERRUPT_ID, errorLine, responseLine } from "./told-line.js";
import { bounded, mcpName, toolWords, type Words } from "./tool-words.js";
import { readInterrupted, wake } from "./turn.js";
import { idAt, objectAt, textAt, type WireObject } from "./wire-object.js";

export const QUESTION_TOOL = "AskUserQuestion";

export function readRequest(reading: Reading, message: WireObject, line: string): void {
  const requestId = idAt(message, "request_id");
  const request = objectAt(message, "request") ?? {};
  if (requestId === null) return reading.unknown("control_request", line);
  const subtype = textAt(request, "subtype") ?? "";
  switch (subtype) {
    case "can_use_tool":
      return askPermission(reading, requestId, request);
    case "hook_callback":
      return askRules(reading, requestId, objectAt(request, "input") ?? {});
    case "elicitation":
      return open(reading, "followup", bounded(elicitationWords(request)), {
        askId: requestId,
        kind: "elicitation",
        callId: null,
        input: keptInput(reading, { requested_schema: request["requested_schema"] ?? null }),
      });
    case "request_user_dialog":
      // Its own way to say that nobody can see it.
      return reading.output({ type: "write", data: responseLine(requestId, { behavior: "cancelled" }) });
    default:
      // Without any answer it would wait for ever.
      reading.output({ type: "write", data: errorLine(requestId, `Signalbox has no answer to ${subtype}`) });
      return reading.unknown(`control_request/${subtype}`, line);
  }
}

function askPermission(reading: Reading, requestId: string, request: WireObject): void {
  const name = idAt(request, "tool_name") ?? "unknown";
  const input = request["input"] ?? {};
  const callId = idAt(request, "tool_use_id");
  const questions = name === QUESTION_TOOL ? questionsIn(input) : [];
  if (questions.length > 0) {
    const kept: OpenRequest = {
      askId: requestId,
      kind: "question",
      callId,
      input: keptInput(reading, input),
    };
    return open(reading, "followup", bounded(questionWords(questions)), kept, { name, input });
  }
  const reason = textAt(request, "decision_reason");
  const notes = [
    ...(textAt(request, "agent_id") === null ? [] : ["A subagent asks."]),
    ...(reason === null ? [] : [`Why it asks: ${reason}`]),
  ];
  const ask = name === "Bash" ? "command" : mcpName(name) === null ? "tool" : "use_mcp_server";
  const kept: OpenRequest = { askId: requestId, kind: "tool", callId, input: keptInput(reading, input) };
  const tool = { name, input, ...placeOf(reading, callId) };
  return open(reading, ask, toolWords(name, input, reading.state.cwd, notes), kept, tool);
}

type AskName = "tool" | "command" | "use_mcp_server" | "followup";

function open(reading: Reading, ask: AskName, words: Words, request: OpenRequest, tool: Json = null): void {
  const { requests } = reading.state;
  const { askId } = request;
  if (requests.some((known) => known.askId === askId)) return;
  if (requests.length >= REQUESTS_MAX) {
    const message = "Too many requests wait for an answer.";
    return reading.output({ type: "write", data: responseLine(askId, refusalOf(request, message)) });
  }
  wake(reading);
  reading.change({ requests: [...requests, request] });
  reading.output({ type: "ask_detail", askId, ...words, tool });
  reading.stream(null, "ask", { askId, ask, ...words });
  reading.fact({ type: `ask:${ask}`, askId });
}

function keptInput({ state }: Reading, input: Json): Json {
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
function askRules(reading: Reading, requestId: string, input: WireObject): void {
  const name = idAt(input, "tool_name");
  if (textAt(input, "hook_event_name") !== "PreToolUse" || name === null) {
    const decided = verdictAnswer("ask", "Signalbox could not read what this call is.");
    return reading.output({ type: "write", data: responseLine(requestId, decided) });
  }
  const callId = idAt(input, "tool_use_id");
  const cwd = idAt(input, "cwd");
  if (callId !== null && cwd !== null && cwd !== reading.state.cwd) {
    const elsewhere = [...reading.state.elsewhere, { callId, cwd }].slice(-REQUESTS_MAX);
    reading.change({ elsewhere });
  }
  const tool: AskedTool = { name, input: input["tool_input"] ?? {}, ...placeOf(reading, callId) };
  reading.output({ type: "query", queryId: requestId, query: { type: "permission", tool } });
}

function placeOf({ state }: Reading, callId: string | null): { readonly cwd?: string } {
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
export function readCancel(reading: Reading, message: WireObject): void {
  const askId = idAt(message, "request_id");
  const { requests } = reading.state;
  if (askId === null || !requests.some((request) => request.askId === askId)) return;
  reading.change({ requests: requests.filter((request) => request.askId !== askId) });
  reading.fact({ type: "ask_closed", askId });
}

/** The answer to a request of ours. */
export function readResponse(reading: Reading, message: WireObject): void {
  const response = objectAt(message, "response") ?? {};
  const requestId = idAt(response, "request_id") ?? "";
  const answer = objectAt(response, "response") ?? {};
  if (requestId === INITIALIZE_ID) return readReady(reading, response, answer);
  if (requestId.startsWith(INTERRUPT_ID)) readInterrupted(reading, answer);
}

function readReady(reading: Reading, response: WireObject, answer: WireObject): void {
  if (textAt(response, "subtype") === "error" || answer["hooks_applied"] === false) {
    const why = textAt(response, "error") ?? "it does not show its tool calls before they run";
    return reading.fact({ type: "process_error", error: `Claude Code could not be set up: ${why}` });
  }
  const { sessionId, idleWhenReady, run, ready } = reading.state;
  if (ready) return;
  reading.change({ ready: true });
  reading.fact({ type: "session_created", ...(sessionId === null ? {} : { sessionId }) });
  if (idleWhenReady) reading.fact({ type: "ask:completion_result", askId: `run-${run}-ready:end` });
}
