/**
 * The legacy Kilo CLI (`kilocode --json-io`) in 000's own vocabulary, as facts and content; and effects, as its messages.
 * Pure.
 *
 * No such version can be had any more: this follows what 000 says of it. Texts that are being written come as a whole
 * each time, under the same timestamp.
 */
import { stripVTControlCharacters } from "node:util";
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import { fieldAt, isObject, type JsonObject, numberAt, parseJson, stringAt } from "../kit/json.js";
import {
  beReady,
  closeCalls,
  contentOf,
  idOf,
  isPause,
  metadataOf,
  showOutput,
  takeAsk,
} from "./kilo-asks.js";
import { firstKiloState, fromJson, type KiloState, KiloStep, type KiloUsage } from "./kilo-state.js";

/** It was started without anything to do, or has ended well: there is no word for going on. */
const CONTINUE = "Continue where you left off.";

/** The prompt is one of its arguments: nothing is left to be told. */
export function startKilo(start: RunStart): { readonly state: Json; readonly input: string } {
  return { state: firstKiloState(start), input: "" };
}

export function decodeKilo(json: Json, line: string, nowMs: number): Decoded {
  if (line.trim() === "") return { state: json, outputs: [] };
  const step = new KiloStep(fromJson(json), nowMs);
  const messages = objectsIn(line);
  for (const message of messages) take(step, message);
  if (messages.length === 0) step.unknown("line", line);
  return step.decoded();
}

function take(step: KiloStep, message: JsonObject): void {
  if (stringAt(message, "event") !== null) takeEvent(step, message);
  else if (isOld(step.state, message)) return;
  else if (stringAt(message, "source") === "cli" || stringAt(message, "type") === "welcome")
    takeOwn(step, message);
  else if (stringAt(message, "type") === "ask") takeAsk(step, message);
  else if (stringAt(message, "type") === "say") takeSay(step, message);
  else step.unknown("message", message);
}

/** A resumed run repeats its history first, up to the ask that says that it waits; what is repeated later is older. */
function isOld({ resume, ready, sinceMs }: KiloState, message: JsonObject): boolean {
  if (resume !== null && !ready) return !isPause(stringAt(message, "ask"));
  const atMs = numberAt(message, "timestamp");
  return sinceMs !== null && atMs !== null && atMs < sinceMs;
}

function takeEvent(step: KiloStep, message: JsonObject): void {
  switch (stringAt(message, "event")) {
    case "session_created":
      // A resumed run is ready only when it waits.
      if (step.state.resume === null) beReady(step, stringAt(message, "sessionId"));
      return;
    case "session_title_generated":
      return step.stream("metadata", { title: stringAt(message, "title") });
    default:
      return step.unknown("event", message);
  }
}

/** What the command line itself says: it greets, it informs. */
function takeOwn(step: KiloStep, message: JsonObject): void {
  const { begun, run } = step.state;
  const isGreeting = stringAt(message, "type") === "welcome";
  if (!isGreeting) step.stream("metadata", { notice: contentOf(message) || stringAt(message, "type") });
  if (!isGreeting || begun || step.state.ready) return;
  beReady(step, null);
  step.set({ resting: "done" });
  step.turnEnded({ askId: `run-${run}-turn-0:end` });
}

export function encodeKilo(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const state = fromJson(json);
  switch (effect.type) {
    case "deliver_message":
      return begun(state, state.begun ? reply(text ?? "") : { type: "newTask", text: text ?? "" });
    case "continue_run":
      return begun(state, state.resting === "done" ? reply(CONTINUE) : YES);
    case "interrupt_run":
      return { state: { ...state, interrupting: true }, writes: [line({ type: "cancelTask" })] };
    case "void_asks":
      // Nobody waits for an answer any more, and the next ask would take it for its own.
      return { state: { ...state, asks: [] }, writes: [] };
    case "answer_ask":
      return answered(state, effect, text);
  }
}

type Told = Readonly<Record<string, string>>;

const YES: Told = { type: "askResponse", askResponse: "yesButtonClicked" };
const NO: Told = { type: "askResponse", askResponse: "noButtonClicked" };

function reply(text: string): Told {
  return { type: "askResponse", askResponse: "messageResponse", text };
}

function begun(state: KiloState, told: Told): Encoded {
  const turn = state.turn + 1;
  const next = { ...state, turn, begun: true, resting: null, interrupting: false, retries: 0 };
  return { state: next, writes: [line(told)] };
}

/** It takes an answer for the ask that it shows: there is only one. */
function answered(
  state: KiloState,
  { askId, decision }: Extract<HarnessEffect, { readonly type: "answer_ask" }>,
  text: string | null,
): Encoded {
  if (!state.asks.includes(askId)) return { state, writes: [] };
  const asks = state.asks.filter((other) => other !== askId);
  if (decision === "reply") return { state: { ...state, asks }, writes: [line(reply(text ?? ""))] };
  const words = text === null ? {} : { text };
  if (decision === "approve") return { state: { ...state, asks }, writes: [line({ ...YES, ...words })] };
  const calls = state.calls.map((call) => (call.callId === askId ? { ...call, rejected: true } : call));
  return { state: { ...state, asks, calls }, writes: [line({ ...NO, ...words })] };
}

