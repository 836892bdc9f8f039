/** What a person or a client asks for. */
import type { Change, SessionStep } from "./change.js";
import type { EventOf } from "./events.js";
import { REFUSE, refuse, rule } from "./rule.js";
import {
  QUEUE_LENGTH_MAX,
  isApproval,
  isWithoutAgent,
  messageLine,
  type Ask,
  type WallAsk,
} from "./state.js";

type Answer = EventOf<"approve_action" | "reject_action">;

export const start = rule<EventOf<"start_session">>(
  ["creating", "same"],
  "a new conversation: the old run is stopped, a new one spawned with the head of the line; no message goes out with a shell: rejected `no_agent`",
  (change, event) => {
    if (event.addressee !== undefined) change.set("addressee", event.addressee);
    if (event.messageId !== undefined) {
      if (change.state.addressee === "agent") return refuseWithoutAgent(change);
      const line = messageLine(change.state);
      // The head of the line leaves it with the spawn.
      if (line.length > QUEUE_LENGTH_MAX) return refuseFull(change);
      change.set("queue", [...change.state.queue, event.messageId]);
    }
    if (event.approve !== undefined) change.set("approve", event.approve);
    if (event.asksClose !== undefined) change.set("asksClose", event.asksClose);
    change.set("idleAfterMs", event.idleAfterMs ?? null);
    change.set("checkpoints", event.checkpoints ?? false);
    change.spawnAnew();
    return undefined;
  },
);

export const startFirst: typeof start = {
  ...start,
  to: ["creating", "same"],
  note: "as a new conversation; while a shell runs: rejected `state_transition_invalid`",
  apply: (state, event) => (state.alive ? REFUSE : start).apply(state, event),
};

export const refuseMessage = rule<EventOf<"send_message">>(
  ["same"],
  "nobody is there: rejected, `no_agent` in a terminal started as a shell",
  (change, event) =>
    isWithoutAgent(change.state) ? refuseWithoutAgent(change) : REFUSE.apply(change.state, event),
);

export const queueMessage = rule<EventOf<"send_message">>(
  ["same"],
  "queued: never dropped, never typed into a prompt; the 101st is rejected `queue_full`; forced into an unknown screen at once",
  (change, event) => {
    const refused = enqueue(change, event.messageId);
    if (refused) return refused;
    if (event.force === true && change.canForce()) change.forceHead();
    return undefined;
  },
);

export const queueEarly: typeof queueMessage = { ...queueMessage, to: ["same", "streaming"] };
export const queueBehindAsks: typeof queueMessage = {
  ...queueMessage,
  note: "queued: never dropped, never typed into a prompt; the 101st is rejected `queue_full`",
};

export const sendMessage = rule<EventOf<"send_message">>(
  ["streaming", "waiting_input", "same"],
  "appended to the queue; a usable run gets the head, otherwise a new run is spawned for it; a question it has begun comes first",
  (change, event) => {
    const refused = enqueue(change, event.messageId);
    if (refused) return refused;
    if (event.force === true && change.canForce()) change.forceHead();
    else change.proceed("message");
    return undefined;
  },
);

export const sendWhenKnown: typeof sendMessage = {
  ...sendMessage,
  note: `${sendMessage.note}; into an unknown screen only when it is forced, and else once it is known`,
};

export const sendAnew: typeof sendMessage = {
  ...sendMessage,
  to: ["streaming", "same"],
  note: "appended to the queue; a new run is spawned for it; rejected `no_agent` in a terminal started as a shell",
};

export const replyToQuestion = rule<EventOf<"send_message">>(
  ["waiting_input", "streaming"],
  "answers the oldest question",
  (change, event) => {
    const question = change.state.asks[0];
    if (isWithoutAgent(change.state)) return refuseWithoutAgent(change);
    if (!question) return refuse(change.state, "ask_stale", "no question is open");
    change.answerAsk(question.askId, { decision: "reply", by: "user", messageId: event.messageId });
    return undefined;
  },
);

export const approve = rule<EventOf<"approve_action">>(
  ["same", "waiting_input", "streaming"],
  "answers one approval: the one named, or the only one",
  (change, event) => {
    const ask = chooseAsk(change, event);
    if ("result" in ask) return ask;
    const scope = event.scope === undefined ? {} : { scope: event.scope };
    const answer = { decision: "approve", by: "user", ...scope } as const;
    if ("host" in ask) change.answerWall(ask.askId, answer);
    else change.answerAsk(ask.askId, answer);
    return undefined;
  },
);

export const reject = rule<EventOf<"reject_action">>(
  ["same", "waiting_input", "streaming"],
  "answers one approval with no: the one named, or the only one",
  (change, event) => {
    const ask = chooseAsk(change, event);
    if ("result" in ask) return ask;
    const message = event.messageId === undefined ? {} : { messageId: event.messageId };
    const answer = { decision: "reject", by: "user", ...message } as const;
    if ("host" in ask) change.answerWall(ask.askId, answer);
    else change.answerAsk(ask.askId, answer);
    return undefined;
  },
);

export const refuseWithoutApproval = rule<Answer>(
  ["same"],
  "only questions are open: rejected `ask_stale`",
  (change, event) => {
    const ask = event.askId === undefined ? "no approval" : `ask ${event.askId} is no approval that`;
    return refuse(change.state, "ask_stale", `${ask} is pending`);
  },
);

