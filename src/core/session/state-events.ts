/**
 * The state events that the machine does not emit itself: what became of tool calls, asks and messages, from the state
 * before a step, its event and the state after. Only for steps whose result is `ok`.
 */
import type { SessionEvent } from "./events.js";
import { isResting, type Ask, type SessionState, type WallAsk } from "./state.js";

export type DerivedStateEvent =
  | {
      readonly type: "tool_lifecycle";
      readonly callId: string;
      readonly toolName?: string;
      readonly status: "running" | "succeeded" | "failed" | "canceled";
    }
  /** Told again when an ask that a rule might have answered comes to need a person. */
  | {
      readonly type: "ask_opened";
      readonly askId: string;
      readonly ask: Ask["ask"];
      readonly needsHuman: boolean;
    }
  /** The wall holds connections to this host. */
  | ({ readonly type: "wall_ask_opened" } & WallAsk)
  | { readonly type: "ask_closed"; readonly askId: string; readonly reason: string }
  | {
      readonly type: "message_status";
      readonly messageId: string;
      readonly status: "queued" | "sending" | "sent" | "returned" | "failed";
    }
  /** Who is in front of a terminal, and whether what is shown there is understood. */
  | {
      readonly type: "certainty_changed";
      readonly certainty: SessionState["certainty"];
      readonly unknownSinceMs: number | null;
      /** A person was told. */
      readonly needsAttention: boolean;
      readonly agent: SessionState["agent"];
    }
  /** The files at the end of a turn: being kept, kept, or not, and why. */
  | {
      readonly type: "checkpoint";
      readonly turn: number;
      readonly status: "saving" | "saved" | "failed";
      readonly error?: string;
    }
  /** Its process has ended because it was idle, or it is needed again. */
  | { readonly type: "rest_changed"; readonly resting: boolean };

export function deriveStateEvents(
  before: SessionState,
  event: SessionEvent,
  after: SessionState,
): readonly DerivedStateEvent[] {
  return [
    ...toolEvents(before, event, after),
    ...askEvents(before, event, after),
    ...wallAskEvents(before, event, after),
    ...messageEvents(before, event, after),
    ...certaintyEvents(before, after),
    ...restEvents(before, after),
    ...checkpointEvents(before, after),
  ];
}

function toolEvents(before: SessionState, event: SessionEvent, after: SessionState): DerivedStateEvent[] {
  if (event.type === "tool_started") {
    if (before.tools.includes(event.callId)) return [];
    const name = event.toolName === undefined ? {} : { toolName: event.toolName };
    return [{ type: "tool_lifecycle", callId: event.callId, ...name, status: "running" }];
  }
  if (event.type === "tool_finished") {
    return [{ type: "tool_lifecycle", callId: event.callId, status: event.ok ? "succeeded" : "failed" }];
  }
  if (event.type === "harness_stream" && event.event.type === "tool_call_completed") {
    const { callId, isError } = event.event.payload;
    if (typeof callId !== "string") return [];
    return [{ type: "tool_lifecycle", callId, status: isError === true ? "failed" : "succeeded" }];
  }
  if (isTurn(after) && before.agent?.start === after.agent?.start) return [];
  if (before.tools === after.tools) return [];
  const open = new Set(after.tools);
  return before.tools
    .filter((callId) => !open.has(callId))
    .map((callId) => ({ type: "tool_lifecycle", callId, status: "canceled" }));
}

/** Waiting in the middle of a turn leaves its calls open. */
function isTurn(state: SessionState): boolean {
  return (
    state.status === "streaming" || state.status === "waiting_approval" || state.status === "waiting_input"
  );
}

function askEvents(before: SessionState, event: SessionEvent, after: SessionState): DerivedStateEvent[] {
  if (before.asks === after.asks) return [];
  const closed = before.asks
    .filter((ask) => !after.asks.some((other) => other.askId === ask.askId))
    .map(({ askId }) => ({ type: "ask_closed", askId, reason: event.type }) as const);
  const opened = after.asks
    .filter((ask) => !before.asks.includes(ask))
    .map(({ askId, ask, needsHuman }) => ({ type: "ask_opened", askId, ask, needsHuman }) as const);
  return [...closed, ...opened];
}

function wallAskEvents(before: SessionState, event: SessionEvent, after: SessionState): DerivedStateEvent[] {
  if (before.wallAsks === after.wallAsks) return [];
  const reason = event.type === "wall_closed" ? event.because : event.type;
  const closed = before.wallAsks
    .filter((ask) => !after.wallAsks.includes(ask))
    .map(({ askId }) => ({ type: "ask_closed", askId, reason }) as const);
  const opened = after.wallAsks
    .filter((ask) => !before.wallAsks.includes(ask))
    .map((ask) => ({ type: "wall_ask_opened", ...ask }) as const);
  return [...closed, ...opened];
}

function messageEvents(before: SessionState, event: SessionEvent, after: SessionState): DerivedStateEvent[] {
  const messageIds = new Set([
    ...before.returned,
    ...idsInLine(before),
    ...idsInLine(after),
    ...after.returned,
    ...idsInRequest(event),
  ]);
  const events: DerivedStateEvent[] = [];
  for (const messageId of messageIds) {
    // One that came back and was dropped goes nowhere any more.
    const gone = before.returned.includes(messageId) ? "failed" : "sent";
    const status = messageStatus(after, messageId) ?? gone;
    if (status !== messageStatus(before, messageId))
      events.push({ type: "message_status", messageId, status });
  }
  return events;
}

function idsInRequest(event: SessionEvent): readonly string[] {
  const carries = event.type === "send_message" || event.type === "reject_action";
  return carries && event.messageId !== undefined ? [event.messageId] : [];
}

function certaintyEvents(before: SessionState, after: SessionState): DerivedStateEvent[] {
  const { certainty, unknownSinceMs, unknownNotified, agent } = after;
  const isSame =
    before.certainty === certainty &&
    before.unknownSinceMs === unknownSinceMs &&
    before.unknownNotified === unknownNotified &&
    before.agent?.start === agent?.start &&
    before.agent?.name === agent?.name;
  if (isSame) return [];
  return [{ type: "certainty_changed", certainty, unknownSinceMs, needsAttention: unknownNotified, agent }];
}

function restEvents(before: SessionState, after: SessionState): DerivedStateEvent[] {
  const resting = isResting(after);
  return isResting(before) === resting ? [] : [{ type: "rest_changed", resting }];
}

function checkpointEvents(before: SessionState, after: SessionState): DerivedStateEvent[] {
  if (before.checkpoint?.turn === after.checkpoint?.turn) return [];
  const events: DerivedStateEvent[] = [];
  const { unsaved, checkpoint } = after;
  if (before.checkpoint !== null) {
    const { turn } = before.checkpoint;
    // One that another has taken the place of is told of by nobody.
    if (checkpoint === null)
      events.push(
        unsaved?.turn === turn
          ? { type: "checkpoint", turn, status: "failed", error: unsaved.error }
          : { type: "checkpoint", turn, status: "saved" },
      );
  }
  if (checkpoint !== null) events.push({ type: "checkpoint", turn: checkpoint.turn, status: "saving" });
  return events;
}

function idsInLine(state: SessionState): readonly string[] {
  return [state.delivering, state.prompt, ...state.queue].filter((messageId) => messageId !== null);
}

function messageStatus(state: SessionState, messageId: string): "queued" | "sending" | "returned" | null {
  if (messageId === state.delivering || messageId === state.prompt) return "sending";
  if (state.queue.includes(messageId)) return "queued";
  return state.returned.includes(messageId) ? "returned" : null;
}
