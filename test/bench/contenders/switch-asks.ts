/** The bare switch's own code for asks and their answers. */
import type { AnswerAsk, SessionEffect } from "../../../src/core/session/effects.js";
import type { EventOf } from "../../../src/core/session/events.js";
import { isApproval, type Ask, type Phase, type SessionState } from "../../../src/core/session/state.js";
import { cancelled, changed, remembered, statusFor, without } from "./pieces.js";
import { NONE, copyOf, ignored, ok, type Draft, type Outcome } from "./switch-outcome.js";

export function approvalAsked(
  state: SessionState,
  event: EventOf<"ask:tool" | "ask:command">,
  ask: Ask["ask"],
): Outcome {
  const asks = [...state.asks, { askId: event.askId, ask, needsHuman: false }];
  return ok(waiting(state, "waiting_approval", asks), [
    ...waitingEffects(state, "waiting_approval", event.type),
    { type: "check_permission", askId: event.askId },
  ]);
}

export function questionAsked(state: SessionState, event: EventOf<"ask:followup">): Outcome {
  const asks: readonly Ask[] = [...state.asks, { askId: event.askId, ask: "followup", needsHuman: true }];
  const status = asks.some(isApproval) ? "waiting_approval" : "waiting_input";
  return ok(waiting(state, status, asks), [
    ...waitingEffects(state, status, event.type),
    { type: "notify", reason: "question" },
  ]);
}

type Waiting = "waiting_approval" | "waiting_input";

function waiting(state: SessionState, status: Waiting, asks: readonly Ask[]): Draft {
  const leaving = state.status === "streaming";
  const next = copyOf(state);
  next.status = status;
  next.phase = null;
  next.asks = asks;
  next.delivering = null;
  next.prompt = null;
  next.onReady = null;
  next.readyTimer = null;
  next.tools = leaving ? [] : state.tools;
  next.retry = leaving ? null : state.retry;
  next.error = null;
  return next;
}

function waitingEffects(state: SessionState, status: Waiting, reason: string): readonly SessionEffect[] {
  const effects: SessionEffect[] = [];
  if (state.status !== status) effects.push(changed([state.status, state.phase], [status, null], reason));
  if (state.readyTimer !== null) effects.push(cancelled(state.readyTimer));
  return effects;
}

export function verdict(state: SessionState, event: EventOf<"permission_resolved">): Outcome {
  const ask = state.asks.find((pending) => pending.askId === event.askId && isApproval(pending));
  if (!ask) return ignored(state);
  const { run } = state;
  const { askId } = ask;
  switch (event.verdict) {
    case "allow":
      return answer(state, event.type, "executing_tools", {
        type: "answer_ask",
        run,
        askId,
        decision: "approve",
        by: "rule",
      });
    case "deny":
      return answer(state, event.type, "calling_llm", {
        type: "answer_ask",
        run,
        askId,
        decision: "reject",
        by: "rule",
      });
    case "none":
      if (state.autoApprove) {
        return answer(state, event.type, "executing_tools", {
          type: "answer_ask",
          run,
          askId,
          decision: "approve",
          by: "auto",
        });
      }
      return show(state, ask);
    case "ask":
      return show(state, ask);
  }
}

function show(state: SessionState, ask: Ask): Outcome {
  if (ask.needsHuman) return ok(state, NONE);
  const shown = { ...ask, needsHuman: true };
  const asks = state.asks.map((pending) => (pending === ask ? shown : pending));
  const next = copyOf(state);
  next.asks = asks;
  return ok(next, [{ type: "notify", reason: "approval" }]);
}

function answer(state: SessionState, reason: string, phase: Phase, effect: AnswerAsk): Outcome {
  const step = dropped(state, effect.askId, reason, phase);
  const next = copyOf(step.state);
  next.answered = remembered(state.answered, effect.askId);
  return ok(next, [...step.effects, effect]);
}

function dropped(state: SessionState, askId: string, reason: string, phase: Phase): Outcome {
  const asks = state.asks.filter((ask) => ask.askId !== askId);
  const status = statusFor(asks);
  const toPhase = status === "streaming" ? phase : null;
  const next = copyOf(state);
  next.asks = asks;
  next.closedAsks = remembered(state.closedAsks, askId);
  next.status = status;
  next.phase = toPhase;
  if (state.status === status && state.phase === toPhase) return ok(next, NONE);
  return ok(next, [changed([state.status, state.phase], [status, toPhase], reason)]);
}

/** The approval named, or the only one. */
function chosen(state: SessionState, askId: string | undefined): Ask | undefined {
  if (askId !== undefined) return state.asks.find((ask) => ask.askId === askId && isApproval(ask));
  const approvals = state.asks.filter(isApproval);
  return approvals.length === 1 ? approvals[0] : undefined;
}

export function approved(state: SessionState, event: EventOf<"approve_action">): Outcome {
  const ask = chosen(state, event.askId);
  if (!ask) return ignored(state);
  const { run } = state;
  const { askId } = ask;
  const base = { type: "answer_ask", run, askId, decision: "approve", by: "user" } as const;
  const effect = event.scope === undefined ? base : { ...base, scope: event.scope };
  return answer(state, event.type, "executing_tools", effect);
}

export function rejected(state: SessionState, event: EventOf<"reject_action">): Outcome {
  const ask = chosen(state, event.askId);
  if (!ask) return ignored(state);
  const { run } = state;
  const { askId } = ask;
  const base = { type: "answer_ask", run, askId, decision: "reject", by: "user" } as const;
  const effect = event.messageId === undefined ? base : { ...base, messageId: event.messageId };
  return answer(state, event.type, "calling_llm", effect);
}

export function replied(state: SessionState, event: EventOf<"send_message">): Outcome {
  const question = state.asks[0];
  if (!question) return ignored(state);
  return answer(state, event.type, "calling_llm", {
    type: "answer_ask",
    run: state.run,
    askId: question.askId,
    decision: "reply",
    by: "user",
    messageId: event.messageId,
  });
}

export function askClosed(state: SessionState, event: EventOf<"ask_closed">): Outcome {
  const { askId } = event;
  if (state.asks.some((ask) => ask.askId === askId)) {
    return dropped(state, askId, event.type, "calling_llm");
  }
  if (!state.answered.includes(askId)) return ignored(state);
  const next = copyOf(state);
  next.answered = without(state.answered, askId);
  return ok(next, NONE);
}