export const refuseAnswer = rule<Answer>(
  ["same"],
  "nothing waits for an approval: rejected, `ask_stale` when an ask is named",
  (change, event) =>
    event.askId === undefined
      ? refuse(change.state, "state_transition_invalid", `nothing to answer while ${change.state.status}`)
      : refuse(change.state, "ask_stale", `ask ${event.askId} is not waiting for an approval`),
);

/** Only the wall may have asks where the agent has none: they are answered in the same way. */
export const approveWall: typeof approve = {
  ...approve,
  to: ["same"],
  note: `answers an ask of the wall: the one named, or the only one; with none ${refuseAnswer.note}`,
  apply: (state, event) => (state.wallAsks.length === 0 ? refuseAnswer : approve).apply(state, event),
};

export const rejectWall: typeof reject = {
  ...reject,
  to: ["same"],
  note: `answers an ask of the wall with no: the one named, or the only one; with none ${refuseAnswer.note}`,
  apply: (state, event) => (state.wallAsks.length === 0 ? refuseAnswer : reject).apply(state, event),
};

export const approveWallBesideQuestion: typeof approve = {
  ...approveWall,
  note: `answers an ask of the wall: the one named, or the only one; with none ${refuseWithoutApproval.note}`,
  apply: (state, event) =>
    (state.wallAsks.length === 0 ? refuseWithoutApproval : approve).apply(state, event),
};

export const rejectWallBesideQuestion: typeof reject = {
  ...rejectWall,
  note: `answers an ask of the wall with no: the one named, or the only one; with none ${refuseWithoutApproval.note}`,
  apply: (state, event) => (state.wallAsks.length === 0 ? refuseWithoutApproval : reject).apply(state, event),
};

export const interrupt = rule<EventOf<"interrupt">>(
  ["same"],
  "the run is asked to interrupt its turn; asking is not yet having",
  (change) => {
    change.set("interrupting", true);
    change.set("onReady", null);
    change.act({ type: "interrupt_run", run: change.state.run });
    // A second request does not give the agent more time.
    if (change.state.interruptTimer === null) change.startInterrupt();
    return undefined;
  },
);

export const cancel = rule<EventOf<"cancel_session">>(
  ["stopped"],
  "the run is stopped, its asks are voided, the queue is kept",
  (change) => {
    change.stopSession();
    return undefined;
  },
);

export const cancelShell: typeof cancel = {
  ...cancel,
  to: ["stopped", "same"],
  note: "the shell is stopped; without one: rejected `state_transition_invalid`",
  apply: (state, event) => (state.alive ? cancel : REFUSE).apply(state, event),
};

export const dropMessage = rule<EventOf<"drop_message">>(
  ["same"],
  "a message that came back is forgotten; any other: rejected `state_transition_invalid`",
  (change, event) => {
    const { returned } = change.state;
    if (!returned.includes(event.messageId)) {
      return refuse(change.state, "state_transition_invalid", `message ${event.messageId} did not come back`);
    }
    change.set(
      "returned",
      returned.filter((messageId) => messageId !== event.messageId),
    );
    return undefined;
  },
);

export const resume = rule<EventOf<"resume_session">>(
  ["streaming", "waiting_input"],
  "a usable run gets the queue's head or goes on; otherwise a new run is spawned; a question it has begun comes first",
  (change) => {
    change.proceed("resume");
    return undefined;
  },
);

export const resumeAnew: typeof resume = {
  ...resume,
  to: ["streaming"],
  note: "a new run is spawned, and gets the queue's head or goes on",
};

export const retry = rule<EventOf<"retry">>(
  ["streaming", "waiting_input"],
  "as resume, and the agent is told that it is a retry",
  (change) => {
    change.proceed("retry");
    return undefined;
  },
);

export const setApprove = rule<EventOf<"set_approve">>(
  ["same"],
  "for asks from now on; those already shown to a person stay with the person",
  (change, event) => {
    change.set("approve", event.approve);
    return undefined;
  },
);

function enqueue(change: Change, messageId: string): SessionStep | undefined {
  const { queue } = change.state;
  if (isWithoutAgent(change.state)) return refuseWithoutAgent(change);
  // One that waits already, and is sent anyway now.
  if (queue.includes(messageId)) return undefined;
  if (queue.length >= QUEUE_LENGTH_MAX) return refuseFull(change);
  change.set("queue", [...queue, messageId]);
  return undefined;
}

function refuseWithoutAgent(change: Change): SessionStep {
  return refuse(
    change.before,
    "no_agent",
    "no agent is in front of the terminal: a message is never typed into a shell",
  );
}

function refuseFull(change: Change): SessionStep {
  return refuse(change.state, "queue_full", `${QUEUE_LENGTH_MAX} messages wait already`);
}

/** Nobody answers what they have not seen: without a name there must be exactly one. */
function chooseAsk(change: Change, event: Answer): Ask | WallAsk | SessionStep {
  const { asks, wallAsks } = change.state;
  const approvals: readonly (Ask | WallAsk)[] = [...asks.filter(isApproval), ...wallAsks];
  const [only, second] = approvals;
  if (event.askId !== undefined) {
    const named = approvals.find((ask) => ask.askId === event.askId);
    return named ?? refuse(change.state, "ask_stale", `ask ${event.askId} is not waiting for an approval`);
  }
  if (!only) return refuse(change.state, "ask_stale", "no approval is pending");
  if (second)
    return refuse(change.state, "ask_ambiguous", `${approvals.length} approvals are pending: name one`);
  return only;
}
