/**
 * The legacy Kilo CLI (`kilocode --json-io`) in 000's own vocabulary, as facts and content; and effects, as its messages.
 * Pure.
 *
 * No such version can be had any more: this follows what 000 says of it. Texts that are being written come as a whole
 * each time, under the same timestamp.
 */
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import { numberAt, textAt, type JsonObject } from "../acp/json-fields.js";
import { contentOf } from "./kilo-asks.js";
import { objectsIn } from "./kilo-line.js";
import { firstKiloState, fromJson, type KiloState } from "./kilo-state.js";
import { KiloStep } from "./kilo-step.js";
import { beReady, isPause, takeAsk } from "./take-ask.js";
import { takeSay } from "./take-say.js";

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
  if (textAt(message, "event") !== null) takeEvent(step, message);
  else if (isOld(step.state, message)) return;
  else if (textAt(message, "source") === "cli" || textAt(message, "type") === "welcome")
    takeOwn(step, message);
  else if (textAt(message, "type") === "ask") takeAsk(step, message);
  else if (textAt(message, "type") === "say") takeSay(step, message);
  else step.unknown("message", message);
}

/** A resumed run repeats its history first, up to the ask that says that it waits; what is repeated later is older. */
function isOld({ resume, ready, sinceMs }: KiloState, message: JsonObject): boolean {
  if (resume !== null && !ready) return !isPause(textAt(message, "ask"));
  const atMs = numberAt(message, "timestamp");
  return sinceMs !== null && atMs !== null && atMs < sinceMs;
}

function takeEvent(step: KiloStep, message: JsonObject): void {
  switch (textAt(message, "event")) {
    case "session_created":
      // A resumed run is ready only when it waits.
      if (step.state.resume === null) beReady(step, textAt(message, "sessionId"));
      return;
    case "session_title_generated":
      return step.stream("metadata", { title: textAt(message, "title") });
    default:
      return step.unknown("event", message);
  }
}

/** What the command line itself says: it greets, it informs. */
function takeOwn(step: KiloStep, message: JsonObject): void {
  const { begun, run } = step.state;
  const isGreeting = textAt(message, "type") === "welcome";
  if (!isGreeting) step.stream("metadata", { notice: contentOf(message) || textAt(message, "type") });
  if (!isGreeting || begun || step.state.ready) return;
  beReady(step, null);
  step.set({ resting: "done" });
  step.fact({ type: "ask:completion_result", askId: `run-${run}-turn-0:end` });
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
