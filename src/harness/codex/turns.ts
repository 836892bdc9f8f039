/** When the agent works, when it is done, and when it was stopped. */
import type { Json, SessionFact } from "../../core/index.js";
import type { Usage } from "../../protocol/session.js";
import {
  fieldsAt,
  fieldsOf,
  type JsonObject,
  numberAt,
  numberOf,
  parseJson,
  textAt,
  textOf,
} from "../kit/json.js";
import { cut } from "../kit/words.js";
import type { OpenAsk } from "./codex-state.js";
import type { CodexStep } from "./codex-step.js";
import { closeItemsOf, parentOf } from "./items.js";

/** `messageId` comes back if Codex refuses; `optional`: a refusal does no harm. */
export function startTurn(
  step: CodexStep,
  text: string,
  { messageId = null, optional = false }: { messageId?: string | null; optional?: boolean } = {},
): void {
  const { conversationId: threadId, chosen = {} } = step.state;
  const input = [{ type: "text", text, text_elements: [] }];
  step.set({ starting: "", interrupting: false, over: null, chosen: {} });
  step.request("turn/start", { threadId, input, ...chosen }, { messageId, optional });
}

/** Codex may have added the text to a turn that was under way, and may be over by now: then none starts. */
export function turnAccepted(step: CodexStep, turn: JsonObject): void {
  const { starting, ended } = step.state;
  const turnId = textAt(turn, "id");
  if (starting !== "") return;
  step.set({ starting: turnId === step.main.turnId || turnId === ended ? null : turnId });
}

export function turnStarted(step: CodexStep, conversationId: string, turnId: string): void {
  step.setConversation(conversationId, { turnId });
  if (!step.isMain(conversationId)) return;
  step.set({ starting: null, over: null });
  step.fact({ type: "api_req_started" });
  if (step.state.interrupting) interruptTurn(step, conversationId, turnId);
}

/** Each conversation of the session is told to stop: Codex lets subagents go on otherwise. */
export function interruptAll(step: CodexStep): void {
  const { conversationId, conversations, starting } = step.state;
  step.set({ interrupting: true });
  const working = Object.entries(conversations).filter(([, { turnId }]) => turnId !== null);
  for (const [id, { turnId }] of working) interruptTurn(step, id, turnId ?? "");
  // A turn that has not started cannot be interrupted: Codex would refuse, and then start it.
  if (working.length === 0 && conversationId !== null && starting === null)
    step.request("thread/read", { threadId: conversationId, includeTurns: false });
}

function interruptTurn(step: CodexStep, threadId: string, turnId: string): void {
  step.request("turn/interrupt", { threadId, turnId });
}

/** Codex has answered, and nothing works: the wish is fulfilled, unless a turn is about to start. */
export function nothingToInterrupt(step: CodexStep): void {
  const { interrupting, starting, conversations } = step.state;
  const working = Object.values(conversations).some(({ turnId }) => turnId !== null);
  if (!interrupting || starting !== null || working) return;
  step.set({ interrupting: false, over: null });
  step.fact({ type: "turn_interrupted" });
}

export function turnCompleted(step: CodexStep, conversationId: string, turn: JsonObject): void {
  const turnId = textAt(turn, "id");
  if (turnId === null) return;
  const { status } = turn;
  const reason = status === "interrupted" || status === "failed" ? status : "done";
  closeItemsOf(step, conversationId, turnId, reason);
  const own = step.isMain(conversationId);
  // The session's own turn voids its asks with its end, unless that waits for a subagent's.
  closeAsksOf(step, conversationId, turnId, !own || reason === "done");
  step.stream("completed", { reason }, { streamId: turnId, ...parentOf(step, { conversationId }) });
  if (step.conversation(conversationId).turnId === turnId)
    step.setConversation(conversationId, { turnId: null });
  if (own) tellEnd(step, turnId, turn);
  else if (reason === "failed")
    step.metadata({ problem: `a subagent failed: ${errorMessage(turn["error"])}` });
}

function tellEnd(step: CodexStep, turnId: string, { status, error }: JsonObject): void {
  const askId = `${turnId}:end`;
  const { needsLogin, starting } = step.state;
  // A turn may fail before it is said to have started.
  const still = starting === turnId ? null : starting;
  step.set({ interrupting: false, over: null, starting: still, ended: turnId });
  if (status === "interrupted") step.fact({ type: "turn_interrupted" });
  else if (status === "failed") step.fact(turnFailure(error, needsLogin, askId));
  else step.set({ over: askId });
}

/** What a turn asked for is asked no more; Codex says so itself, but only after the turn's end. */
function closeAsksOf(step: CodexStep, conversationId: string, turnId: string, told: boolean): void {
  const isOver = (ask: OpenAsk) =>
    ask.conversationId === conversationId && (ask.turnId === turnId || ask.turnId === null);
  const entries = Object.entries(step.state.asks);
  if (!entries.some(([, ask]) => isOver(ask))) return;
  step.set({ asks: Object.fromEntries(entries.filter(([, ask]) => !isOver(ask))) });
  if (!told) return;
  for (const [askId, ask] of entries) if (isOver(ask)) step.askClosed(askId);
}