function line(told: Told): string {
  return `${JSON.stringify(told)}\n`;
}

/** Kinds that only repeat, or belong to its own screen. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "api_req_finished",
  "user_feedback",
  "user_feedback_diff",
  "shell_integration_warning",
]);

/** Kinds that a person may want to know of. */
const NOTICES: ReadonlySet<string> = new Set([
  "error",
  "diff_error",
  "condense_context",
  "condense_context_error",
  "subtask_result",
  "mcp_server_request_started",
  "mcp_server_response",
  "api_req_retried",
  "api_req_deleted",
  "rooignore_error",
  "codebase_search_result",
]);

export function takeSay(step: KiloStep, message: JsonObject): void {
  const say = stringAt(message, "say") ?? "";
  const partial = fieldAt(message, "partial") === true;
  switch (say) {
    case "api_req_started":
      return takeRequest(step, message);
    case "text":
      // Before the first request it repeats the prompt.
      if (!step.state.requested && step.state.resume === null) return;
      write(step, "text_delta", message);
      return step.fact({ type: "say:text", partial });
    case "completion_result":
      write(step, "text_delta", message);
      return step.fact({ type: "say:completion_result", partial });
    case "reasoning":
      return write(step, "thinking_delta", message);
    case "checkpoint_saved":
      return step.fact({ type: "say:checkpoint_saved" });
    case "command_output":
      return showOutput(step, message);
    case "api_req_retry_delayed":
      return takeRetry(step, message, partial);
    default:
      if (NOTICES.has(say)) step.stream("metadata", { notice: contentOf(message), say });
      else if (!LEFT_OUT.has(say)) step.unknown("say", message);
  }
}

function write(step: KiloStep, event: "text_delta" | "thinking_delta", message: JsonObject): void {
  const text = contentOf(message);
  if (text !== "") step.stream(event, { text, replace: true }, { messageId: idOf(step, message) });
}

/** With counts of tokens it is no request, but what one has used. */
function takeRequest(step: KiloStep, message: JsonObject): void {
  const metadata = metadataOf(message);
  if (numberAt(metadata, "tokensIn") !== null || numberAt(metadata, "tokensOut") !== null) {
    takeUsage(step, message, metadata);
    return;
  }
  // It works on: whatever it asked has been answered, there or here.
  for (const askId of step.state.asks) step.askClosed(askId);
  closeCalls(step, []);
  const { turn, resting } = step.state;
  // Nobody told it to go on: it woke by itself.
  step.set({ requested: true, asks: [], resting: null, turn: resting === null ? turn : turn + 1 });
  step.fact({ type: "api_req_started" });
}

function takeUsage(step: KiloStep, message: JsonObject, metadata: JsonObject): void {
  const count = (key: string) => Math.max(0, numberAt(metadata, key) ?? 0);
  const now: KiloUsage = {
    id: String(numberAt(message, "timestamp")),
    inputTokens: count("tokensIn"),
    outputTokens: count("tokensOut"),
    cachedTokens: count("cacheReads"),
    costUsd: count("cost"),
  };
  const before = step.state.used?.id === now.id ? step.state.used : null;
  const more = (key: "inputTokens" | "outputTokens" | "cachedTokens" | "costUsd") =>
    Math.max(0, now[key] - (before?.[key] ?? 0));
  step.set({ used: now });
  step.usage({
    inputTokens: more("inputTokens"),
    outputTokens: more("outputTokens"),
    cachedTokens: more("cachedTokens"),
    costUsd: numberAt(metadata, "cost") === null ? null : more("costUsd"),
  });
}

/** `Retrying in 5 seconds`, counted down; told once for each attempt. */
function takeRetry(step: KiloStep, message: JsonObject, partial: boolean): void {
  const [, seconds] = /(\d+)\s*s(?:ec|\b)/i.exec(contentOf(message)) ?? [];
  if (seconds === undefined) return;
  const [, told] = /attempt\s+(\d+)/i.exec(contentOf(message)) ?? [];
  const attempt = told === undefined ? Math.max(1, step.state.retries) : Number(told);
  if (partial && attempt === step.state.retries) return;
  step.set({ retries: attempt });
  step.fact({ type: "retry_scheduled", attempt, atMs: step.nowMs + Number(seconds) * 1_000 });
}

/** Every object in the line, in order; none if there is nothing else than other text. */
export function objectsIn(line: string): readonly JsonObject[] {
  const whole = parsed(line);
  if (whole) return [whole];
  return pieces(stripVTControlCharacters(line))
    .map(parsed)
    .filter((object) => object !== null);
}

/** The texts between outermost braces. */
function pieces(text: string): readonly string[] {
  const found: string[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (isQuoted) {
      if (sign === "\\") index += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = depth > 0;
    else if (sign === "{") {
      if (depth === 0) start = index;
      depth += 1;
    } else if (sign === "}" && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, index + 1));
    }
  }
  return found;
}

function parsed(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
