/** What the agent waits for a person to answer, and how it is settled. */
import { ignored } from "../step.js";
import type { Change, SessionStep } from "./change.js";
import type { AskEvent, EventOf, SessionFact } from "./events.js";
import { isKnownAsk } from "./gates.js";
import { rule } from "./rule.js";
import { isApproval, type Approve, type Ask } from "./state.js";

type ApprovalAsk = EventOf<"ask:tool" | "ask:command" | "ask:browser_action_launch" | "ask:use_mcp_server">;

const APPROVAL_NAMES = {
  "ask:tool": "tool",
  "ask:command": "command",
  "ask:browser_action_launch": "browser_action_launch",
  "ask:use_mcp_server": "use_mcp_server",
} as const satisfies Record<ApprovalAsk["type"], Ask["ask"]>;

export const openApproval = rule<ApprovalAsk>(
  ["waiting_approval", "same"],
  "kept until it is answered; the rules are asked first",
  (change, event) => {
    change.join();
    change.provenActive();
    if (change.turnAway(event.askId)) return undefined;
    const ask = { askId: event.askId, ask: APPROVAL_NAMES[event.type], needsHuman: false };
    change.set("asks", [...change.state.asks, ask]);
    change.moveTo("waiting_approval");
    change.act({ type: "check_permission", askId: event.askId });
    return undefined;
  },
);

export const openQuestion = rule<EventOf<"ask:followup">>(
  ["waiting_input"],
  "kept until a person answers it",
  (change, event) => {
    change.join();
    change.takeQuestion(event.askId);
    return undefined;
  },
);

export const settleQuestion = rule<EventOf<"timer_fired">>(
  ["waiting_input"],
  "a question whose final form never came counts as complete",
  (change) => {
    const { settle } = change.state;
    if (!settle) return ignored(change.state, "no question settles");
    change.set("settle", null);
    change.takeQuestion(settle.askId);
    return undefined;
  },
);

export const awaitQuestion = rule<EventOf<"ask:followup">>(
  ["same", "waiting_input"],
  "partial: (re)starts the timer `settle`; another id first completes the one before",
  (change, event) => {
    const { settle } = change.state;
    if (isKnownAsk(change.state, event.askId)) return undefined;
    if (settle && settle.askId !== event.askId) change.takeQuestion(settle.askId);
    change.startSettle(event.askId);
    return undefined;
  },
);

// Behind an approval a question waits too, but the status stays.

export const openQuestionBehind: typeof openQuestion = { ...openQuestion, to: ["same"] };
export const settleQuestionBehind: typeof settleQuestion = { ...settleQuestion, to: ["same"] };
export const awaitQuestionBehind: typeof awaitQuestion = { ...awaitQuestion, to: ["same"] };

export const applyVerdict = rule<EventOf<"permission_resolved">>(
  ["same", "waiting_input", "streaming"],
  "allow and deny answer; contained answers unless all is to be asked, none only in auto mode; else a person is asked",
  (change, event) => {
    const ask = change.state.asks.find((pending) => pending.askId === event.askId && isApproval(pending));
    if (!ask) return ignored(change.state, "the verdict's ask is not pending");
    const answer = verdictAnswer(event.verdict, change.state.approve);
    if (answer === null) {
      if (ask.needsHuman) return undefined;
      const shown = { ...ask, needsHuman: true };
      change.set(
        "asks",
        change.state.asks.map((pending) => (pending === ask ? shown : pending)),
      );
      change.act({ type: "notify", reason: "approval" });
      return undefined;
    }
    change.answerAsk(ask.askId, answer);
    return undefined;
  },
);

type Verdict = EventOf<"permission_resolved">["verdict"];