export function statusChanged(step: CodexStep, conversationId: string, status: JsonObject): void {
  const active = status["type"] === "active";
  if (step.conversation(conversationId).active === active) return;
  step.setConversation(conversationId, { active });
}

/**
 * After every line: an end is told once Codex says that it is idle and nobody waits for a person. A subagent may still
 * ask when the session's own turn is over; were the end told then, its asks would be void.
 */
export function settle(step: CodexStep): void {
  const { over, asks, starting } = step.state;
  tellBackground(step);
  if (over === null || starting !== null || step.main.turnId !== null || step.main.active) return;
  if (Object.values(asks).some((ask) => !ask.answered)) return;
  step.set({ over: null, interrupting: false });
  step.turnEnded({ askId: over });
}

/** Subagents at work, and commands that outlived their turn. */
function tellBackground(step: CodexStep): void {
  const { conversations, items, conversationId, background } = step.state;
  if (conversations === step.before.conversations && items === step.before.items) return;
  const subagents = Object.entries(conversations).filter(
    ([id, { turnId }]) => id !== conversationId && turnId !== null,
  );
  const commands = Object.values(items).filter(
    (item) =>
      item.type === "commandExecution" && step.conversation(item.conversationId).turnId !== item.turnId,
  );
  const count = subagents.length + commands.length;
  if (count === background) return;
  step.set({ background: count });
  step.fact({ type: "background_changed", count });
}

/** `error` with `willRetry`: Codex tries again by itself. It does not say when, so: about now. */
export function retryScheduled(step: CodexStep, params: JsonObject, atMs: number): void {
  const error = fieldsAt(params, "error");
  const attempt = Number(/(\d+)\/\d+/.exec(textAt(error, "message") ?? "")?.[1] ?? 1);
  step.fact({ type: "retry_scheduled", attempt, atMs });
}

const MESSAGE_LENGTH_MAX = 2_000;
export const LOGIN_COMMAND = "codex login";

/** `error`: Codex's TurnError. */
export function turnFailure(error: Json | undefined, needsLogin: boolean, askId: string): SessionFact {
  const text = errorMessage(error);
  const { code, httpStatus } = errorInfo(error);
  if (needsLogin && (code === "unauthorized" || httpStatus === 401))
    return loginRequired(`Codex is logged in no more: ${text}`);
  switch (code) {
    case "usageLimitExceeded":
    case "sessionBudgetExceeded":
      return { type: "ask:payment_required_prompt", askId, text };
    case "modelNotFound":
      return { type: "ask:invalid_model", askId, text };
    case "tooManyDenials":
      return { type: "ask:mistake_limit_reached", askId, text };
    default:
      return httpStatus === 402
        ? { type: "ask:payment_required_prompt", askId, text }
        : { type: "ask:api_req_failed", askId, text };
  }
}

export function loginRequired(problem: string): SessionFact {
  return { type: "process_error", code: "login_required", error: `${problem}. Run: ${LOGIN_COMMAND}` };
}

/** A provider's answer may be handed through as the JSON that it was. */
export function errorMessage(error: Json | undefined): string {
  const message = textAt(fieldsOf(error), "message") ?? "the turn failed";
  const inner = message.startsWith("{") ? innerMessage(message) : null;
  return cut(inner ?? message, MESSAGE_LENGTH_MAX);
}

function innerMessage(message: string): string | null {
  return textOf(fieldsOf(fieldsOf(parseJson(message))["error"])["message"]);
}

/** A word, or an object with that word as its only key. */
function errorInfo(error: Json | undefined): {
  readonly code: string | null;
  readonly httpStatus: number | null;
} {
  const info = fieldsOf(error)["codexErrorInfo"];
  if (typeof info === "string") return { code: info, httpStatus: null };
  const [code = null] = Object.keys(fieldsOf(info));
  const httpStatus = code === null ? null : numberAt(fieldsOf(fieldsOf(info)[code]), "httpStatusCode");
  return { code, httpStatus };
}

/** Cached tokens are counted among the input tokens, as Codex does. */
export interface Totals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/**
 * What is new since `before`. Of a conversation that was not seen before, only the last request is new, and only while
 * a turn is under way: a resumed one begins by telling what it had used long ago.
 */
export function newUsage(
  before: Totals | null,
  tokenUsage: Json | undefined,
  inTurn: boolean,
): { readonly totals: Totals; readonly usage: Usage | null } {
  const { total, last } = fieldsOf(tokenUsage);
  const totals = totalsOf(total);
  const added = before ? difference(totals, before) : inTurn ? totalsOf(last) : NOTHING;
  const isNew = added.inputTokens > 0 || added.outputTokens > 0;
  return { totals, usage: isNew ? { ...added, costUsd: null } : null };
}

const NOTHING: Totals = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

function totalsOf(breakdown: Json | undefined): Totals {
  const { inputTokens, outputTokens, cachedInputTokens } = fieldsOf(breakdown);
  return {
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    cachedTokens: count(cachedInputTokens),
  };
}

function count(value: Json | undefined): number {
  return Math.max(0, numberOf(value) ?? 0);
}

function difference(after: Totals, before: Totals): Totals {
  return {
    inputTokens: Math.max(0, after.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, after.outputTokens - before.outputTokens),
    cachedTokens: Math.max(0, after.cachedTokens - before.cachedTokens),
  };
}
