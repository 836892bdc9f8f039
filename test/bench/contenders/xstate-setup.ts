/** What the XState machine is made with: its context, its guards, and one custom action for what acts on the world. */
import { assertEvent, setup } from "xstate";
import type { SessionEffect } from "../../../src/core/session/effects.js";
import type { EventOf } from "../../../src/core/session/events.js";
import { DELTA_TYPES, type StreamEventType } from "../../../src/core/stream-event.js";
import { isApproval, type Ask, type SessionState } from "../../../src/core/session/state.js";
import { isDropped, statusFor, type PlayedEvent, type PlayedFact } from "./pieces.js";

/** The state but for its status, which is the machine's own state. */
export type Context = Omit<SessionState, "status">;

const deltas: ReadonlySet<StreamEventType> = new Set(DELTA_TYPES);

/** The ask that a request or a fact speaks of. */
export function askOf(context: Context, event: PlayedEvent): Ask | undefined {
  switch (event.type) {
    case "approve_action":
    case "reject_action": {
      const approvals = context.asks.filter(isApproval);
      if (event.askId === undefined) return approvals.length === 1 ? approvals[0] : undefined;
      return approvals.find((ask) => ask.askId === event.askId);
    }
    case "permission_resolved":
      return context.asks.find((ask) => ask.askId === event.askId && isApproval(ask));
    case "ask_closed":
      return context.asks.find((ask) => ask.askId === event.askId);
    case "send_message":
      return context.asks[0];
    default:
      return undefined;
  }
}

export function asksWithout(context: Context, ask: Ask | undefined): readonly Ask[] {
  return context.asks.filter((pending) => pending !== ask);
}

export const box = setup({
  types: { context: {} as Context, events: {} as PlayedEvent },
  actions: {
    perform: (_, _effect: SessionEffect) => undefined,
  },
  guards: {
    isDropped: ({ context, event }) => isDropped(context, event as PlayedFact),
    isDelta: ({ event }) => event.type === "harness_stream" && deltas.has(event.event.type),
    isStreamEnd: ({ event }) => event.type === "harness_stream" && event.event.type === "completed",
    isReady: ({ context }) => context.seen.sessionCreated,
    isRequested: ({ context }) => context.seen.apiReqStarted,
    isUsable: ({ context }) => context.alive && !context.stopRequested,
    isInterrupting: ({ context }) => context.interrupting,
    isExplicit: ({ context }) => context.asksClose === "explicit",
    hasQueue: ({ context }) => context.queue.length > 0,
    hasApproval: ({ context }) => context.asks.some(isApproval),
    hasUntaken: ({ context }) =>
      context.delivering !== null || context.prompt !== null || context.onReady !== null,
    exitedWell: ({ event }) => event.type === "process_exit" && event.code === 0 && event.signal == null,
    isAlive: ({ context }) => context.alive,
    namesNoAsk: ({ context, event }) => askOf(context, event) === undefined,
    wasAnswered: ({ context, event }) =>
      event.type === "ask_closed" && context.answered.includes(event.askId),
    leavesApproval: ({ context, event }) =>
      statusFor(asksWithout(context, askOf(context, event))) === "waiting_approval",
    leavesQuestion: ({ context, event }) =>
      statusFor(asksWithout(context, askOf(context, event))) === "waiting_input",
    needsPerson: ({ context, event }) =>
      event.type === "permission_resolved" &&
      (event.verdict === "ask" || (event.verdict === "none" && !context.autoApprove)),
  },
});

/** What one transition changes and wants done. */
export interface Plan {
  readonly assign?: Partial<Context>;
  readonly effects?: readonly SessionEffect[];
}

type PlayedType = PlayedEvent["type"];

/** The action of a transition taken for one of these types of event. */
export function plan<T extends PlayedType>(
  types: T | readonly T[],
  make: (context: Context, event: EventOf<T> & PlayedEvent) => Plan,
) {
  return box.enqueueActions(({ context, event, enqueue }) => {
    assertEvent(event, types);
    const { assign, effects } = make(context, event as EventOf<T> & PlayedEvent);
    if (assign) enqueue.assign(assign);
    for (const effect of effects ?? []) enqueue({ type: "perform", params: effect });
  });
}
