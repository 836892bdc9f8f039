/** A person's or a rule's answer, in the shape that Codex wants it. Each holds once: Signalbox keeps its own grants. */
import type { Json } from "../../core/index.js";
import type { HarnessEffect } from "../../runtime/harness.js";
import { withoutEntry, type OpenAsk } from "./codex-state.js";
import type { Draft } from "./draft.js";
import { answerTo } from "./questions.js";
import { asText, type Fields } from "./read-json.js";
import { startTurn } from "./turns.js";

type Decision = Extract<HarnessEffect, { readonly type: "answer_ask" }>["decision"];

export function answerAsk(draft: Draft, askId: string, decision: Decision, text: string | null): void {
  const { asks } = draft.state;
  const ask = Object.hasOwn(asks, askId) ? asks[askId] : undefined;
  // Closed meanwhile: Codex does not wait for it any more.
  if (!ask || ask.answered) return;
  if (ask.question) return answerQuestion(draft, askId, ask, answerTo(ask.question, text ?? ""));
  const approved = decision === "approve";
  draft.set({ asks: { ...asks, [askId]: { ...ask, answered: true } } });
  if (!approved && text !== null && ask.turnId !== null) steer(draft, ask.conversationId, ask.turnId, text);
  draft.respond(ask.requestId, approved ? approval(ask) : refusal(ask));
}

/** Whoever asks will go on without an answer, or not at all. */
export function voidAsk(draft: Draft, askId: string): void {
  const { asks } = draft.state;
  const ask = Object.hasOwn(asks, askId) ? asks[askId] : undefined;
  if (!ask || ask.answered) return;
  draft.set({ asks: withoutEntry(asks, askId) });
  const others = Object.values(draft.state.asks).filter(({ requestId }) => requestId === ask.requestId);
  if (others.length === 0) draft.respond(ask.requestId, withdrawal(ask));
}

/** All questions of a request are answered together. */
function answerQuestion(draft: Draft, askId: string, ask: OpenAsk, answer: Json): void {
  draft.set({ asks: { ...draft.state.asks, [askId]: { ...ask, answered: true, answer } } });
  const all = Object.values(draft.state.asks).filter(({ requestId }) => requestId === ask.requestId);
  if (all.some(({ answered }) => !answered)) return;
  const answers = all.map(({ question, answer: given = "" }) => [question?.id ?? "", given] as const);
  draft.respond(
    ask.requestId,
    ask.kind === "form"
      ? { action: "accept", content: Object.fromEntries(answers), _meta: null }
      : { answers: Object.fromEntries(answers.map(([id, given]) => [id, { answers: [given] }])) },
  );
}

/** A longer text is not kept for a second try. */
const STEER_LENGTH_MAX = 20_000;

/**
 * Codex's refusal has no place for words, so they are added to the turn as a message. They go first: the turn waits for
 * the answer, and so is sure to be there to take them; the model reads them together with the refusal.
 */
function steer(draft: Draft, threadId: string, expectedTurnId: string, text: string): void {
  const input = [{ type: "text", text, text_elements: [] }];
  const kept = text.length > STEER_LENGTH_MAX ? null : text;
  draft.request("turn/steer", { threadId, expectedTurnId, input }, { conversationId: threadId, text: kept });
}

/** Some turns take no words, such as reviews: then they are the next message, if they can be. */
export function steerRefused(draft: Draft, note: Fields, problem: string): void {
  const text = asText(note["text"]);
  if (text !== null && draft.isMain(asText(note["conversationId"])))
    startTurn(draft, text, { optional: true });
  else draft.metadata({ problem: `the agent did not take the message: ${problem}` });
}

function approval(ask: OpenAsk): Json {
  switch (ask.kind) {
    case "decision":
      return { decision: "accept" };
    case "review":
      return { decision: "approved" };
    case "permissions":
      return { permissions: ask.permissions ?? {}, scope: "turn" };
    case "elicitation":
      return { action: "accept", content: {}, _meta: null };
    case "questions":
    case "form":
      return withdrawal(ask);
  }
}

function refusal(ask: OpenAsk): Json {
  switch (ask.kind) {
    case "decision":
      return { decision: "decline" };
    case "review":
      return { decision: "denied" };
    case "permissions":
      return { permissions: {}, scope: "turn" };
    case "elicitation":
      return { action: "decline", content: null, _meta: null };
    case "questions":
    case "form":
      return withdrawal(ask);
  }
}

function withdrawal(ask: OpenAsk): Json {
  switch (ask.kind) {
    case "decision":
      return { decision: "cancel" };
    case "review":
      return { decision: "abort" };
    case "permissions":
      return { permissions: {}, scope: "turn" };
    case "elicitation":
    case "form":
      return { action: "cancel", content: null, _meta: null };
    case "questions":
      return { answers: {} };
  }
}
