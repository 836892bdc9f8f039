/** The XState machine's transitions for asks and their answers. */
import type { AnswerAsk, SessionEffect } from "../../../src/core/session/effects.js";
import type { Ask, Phase, Status } from "../../../src/core/session/state.js";
import { changed, remembered, without, type PlayedEvent } from "./pieces.js";
import { askOf, asksWithout, plan, type Context, type Plan } from "./xstate-setup.js";
import { dropped, readyCancelled, taken } from "./xstate-work.js";

const APPROVALS = { "ask:tool": "tool", "ask:command": "command" } as const;

type Waiting = "waiting_approval" | "waiting_input";

/** What waiting for one more ask changes; leaving streaming ends its tools and its retry. */
function opened(context: Context, from: Status, ask: Ask) {
  const left = from === "streaming" ? { tools: [], retry: null } : {};
  return { ...taken, ...left, asks: [...context.asks, ask], phase: null, error: null };
}

function moved(context: Context, from: Status, to: Waiting, reason: string): readonly SessionEffect[] {
  return from === to ? [] : [changed([from, context.phase], [to, null], reason)];
}

function approvalOpened(from: Status) {
  return [
    dropped,
    {
      target: "waiting_approval",
      actions: plan(["ask:tool", "ask:command"], (context, { askId, type }) => ({
        assign: opened(context, from, { askId, ask: APPROVALS[type], needsHuman: false }),
        effects: [
          ...moved(context, from, "waiting_approval", type),
          ...readyCancelled(context),
          { type: "check_permission", askId },
        ],
      })),
    },
  ] as const;
}

function questionOpened(from: Status, to: Waiting) {
  return plan("ask:followup", (context, { askId, type }) => ({
    assign: opened(context, from, { askId, ask: "followup", needsHuman: true }),
    effects: [
      ...moved(context, from, to, type),
      ...readyCancelled(context),
      { type: "notify", reason: "question" },
    ],
  }));
}

export function opening(from: Status) {
  return {
    "ask:tool": approvalOpened(from),
    "ask:command": approvalOpened(from),
    "ask:followup": [
      dropped,
      { guard: "hasApproval", target: "waiting_approval", actions: questionOpened(from, "waiting_approval") },
      { target: "waiting_input", actions: questionOpened(from, "waiting_input") },
    ],
    ask_closed: [
      dropped,
      {
        guard: "wasAnswered",
        actions: plan("ask_closed", ({ answered }, { askId }) => ({
          assign: { answered: without(answered, askId) },
        })),
      },
    ],
  } as const;
}

type Answering = Extract<
  PlayedEvent,
  { type: "approve_action" | "reject_action" | "permission_resolved" | "ask_closed" | "send_message" }
>;

/** The answer that an event gives to its ask, or none when the ask was closed elsewhere. */
function answerTo(context: Context, event: Answering, askId: string): AnswerAsk | null {
  const answer = { type: "answer_ask", run: context.run, askId } as const;
  switch (event.type) {
    case "approve_action": {
      const scope = event.scope === undefined ? {} : { scope: event.scope };
      return { ...answer, decision: "approve", by: "user", ...scope };
    }
    case "reject_action": {
      const message = event.messageId === undefined ? {} : { messageId: event.messageId };
      return { ...answer, decision: "reject", by: "user", ...message };
    }
    case "send_message":
      return { ...answer, decision: "reply", by: "user", messageId: event.messageId };
    case "permission_resolved":
      if (event.verdict === "deny") return { ...answer, decision: "reject", by: "rule" };
      return { ...answer, decision: "approve", by: event.verdict === "allow" ? "rule" : "auto" };
    case "ask_closed":
      return null;
  }
}

function settled(context: Context, event: Answering, from: Status, to: Waiting | "streaming"): Plan {
  const ask = askOf(context, event);
  const askId = ask?.askId ?? "";
  const answer = answerTo(context, event, askId);
  const working: Phase = answer?.decision === "approve" ? "executing_tools" : "calling_llm";
  const phase = to === "streaming" ? working : null;
  const effects: SessionEffect[] = [];
  if (from !== to) effects.push(changed([from, null], [to, phase], event.type));
  if (answer) effects.push(answer);
  return {
    assign: {
      asks: asksWithout(context, ask),
      closedAsks: remembered(context.closedAsks, askId),
      answered: answer ? remembered(context.answered, askId) : context.answered,
      phase,
    },
    effects,
  };
}

const ANSWERS = [
  "approve_action",
  "reject_action",
  "permission_resolved",
  "ask_closed",
  "send_message",
] as const satisfies readonly Answering["type"][];

/** What is left decides where the session waits; nothing left: it goes on. */
function settling(from: Waiting) {
  const to = (target: Waiting | "streaming") =>
    plan(ANSWERS, (context, event) => settled(context, event, from, target));
  return [
    { guard: "leavesApproval", target: "waiting_approval", actions: to("waiting_approval") },
    { guard: "leavesQuestion", target: "waiting_input", actions: to("waiting_input") },
    { target: "streaming", actions: to("streaming") },
  ] as const;
}

const shown = plan("permission_resolved", (context, event) => {
  const ask = askOf(context, event);
  if (!ask || ask.needsHuman) return {};
  const seen = { ...ask, needsHuman: true };
  return {
    assign: { asks: context.asks.map((pending) => (pending === ask ? seen : pending)) },
    effects: [{ type: "notify", reason: "approval" }],
  };
});

export function answering(from: Waiting) {
  const [approvalLeft, questionLeft, nothingLeft] = settling(from);
  const none = { guard: "namesNoAsk" } as const;
  return {
    approve_action: [none, approvalLeft, questionLeft, nothingLeft],
    reject_action: [none, approvalLeft, questionLeft, nothingLeft],
    permission_resolved: [
      dropped,
      none,
      { guard: "needsPerson", actions: shown },
      approvalLeft,
      questionLeft,
      nothingLeft,
    ],
    ask_closed: [
      dropped,
      {
        guard: "wasAnswered",
        actions: plan("ask_closed", ({ answered }, { askId }) => ({
          assign: { answered: without(answered, askId) },
        })),
      },
      none,
      approvalLeft,
      questionLeft,
      nothingLeft,
    ],
  } as const;
}

/** A message answers the oldest question. */
export const replying = { send_message: settling("waiting_input") } as const;
