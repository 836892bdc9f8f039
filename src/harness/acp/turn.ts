/** A turn: from a prompt to the agent's word that it is over, and what that word means. */
import type { CancelNotification, PromptRequest } from "@agentclientprotocol/sdk";
import type { Ending, Json } from "../../core/index.js";
import { NO_USAGE } from "../../protocol/session.js";
import type { RpcId } from "../kit/json-rpc.js";
import {
  fieldAt,
  fieldsAt,
  fieldsOf,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from "../kit/json.js";
import { SAID_AGAIN_LENGTH_MAX } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { type Failure, failureOf } from "./failure.js";
import { loginCommand } from "./login.js";
import type { Reply } from "./handshake.js";
import { closeCalls } from "./tool-calls.js";

/**
 * A request of our own that no agent knows. Agents take their input in order and answer what they do not know at once:
 * whatever was said before has then been taken.
 */
export const PING = "_signalbox/ping";

export function ping(step: AcpStep, note: Json): void {
  step.request(PING, {}, note);
}

/** What was lost with an earlier process, and what was said while rejecting and did not get through, goes first. */
export function beginTurn(step: AcpStep, text: string | null): void {
  const { followUps, sessionId, unkept } = step.state;
  const turn = step.state.turn + 1;
  step.set({
    turn,
    turnOpen: true,
    isAwake: false,
    taken: false,
    hasActed: false,
    interrupting: false,
    cancelled: false,
    followUps: [],
    approved: [],
    approvedCommands: [],
    failure: null,
    failing: false,
    retries: 0,
    message: { ...step.state.message, open: false, agentId: null },
  });
  const words = [unkept, ...followUps, text].filter((part) => part !== null).join("\n\n");
  const { forgetsFailedPrompt = false, keepsPromptsLate = false } = step.agent.quirks;
  const kept = words.length <= SAID_AGAIN_LENGTH_MAX ? words : null;
  step.set({ unheard: forgetsFailedPrompt ? kept : null, unkept: keepsPromptsLate ? kept : null });
  const prompt = [{ type: "text" as const, text: words }];
  step.request("session/prompt", { sessionId: sessionId ?? "", prompt } satisfies PromptRequest, turn);
  ping(step, turn);
}

export function cancelTurn(step: AcpStep): void {
  const { sessionId } = step.state;
  if (sessionId === null) return;
  step.set({ cancelled: true });
  step.notify("session/cancel", { sessionId } satisfies CancelNotification);
}

/** The prompt is answered. Only now is the turn over: neither a finished call nor silence says so. */
export function endTurn(step: AcpStep, turn: number, reply: Reply): void {
  if (turn !== step.state.turn || !step.state.turnOpen) return;
  step.set({ unkept: null });
  closeCalls(step);
  if (reply.ok) takeTurnUsage(step, fieldsOf(reply.result));
  const end = endOf(step, reply);
  const { followUps, interrupting } = step.state;
  step.stream("completed", { reason: end.reason });
  if (followUps.length > 0 && !interrupting && end.failure === null) {
    beginTurn(step, null);
    return;
  }
  const askId = `${step.streamId}:end`;
  step.set({ turnOpen: false, interrupting: false });
  if (end.failure) fail(step, askId, end.failure);
  else if (end.reason === "cancelled") step.fact({ type: "turn_interrupted" });
  else step.turnEnded({ askId, ...end.shortfall });
}

interface End {
  readonly reason: string;
  readonly failure: Failure | null;
  readonly shortfall?: Shortfall;
}

interface Shortfall {
  readonly text: string;
  readonly ending?: Ending;
}

/** Reasons that are no failure, but that a person should know. */
const STOPPED_SHORT: Readonly<Record<string, Shortfall>> = {
  max_tokens: { text: "The answer reached the model's limit of tokens.", ending: "max_tokens" },
  max_turn_requests: { text: "The agent reached its limit of requests for one turn." },
  refusal: { text: "The model refused to answer.", ending: "refusal" },
};

function endOf(step: AcpStep, reply: Reply): End {
  const { cancelled, failing, failure } = step.state;
  if (!reply.ok) {
    if (cancelled) return { reason: "cancelled", failure: null };
    return { reason: "failed", failure: failureOf(reply.error, loginCommand(step)) };
  }
  const reason = stringAt(fieldsOf(reply.result), "stopReason") ?? "end_turn";
  if (reason === "cancelled") return { reason, failure: null };
  if (failing) {
    const error = { code: 0, message: failure ?? "The request to the model failed.", data: null };
    return { reason: "failed", failure: failureOf(error, loginCommand(step)) };
  }
  if (reason === "end_turn" && !step.state.hasActed && usedNothing(fieldsOf(reply.result)))
    return { reason: "failed", failure: { type: "ask", ask: "api_req_failed", text: NOTHING_CAME } };
  const shortfall = Object.hasOwn(STOPPED_SHORT, reason) ? STOPPED_SHORT[reason] : undefined;
  return { reason, failure: null, ...(shortfall && { shortfall }) };
}

/** Some agents end a turn whose request has failed as if it were well: nothing was said, done or used. */
const NOTHING_CAME =
  "The agent ended its turn without an answer, and used nothing of its model. The request has probably failed: its own log may say why.";

function fail(step: AcpStep, askId: string, failure: Failure): void {
  if (failure.type === "login") step.loginRequired(failure.text);
  else step.turnFailed(failure.ask, failure.text, askId);
}

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
  if (stringAt(origin, "kind") === "task-notification") rest(step);
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
  else step.turnEnded({ askId });
}

