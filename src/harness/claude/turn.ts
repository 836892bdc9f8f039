/**
 * When a turn begins and when it is over.
 *
 * A `result` is not the end: background work and subagents go on, and wake Claude by themselves. It is over with the first
 * `idle` after a `running` that followed what Claude was given last; an `idle` of the turn before may come late.
 */
import type { Ending } from "../../core/index.js";
import type { Usage } from "../../protocol/session.js";
import {
  fieldsAt,
  fieldsOf,
  idAt,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../kit/json.js";
import { type ClaudeState, type Outcome, UNKEPT_LENGTH_MAX } from "./claude-state.js";
import type { ClaudeStep } from "./claude-step.js";
import { INTERRUPT_ID, requestLine } from "./told-line.js";

const LOGIN_HINT = "To log in, run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY.";

/** Claude is given something: the next turn, or more for the one that is not over yet. */
export function given(state: ClaudeState, uuid: string, text: string): ClaudeState {
  const next = state.activity === "idle" ? beginTurn(state) : state;
  const delivery = { uuid, isQueued: false };
  return { ...next, activity: "awaiting", delivery, idleWhenReady: false, unkept: noted(state.unkept, text) };
}

function noted(unkept: ClaudeState["unkept"], text: string): ClaudeState["unkept"] {
  if (unkept === null) return null;
  const length = unkept.reduce((sum, one) => sum + one.length, 0);
  return [...unkept, text.slice(0, UNKEPT_LENGTH_MAX - length)].filter((one) => one !== "");
}

function beginTurn(state: ClaudeState): ClaudeState {
  // What was left unfinished in the turn before stays as it is.
  const speakers = state.speakers.map((speaker) =>
    speaker.parent === null ? { ...speaker, blocks: [] } : speaker,
  );
  const fresh = { interrupt: "no", outcome: null, failure: null, requesting: false } as const;
  return { ...state, ...fresh, turn: state.turn + 1, speakers };
}

/** It goes on without having been told to. */
export function wake(step: ClaudeStep): void {
  if (step.state.activity === "idle")
    step.set({ ...beginTurn(step.state), activity: "running", delivery: null });
}

export function readActivity(step: ClaudeStep, message: JsonObject, line: string): void {
  const name = textAt(message, "state");
  step.set({ tellsStates: true });
  const { activity, delivery } = step.state;
  switch (name) {
    case "running":
      if (activity === "awaiting") step.set({ activity: "running" });
      if (activity !== "idle") return;
      wake(step);
      return step.fact({ type: "api_req_started" });
    case "requires_action":
      // A subagent in the background may ask while the conversation itself is idle.
      return wake(step);
    case "idle":
      if (activity !== "running") return;
      // What it was given lies in its queue: this is the end of something else.
      if (delivery?.isQueued === true) return step.set({ activity: "awaiting" });
      return endTurn(step);
    default:
      return step.unknown("system/session_state_changed", line);
  }
}

/** What becomes of a message: one that comes in the middle of a turn may become a part of it. */
export function readDelivery(step: ClaudeStep, message: JsonObject): void {
  const { delivery, activity } = step.state;
  const progress = textAt(message, "state");
  if (delivery === null) return;
  if (idAt(message, "command_uuid") !== delivery.uuid) return;
  const isQueued = progress === "queued";
  step.set({ delivery: { ...delivery, isQueued } });
  if (isQueued) return;
  if (activity === "awaiting") step.set({ activity: "running" });
  if (progress === "discarded" || progress === "refused") {
    const text = `Claude Code did not take the message: it was ${progress}.`;
    step.set({ outcome: { type: "failed", ask: "api_req_failed", text } });
  }
}

/** A request to the model goes out. */
export function readRequesting(step: ClaudeStep): void {
  const { tellsStates, interrupt } = step.state;
  if (!tellsStates) wake(step);
  step.set({ requesting: true, failure: null });
  step.fact({ type: "api_req_started" });
  if (interrupt === "again") writeInterrupt(step);
}

/** An answer has begun to come. */
export function readAnswering(step: ClaudeStep): void {
  if (!step.state.requesting) readRequesting(step);
  step.set({ requesting: false });
}

function writeInterrupt(step: ClaudeStep): void {
  const { state, data } = interrupting(step.state);
  step.set(state);
  step.write(data);
}

export function interrupting(state: ClaudeState): { readonly state: ClaudeState; readonly data: string } {
  const sent = state.sent + 1;
  return {
    state: { ...state, sent, interrupt: "asked" },
    data: requestLine(`${INTERRUPT_ID}-${sent}`, { subtype: "interrupt" }),
  };
}

/** The answer to an interrupt. One that finds the message still in the queue does not stop the turn that it begins. */
export function readInterrupted(step: ClaudeStep, answer: JsonObject): void {
  const { delivery, interrupt } = step.state;
  const isQueued = delivery !== null && listAt(answer, "still_queued").includes(delivery.uuid);
  if (isQueued && interrupt === "asked") step.set({ interrupt: "again" });
}

export function readBackground(step: ClaudeStep, message: JsonObject): void {
  const count = objectsAt(message, "tasks").filter(({ ambient }) => ambient !== true).length;
  if (count === step.state.background) return;
  step.set({ background: count });
  step.fact({ type: "background_changed", count });
  endTurnByResult(step);
}

export function readResult(step: ClaudeStep, message: JsonObject): void {
  const { used, usage } = usageSince(step.state.used, message);
  step.set({ used });
  if (usage) step.usage(usage);
  const outcome = outcomeOf(message, step.state);
  if (!step.state.ready) {
    const error = "text" in outcome ? outcome.text : "Claude Code ended before it was ready.";
    return step.fact({ type: "process_error", error });
  }
  step.set({ outcome });
  endTurnByResult(step);
}

/** Of a Claude that does not say when it is idle. */
function endTurnByResult(step: ClaudeStep): void {
  const { tellsStates, outcome, background } = step.state;
  if (!tellsStates && outcome && background === 0) endTurn(step);
}

function endTurn(step: ClaudeStep): void {
  const { outcome, interrupt } = step.state;
  const ended: Outcome = outcome ?? { type: interrupt === "no" ? "done" : "interrupted" };
  step.stream("completed", { reason: REASONS[ended.type] });
  const over = { delivery: null, outcome: null, requesting: false, interrupt: "no", unkept: null } as const;
  step.set({ activity: "idle", ...over });
  switch (ended.type) {
    case "done":
      return step.turnEnded(ended.ending && { ending: ended.ending });
    case "interrupted":
      return step.fact({ type: "turn_interrupted" });
    case "failed":
      return step.turnFailed(ended.ask, ended.text);
    case "login_required":
      return step.loginRequired(`${ended.text.replace(/\.?$/, ".")} ${LOGIN_HINT}`);
  }
}

const REASONS = {
  done: "done",
  interrupted: "interrupted",
  failed: "failed",
  login_required: "failed",
} as const satisfies Record<Outcome["type"], string>;

const MESSAGE_LENGTH_MAX = 10_000;

/** How a turn ended, by its `result`. An error of the model's API comes as a success that is an error. */
export function outcomeOf(result: JsonObject, state: Pick<ClaudeState, "failure" | "interrupt">): Outcome {
  const subtype = idAt(result, "subtype") ?? "";
  const isError = result["is_error"] === true || subtype.startsWith("error");
  if (!isError) return { type: "done", ...endingOf(textAt(result, "stop_reason")) };
  if (isAborted(result, subtype, state.interrupt !== "no")) return { type: "interrupted" };
  const text = messageOf(result, subtype);
  if (isLogin(state.failure, text)) return { type: "login_required", text };
  return { type: "failed", ask: failureOf(result, state.failure, text), text };
}

/** Why the model stopped, where that is short of what was asked. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  max_tokens: "max_tokens",
  refusal: "refusal",
  model_context_window_exceeded: "context_full",
};

function endingOf(stopReason: string | null): { readonly ending?: Ending } {
  const ending = stopReason !== null && Object.hasOwn(ENDINGS, stopReason) ? ENDINGS[stopReason] : undefined;
  return ending === undefined ? {} : { ending };
}

function isAborted(result: JsonObject, subtype: string, wasAsked: boolean): boolean {
  const reason = textAt(result, "terminal_reason") ?? "";
  return reason.startsWith("aborted") || (wasAsked && subtype === "error_during_execution");
}

function messageOf(result: JsonObject, subtype: string): string {
  const errors = listAt(result, "errors").filter((error) => typeof error === "string");
  const text = textAt(result, "result") ?? errors.join("\n");
  return text === "" ? `Claude Code ended the turn with ${subtype}.` : text.slice(0, MESSAGE_LENGTH_MAX);
}

/** Versions that do not name the kind of error are known by their words. */
function isLogin(failure: string | null, text: string): boolean {
  if (failure === "authentication_failed" || failure === "oauth_org_not_allowed") return true;
  return failure === null && /please run \/login|invalid api key|not logged in/i.test(text);
}

function failureOf(
  result: JsonObject,
  failure: string | null,
  text: string,
): Extract<Outcome, { readonly type: "failed" }>["ask"] {
  if (failure === "model_not_found") return "invalid_model";
  const isBilling = failure === "billing_error" || textAt(result, "api_error_type") === "billing_error";
  if (isBilling || numberAt(result, "api_error_status") === 402) return "payment_required_prompt";
  if (failure !== null) return "api_req_failed";
  if (/credit balance is too low/i.test(text)) return "payment_required_prompt";
  return /issue with the selected model/i.test(text) ? "invalid_model" : "api_req_failed";
}

type Tokens = Omit<Usage, "costUsd">;

/**
 * What a `result` adds to what was used, and all that was used so far. Claude counts cost and tokens from the start of
 * its process, subagents included; a `result` without these counts has the tokens of its turn alone.
 */
export function usageSince(
  before: Usage,
  result: JsonObject,
): { readonly used: Usage; readonly usage: Usage | null } {
  const counted = countedTokens(result);
  const costUsd = numberAt(result, "total_cost_usd") === null ? null : countAt(result, "total_cost_usd");
  const added = counted ? grownTokens(before, counted) : tokensOfTurn(result);
  const usage: Usage = {
    ...added,
    // Claude counts what comes from a cache beside the input.
    inputTokens: added.inputTokens + added.cachedTokens,
    costUsd: costUsd === null ? null : grown(before.costUsd ?? 0, costUsd),
  };
  const isNothing = Object.values(usage).every((count) => count === 0 || count === null);
  const used: Usage = { ...before, ...counted, costUsd: costUsd ?? before.costUsd };
  return { used, usage: isNothing ? null : usage };
}

function countedTokens(result: JsonObject): Tokens | null {
  const models = objectAt(result, "modelUsage");
  if (!models) return null;
  const tokens = Object.values(models).map((model) => fieldsOf(model));
  const sum = (...keys: readonly string[]) =>
    tokens.reduce((total, model) => total + keys.reduce((part, key) => part + countAt(model, key), 0), 0);
  return {
    inputTokens: sum("inputTokens", "cacheCreationInputTokens"),
    outputTokens: sum("outputTokens"),
    cachedTokens: sum("cacheReadInputTokens"),
  };
}

function tokensOfTurn(result: JsonObject): Tokens {
  const usage = fieldsAt(result, "usage");
  return {
    inputTokens: countAt(usage, "input_tokens") + countAt(usage, "cache_creation_input_tokens"),
    outputTokens: countAt(usage, "output_tokens"),
    cachedTokens: countAt(usage, "cache_read_input_tokens"),
  };
}

function grownTokens(before: Tokens, counted: Tokens): Tokens {
  return {
    inputTokens: grown(before.inputTokens, counted.inputTokens),
    outputTokens: grown(before.outputTokens, counted.outputTokens),
    cachedTokens: grown(before.cachedTokens, counted.cachedTokens),
  };
}

/** A count that is less than before began anew. */
function grown(before: number, now: number): number {
  return Math.max(0, now < before ? now : now - before);
}

function countAt(object: JsonObject, key: string): number {
  return Math.max(0, numberAt(object, key) ?? 0);
}