/** Wall and auto mode answer only what no rule decides. */
function verdictAnswer(verdict: Verdict, approve: Approve) {
  switch (verdict) {
    case "allow":
      return { decision: "approve", by: "rule" } as const;
    case "deny":
      return { decision: "reject", by: "rule" } as const;
    case "ask":
      return null;
    case "contained":
      return approve === "ask" ? null : ({ decision: "approve", by: "wall" } as const);
    case "none":
      return approve === "auto" ? ({ decision: "approve", by: "auto" } as const) : null;
  }
}

export const closeAsk = rule<EventOf<"ask_closed">>(
  ["same", "waiting_input", "streaming"],
  "answered or withdrawn elsewhere: dropped, no answer is sent",
  (change, event) => {
    if (!change.state.asks.some((ask) => ask.askId === event.askId)) return noteClosed(change, event.askId);
    change.dropAsk(event.askId, "calling_llm");
    return undefined;
  },
);

export const noteAskClosed = rule<EventOf<"ask_closed">>(
  ["same"],
  "a question still being written is over; an answer of ours is no longer awaited",
  (change, event) => noteClosed(change, event.askId),
);

function noteClosed(change: Change, askId: string): SessionStep | undefined {
  const { answered, settle } = change.state;
  if (settle?.askId === askId) {
    change.cancelSettle();
    change.rememberClosed([askId]);
    return undefined;
  }
  if (!answered.includes(askId)) return ignored(change.state, "that ask is not open");
  change.set(
    "answered",
    answered.filter((other) => other !== askId),
  );
  return undefined;
}

export const completeTurn = rule<EventOf<"ask:completion_result">>(
  ["completed", "streaming", "paused"],
  "the turn is over; what is queued goes next; while interrupting: paused",
  (change, event) => {
    change.provenActive();
    change.rememberClosed([event.askId]);
    if (change.state.interrupting) change.pauseInterrupted();
    else change.complete(event.ending);
    return undefined;
  },
);

/** A turn that is not known to have begun is not being interrupted. */
export const completeFirst: typeof completeTurn = {
  ...completeTurn,
  to: ["completed", "streaming"],
  note: "ready and idle, started without a prompt; what is queued goes next",
};

type FailureAsk = EventOf<
  "ask:api_req_failed" | "ask:mistake_limit_reached" | "ask:invalid_model" | "ask:payment_required_prompt"
>;

const FAILURES = {
  "ask:api_req_failed": ["api_req_failed", "the request to the model failed"],
  "ask:mistake_limit_reached": ["mistake_limit_reached", "the agent made too many mistakes"],
  "ask:invalid_model": ["invalid_model", "the model is not valid"],
  "ask:payment_required_prompt": ["payment_required_prompt", "the provider asks for payment"],
} as const satisfies Record<FailureAsk["type"], readonly [string, string]>;

export const failTurn = rule<FailureAsk>(
  ["error", "paused"],
  "the turn failed: the code is the ask's name; while interrupting: paused",
  (change, event) => {
    change.provenActive();
    change.rememberClosed([event.askId]);
    if (change.state.interrupting) {
      change.pauseInterrupted();
      return undefined;
    }
    const [code, message] = FAILURES[event.type];
    change.fail({ code, message: event.text ?? message, retryable: true, source: "harness" });
    return undefined;
  },
);

export const failFirst: typeof failTurn = {
  ...failTurn,
  to: ["error"],
  note: "the first turn failed: the code is the ask's name",
};

export const pauseTurn = rule<EventOf<"ask:resume_task" | "ask:resume_completed_task">>(
  ["paused"],
  "the agent waits to be resumed",
  (change, event) => {
    change.provenActive();
    change.rememberClosed([event.askId]);
    change.moveTo("paused");
    return undefined;
  },
);

export const forgetQuestion = rule<SessionFact>(
  ["same"],
  "the turn was over already; a question still being written is over too",
  (change) => {
    if (change.state.settle === null) return ignored(change.state, "it means nothing in this status");
    change.cancelSettle();
    return undefined;
  },
);

export const stayPartial = rule<AskEvent>(["same"], "still being written: never waits", () => undefined);