/** What an agent says that it has used. Each has its own place for it; nothing is counted twice. */
interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/** With the end of a turn: `usage`, or what Gemini CLI calls its quota. */
export function takeTurnUsage(step: AcpStep, result: JsonObject): void {
  const counted = fieldsAt(objectAt(objectAt(result, "_meta"), "quota"), "token_count");
  const told = isObject(fieldAt(result, "usage")) ? tokensIn(fieldsAt(result, "usage")) : tokensIn(counted);
  if (step.agent.quirks.tokensAddUp !== true) {
    addTokens(step, told);
    return;
  }
  const { tokens } = step.state;
  const { inputTokens, outputTokens, cachedTokens } = told;
  // A turn that failed may tell nothing: the total does not fall for that.
  if (inputTokens < tokens.inputTokens || outputTokens < tokens.outputTokens) return;
  step.set({ tokens: told });
  addTokens(step, {
    inputTokens: inputTokens - tokens.inputTokens,
    outputTokens: outputTokens - tokens.outputTokens,
    cachedTokens: Math.max(0, cachedTokens - tokens.cachedTokens),
  });
}

/** It tells what the turn has used, and that is nothing. */
export function usedNothing(result: JsonObject): boolean {
  const usage = fieldAt(result, "usage");
  if (!isObject(usage) || numberAt(usage, "totalTokens") !== 0) return false;
  const { inputTokens, outputTokens } = tokensIn(usage);
  return inputTokens + outputTokens === 0;
}

/** With a piece of a message: Qwen Code tells it after each request. */
export function takeChunkUsage(step: AcpStep, update: JsonObject): void {
  const usage = fieldAt(objectAt(update, "_meta"), "usage");
  if (isObject(usage)) addTokens(step, tokensIn(usage));
}

/** How full its context is, and what everything has cost so far. */
export function takeUsageUpdate(step: AcpStep, update: JsonObject): void {
  const [used, size] = [numberAt(update, "used"), numberAt(update, "size")];
  if (used !== null && size !== null && step.state.phase === "ready")
    step.stream("status", { contextTokens: used, contextTokensMax: size });
  const cost = objectAt(update, "cost");
  const amount = numberAt(cost, "amount");
  if (amount === null || stringAt(cost, "currency") !== "USD") return;
  const { costUsd, resume, phase } = step.state;
  step.set({ costUsd: amount });
  // Of a conversation with earlier runs, the first total says nothing about this one.
  const isUnknown = costUsd === null && resume !== null && step.agent.quirks.costOutlivesRun === true;
  const spent = amount - (costUsd ?? 0);
  if (isUnknown || phase !== "ready" || spent < 0 || (spent === 0 && costUsd !== null)) return;
  step.usage({ ...NO_USAGE, costUsd: spent });
}

function addTokens(step: AcpStep, tokens: Tokens): void {
  if (tokens.inputTokens + tokens.outputTokens + tokens.cachedTokens === 0) return;
  step.usage({ ...tokens, costUsd: null });
}

/** Some count what comes from a cache among the input, others beside it: then it is in their total once more. */
function tokensIn(usage: JsonObject): Tokens {
  const given = count(usage, ["inputTokens", "input_tokens"]);
  const outputTokens = count(usage, ["outputTokens", "output_tokens"]);
  const cachedTokens = count(usage, ["cachedReadTokens", "cached_tokens"]);
  const beside = cachedTokens + count(usage, ["cachedWriteTokens"]);
  const total = numberAt(usage, "totalTokens");
  const isBeside = total === null ? cachedTokens > given : total >= given + outputTokens + beside;
  return { inputTokens: isBeside ? given + beside : given, outputTokens, cachedTokens };
}

function count(usage: JsonObject, keys: readonly string[]): number {
  for (const key of keys) {
    const value = numberAt(usage, key);
    if (value !== null && value >= 0) return value;
  }
  return 0;
}
