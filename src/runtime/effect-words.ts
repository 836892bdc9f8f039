/** An effect in an agent's words, and the fact that says that they could not be said. */
import type { Json, SessionEffect, SessionEvent, SessionFact } from "../core/index.js";
import type { Call, FailureNote } from "./call.js";
import type { Encoded, Harness, HarnessEffect, Output, RunStart } from "./harness.js";
import type { AskDetail } from "./session-record.js";

/** What an effect is about, beside what it says itself. */
export interface Context {
  /** Of the asks that were open before. */
  readonly askDetails: Readonly<Record<string, AskDetail>>;
  /** What brought it about. */
  readonly event: SessionEvent;
}

export function wordFor(
  harness: Harness,
  codec: Json,
  effect: HarnessEffect,
  texts: ReadonlyMap<string, string>,
  context: Context,
): Encoded {
  const messageId = "messageId" in effect ? effect.messageId : undefined;
  if (messageId === undefined) return harness.encode(codec, effect, rejectionOf(effect, context));
  const text = texts.get(messageId);
  if (text === undefined) return { state: codec, writes: [], failure: "the message's text is gone" };
  return harness.encode(codec, effect, text);
}

/** Why a rule rejects, for the agent to read. */
function rejectionOf(effect: HarnessEffect, { event }: Context): string | null {
  const isRejection = effect.type === "answer_ask" && effect.by === "rule" && effect.decision === "reject";
  return isRejection && event.type === "permission_resolved" ? (event.because ?? null) : null;
}

export function failureNote(
  effect: HarnessEffect,
  { askDetails }: Pick<Context, "askDetails"> = { askDetails: {} },
): FailureNote {
  switch (effect.type) {
    case "deliver_message":
      return { type: "delivery_failed", run: effect.run, messageId: effect.messageId };
    case "answer_ask": {
      const { type, run, askId, messageId } = effect;
      const carried = messageId === undefined ? {} : { messageId };
      const detail = Object.hasOwn(askDetails, askId) ? askDetails[askId] : undefined;
      const what = detail ? { what: `${ANSWERS[effect.decision]} “${detail.title}”` } : {};
      return { type: "effect_failed", run, effect: { type, run, askId, ...carried }, ...what };
    }
    case "continue_run":
      return { type: "effect_failed", run: effect.run, effect: { type: effect.type, run: effect.run } };
    case "interrupt_run":
    case "void_asks":
      return { type: "none" };
  }
}

const ANSWERS = { approve: "the approval of", reject: "the rejection of", reply: "the answer to" } as const;

export function failureFact(note: FailureNote, message: string): SessionFact | null {
  switch (note.type) {
    case "delivery_failed":
      return { ...note, error: message };
    case "effect_failed": {
      const { type, run, effect } = note;
      return { type, run, effect, message };
    }
    case "none":
      return null;
  }
}

/** The message that comes back with a failure. */
export function carriedMessage(fact: SessionFact): string | null {
  if (fact.type === "delivery_failed") return fact.messageId;
  return fact.type === "effect_failed" ? (fact.effect.messageId ?? null) : null;
}

/** What is to be done so that the agent hears it. */
export function callsFor(word: Encoded, run: number, onFailure: FailureNote): readonly Call[] {
  const { writes, typing, signal, queries = [] } = word;
  return [
    ...writes.map((data): Call => ({ type: "write", run, data, onFailure })),
    ...(typing ? [{ type: "typing", run, typing, onFailure } as const] : []),
    ...(signal ? [{ type: "signal", run, signal } as const] : []),
    ...queries.map((query): Call => ({ type: "query", run, ...query })),
  ];
}

/** What a codec wants done by itself. */
export function callOf(
  output: Extract<Output, { readonly type: "query" | "typing" | "write" }>,
  run: number,
): Call {
  switch (output.type) {
    case "query":
      return { type: "query", run, queryId: output.queryId, query: output.query };
    case "typing": {
      const { typing, messageId } = output;
      return { type: "typing", run, typing, onFailure: { type: "delivery_failed", run, messageId } };
    }
    case "write":
      return { type: "write", run, data: output.data, onFailure: { type: "none" } };
  }
}

/** What starts a run and gives it its first input. */
export function spawnCalls(
  run: number,
  resume: string | null,
  prompt: RunStart["prompt"],
  input: string,
): readonly Call[] {
  const spawn = { type: "spawn", run, resume, prompt: prompt?.text ?? null } as const;
  if (input === "") return [spawn];
  const onFailure = prompt
    ? ({ type: "delivery_failed", run, messageId: prompt.messageId } as const)
    : ({ type: "none" } as const);
  return [spawn, { type: "write", run, data: input, onFailure }];
}

/** A person's answer may hold for more than this once. */
export function grantOf(
  effect: HarnessEffect,
  { askDetails }: Context,
): Extract<Call, { readonly type: "grant" }> | null {
  if (effect.type !== "answer_ask" || effect.decision !== "approve") return null;
  const { askId, scope } = effect;
  const tool = Object.hasOwn(askDetails, askId) ? askDetails[askId]?.tool : undefined;
  if (scope === undefined || scope === "once" || tool === undefined) return null;
  return { type: "grant", scope, tool };
}

type AnswerWall = Extract<SessionEffect, { readonly type: "answer_wall" }>;

const REASON_LENGTH_MAX = 500;

/** What becomes of an answer to the wall: first what it grants for longer, then the word to whoever holds the host. */
export function wallCalls(
  { run, askId, decision, by, scope, messageId }: AnswerWall,
  texts: ReadonlyMap<string, string>,
  { askDetails }: Pick<Context, "askDetails">,
): readonly Call[] {
  const allow = decision === "approve";
  const tool = Object.hasOwn(askDetails, askId) ? askDetails[askId]?.tool : undefined;
  const isLasting = allow && scope !== undefined && scope !== "once" && tool !== undefined;
  const grants: readonly Call[] = isLasting ? [{ type: "grant", scope, tool, source: "wall" }] : [];
  const said = messageId === undefined ? "" : (texts.get(messageId) ?? "");
  const reason = said.replaceAll(/\s+/g, " ").trim().slice(0, REASON_LENGTH_MAX);
  const refusal = by === "rule" ? "too many hosts wait for an answer already" : "a person rejected it";
  const because = allow || reason === "" ? refusal : `${refusal}: ${reason}`;
  return [...grants, { type: "answer_wall", run, askId, allow, because: allow ? "" : because }];
}
