/** When the agent works, when it is done, and when it was stopped. */
import { closeItemsOf, parentOf } from "./items.js";
import { errorMessage, turnFailure } from "./turn-failure.js";
import type { OpenAsk } from "./codex-state.js";
import type { Draft } from "./draft.js";
import { asFields, asText, type Fields } from "./read-json.js";

/** `messageId` comes back if Codex refuses; `optional`: a refusal does no harm. */
export function startTurn(
  draft: Draft,
  text: string,
  { messageId = null, optional = false }: { messageId?: string | null; optional?: boolean } = {},
): void {
  const { conversationId: threadId } = draft.state;
  const input = [{ type: "text", text, text_elements: [] }];
  draft.set({ starting: "", interrupting: false, over: null });
  draft.request("turn/start", { threadId, input }, { messageId, optional });
}

/** Codex may have added the text to a turn that was under way, and may be over by now: then none starts. */
export function turnAccepted(draft: Draft, turn: Fields): void {
  const { starting, ended } = draft.state;
  const turnId = asText(turn["id"]);
  if (starting !== "") return;
  draft.set({ starting: turnId === draft.main.turnId || turnId === ended ? null : turnId });
}

export function turnStarted(draft: Draft, conversationId: string, turnId: string): void {
  draft.setConversation(conversationId, { turnId });
  if (!draft.isMain(conversationId)) return;
  draft.set({ starting: null, over: null });
  draft.fact({ type: "api_req_started" });
  if (draft.state.interrupting) interruptTurn(draft, conversationId, turnId);
}

/** Each conversation of the session is told to stop: Codex lets subagents go on otherwise. */
export function interruptAll(draft: Draft): void {
  const { conversationId, conversations, starting } = draft.state;
  draft.set({ interrupting: true });
  const working = Object.entries(conversations).filter(([, { turnId }]) => turnId !== null);
  for (const [id, { turnId }] of working) interruptTurn(draft, id, turnId ?? "");
  // A turn that has not started cannot be interrupted: Codex would refuse, and then start it.
  if (working.length === 0 && conversationId !== null && starting === null)
    draft.request("thread/read", { threadId: conversationId, includeTurns: false });
}

function interruptTurn(draft: Draft, threadId: string, turnId: string): void {
  draft.request("turn/interrupt", { threadId, turnId });
}

/** Codex has answered, and nothing works: the wish is fulfilled, unless a turn is about to start. */
export function nothingToInterrupt(draft: Draft): void {
  const { interrupting, starting, conversations } = draft.state;
  const working = Object.values(conversations).some(({ turnId }) => turnId !== null);
  if (!interrupting || starting !== null || working) return;
  draft.set({ interrupting: false, over: null });
  draft.fact({ type: "turn_interrupted" });
}

export function turnCompleted(draft: Draft, conversationId: string, turn: Fields): void {
  const turnId = asText(turn["id"]);
  if (turnId === null) return;
  const { status } = turn;
  const reason = status === "interrupted" || status === "failed" ? status : "done";
  closeItemsOf(draft, conversationId, turnId, reason);
  const own = draft.isMain(conversationId);
  // The session's own turn voids its asks with its end, unless that waits for a subagent's.
  closeAsksOf(draft, conversationId, turnId, !own || reason === "done");
  draft.stream(turnId, "completed", { reason }, parentOf(draft, { conversationId }));
  if (draft.conversation(conversationId).turnId === turnId)
    draft.setConversation(conversationId, { turnId: null });
  if (own) tellEnd(draft, turnId, turn);
  else if (reason === "failed")
    draft.metadata({ problem: `a subagent failed: ${errorMessage(turn["error"])}` });
}

function tellEnd(draft: Draft, turnId: string, { status, error }: Fields): void {
  const askId = `${turnId}:end`;
  const { needsLogin, starting } = draft.state;
  // A turn may fail before it is said to have started.
  const still = starting === turnId ? null : starting;
  draft.set({ interrupting: false, over: null, starting: still, ended: turnId });
  if (status === "interrupted") draft.fact({ type: "turn_interrupted" });
  else if (status === "failed") draft.fact(turnFailure(error, needsLogin, askId));
  else draft.set({ over: askId });
}

/** What a turn asked for is asked no more; Codex says so itself, but only after the turn's end. */
function closeAsksOf(draft: Draft, conversationId: string, turnId: string, told: boolean): void {
  const isOver = (ask: OpenAsk) =>
    ask.conversationId === conversationId && (ask.turnId === turnId || ask.turnId === null);
  const entries = Object.entries(draft.state.asks);
  if (!entries.some(([, ask]) => isOver(ask))) return;
  draft.set({ asks: Object.fromEntries(entries.filter(([, ask]) => !isOver(ask))) });
  if (!told) return;
  for (const [askId, ask] of entries) if (isOver(ask)) draft.fact({ type: "ask_closed", askId });
}

export function statusChanged(draft: Draft, conversationId: string, status: Fields): void {
  const active = status["type"] === "active";
  if (draft.conversation(conversationId).active === active) return;
  draft.setConversation(conversationId, { active });
}

/**
 * After every line: an end is told once Codex says that it is idle and nobody waits for a person. A subagent may still
 * ask when the session's own turn is over; were the end told then, its asks would be void.
 */
export function settle(draft: Draft): void {
  const { over, asks, starting } = draft.state;
  tellBackground(draft);
  if (over === null || starting !== null || draft.main.turnId !== null || draft.main.active) return;
  if (Object.values(asks).some((ask) => !ask.answered)) return;
  draft.set({ over: null, interrupting: false });
  draft.fact({ type: "ask:completion_result", askId: over });
}

/** Subagents at work, and commands that outlived their turn. */
function tellBackground(draft: Draft): void {
  const { conversations, items, conversationId, background } = draft.state;
  if (conversations === draft.before.conversations && items === draft.before.items) return;
  const subagents = Object.entries(conversations).filter(
    ([id, { turnId }]) => id !== conversationId && turnId !== null,
  );
  const commands = Object.values(items).filter(
    (item) =>
      item.type === "commandExecution" && draft.conversation(item.conversationId).turnId !== item.turnId,
  );
  const count = subagents.length + commands.length;
  if (count === background) return;
  draft.set({ background: count });
  draft.fact({ type: "background_changed", count });
}

/** `error` with `willRetry`: Codex tries again by itself. It does not say when, so: about now. */
export function retryScheduled(draft: Draft, params: Fields, atMs: number): void {
  const error = asFields(params["error"]);
  const attempt = Number(/(\d+)\/\d+/.exec(asText(error["message"]) ?? "")?.[1] ?? 1);
  draft.fact({ type: "retry_scheduled", attempt, atMs });
}
