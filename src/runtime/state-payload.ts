/** State events as they go out: what the pure machine derives, with the names and times that only the loop knows. */
import type { DerivedStateEvent, SessionEffect, SessionEvent, SessionState } from "../core/index.js";
import type { Principal } from "../protocol/principal.js";
import type { StatePayload } from "../protocol/state-event.js";
import type { Output } from "./harness.js";
import { ASKS_MAX } from "../core/session/state.js";
import { attributed } from "./answered-by.js";
import { isAtTerminal } from "./at-terminal.js";
import type { OpenTools } from "./open-tools.js";
import type { AskDetail } from "./session-record.js";

type Emitted = Extract<SessionEffect, { readonly type: "emit_state_changed" | "emit_session_error" }>;

type WallAskOpened = Extract<DerivedStateEvent, { readonly type: "wall_ask_opened" }>;

/** What asks of the wall are called, as `command` and `tool` are those of agents. */
export const WALL_ASK = "network";

export function isEmitted(effect: SessionEffect): effect is Emitted {
  return effect.type === "emit_state_changed" || effect.type === "emit_session_error";
}

export function emittedPayload(effect: Emitted): StatePayload {
  return effect.type === "emit_state_changed"
    ? { ...effect, type: "state_changed" }
    : { ...effect, type: "session_error" };
}

/** What the loop remembers of open asks and calls. */
export interface OpenThings {
  readonly askDetails: Readonly<Record<string, AskDetail>>;
  readonly openTools: OpenTools;
}

/** `by`: who made it so, where that is known. */
export function derivedPayload(
  event: DerivedStateEvent,
  open: OpenThings,
  nowMs: number,
  by?: Principal,
): StatePayload {
  switch (event.type) {
    case "ask_closed":
      return { ...event, ...attributed(by) };
    case "message_status":
    case "certainty_changed":
    case "rest_changed":
    case "checkpoint":
      return event;
    case "wall_ask_opened": {
      const { askId } = event;
      const known = ownOf(open.askDetails, askId) ?? wallDetail(event, nowMs);
      const { title, detail, openedAtMs } = known;
      const ask = { type: "ask_opened", askId, ask: WALL_ASK, source: "wall" } as const;
      return { ...ask, needsHuman: true, title, detail, openedAtMs };
    }
    case "ask_opened": {
      const known = ownOf(open.askDetails, event.askId);
      return {
        ...event,
        title: known?.title ?? "",
        detail: known?.detail ?? "",
        openedAtMs: known?.openedAtMs ?? nowMs,
        ...(known && isAtTerminal(known) ? { atTerminal: true as const } : {}),
      };
    }
    case "tool_lifecycle": {
      const known = open.openTools.get(event.callId);
      const ended = event.status === "running" ? {} : { finishedAtMs: nowMs };
      return {
        type: "tool_lifecycle",
        callId: event.callId,
        toolName: event.toolName ?? known?.toolName ?? "",
        status: event.status,
        startedAtMs: known?.startedAtMs ?? nowMs,
        ...ended,
      };
    }
  }
}

/** What an ask is about is told just before the ask itself; what no ask followed is forgotten with the next one. */
export function withDetail(
  open: OpenThings,
  state: SessionState,
  output: Extract<Output, { readonly type: "ask_detail" }>,
  nowMs: number,
): OpenThings {
  const { askId, title, detail, tool } = output;
  // It is going to be turned away: nothing is remembered of it, and so nothing of the others is written again.
  if (state.asks.length >= ASKS_MAX && !state.asks.some((ask) => ask.askId === askId)) return open;
  const pending = [...state.asks, ...state.wallAsks].flatMap((ask) => {
    const known = ownOf(open.askDetails, ask.askId);
    return known ? [[ask.askId, known] as const] : [];
  });
  const askDetails = { ...Object.fromEntries(pending), [askId]: { title, detail, tool, openedAtMs: nowMs } };
  return { ...open, askDetails };
}

/** An agent may say twice, in two ways, that a call has ended: it ended once. */
export function isRepeatedEnd(event: DerivedStateEvent, open: OpenThings): boolean {
  return (
    event.type === "tool_lifecycle" &&
    event.status !== "running" &&
    open.openTools.get(event.callId) === undefined
  );
}

/** Every ask and call is remembered while it is open. Calls are remembered in place: there may be many. */
export function remembered(open: OpenThings, event: DerivedStateEvent, nowMs: number): OpenThings {
  if (event.type === "ask_opened") {
    const unknown = { title: "", detail: "", openedAtMs: nowMs, tool: null };
    const known = ownOf(open.askDetails, event.askId) ?? unknown;
    return { ...open, askDetails: { ...open.askDetails, [event.askId]: known } };
  }
  if (event.type === "wall_ask_opened")
    return { ...open, askDetails: { ...open.askDetails, [event.askId]: wallDetail(event, nowMs) } };
  if (event.type === "tool_lifecycle" && event.status === "running") {
    open.openTools.open(event.callId, { toolName: event.toolName ?? "", startedAtMs: nowMs });
  }
  return open;
}

/** What an ask of the wall is about, and the call that rules are matched against: a look at that host. */
function wallDetail({ host, port }: WallAskOpened, openedAtMs: number): AskDetail {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const tool = { name: WALL_ASK, kind: "fetch", input: { url: `https://${target}/` } };
  return { title: `Wants to reach ${target}`, detail: "", openedAtMs, tool, source: "wall" };
}

export function forgotten(open: OpenThings, event: DerivedStateEvent): OpenThings {
  if (event.type === "ask_closed") return { ...open, askDetails: without(open.askDetails, event.askId) };
  if (event.type === "tool_lifecycle" && event.status !== "running") open.openTools.close(event.callId);
  return open;
}

/** Agents name their asks and calls: `constructor` is a name like any other. */
function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, key)) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

/** Whether a step can have changed a call, an ask or a message: most content does not, and most steps are content. */
export function mayDerive(before: SessionState, event: SessionEvent, after: SessionState): boolean {
  if (event.type !== "harness_stream" || event.event.type === "tool_call_completed") return true;
  return (
    before.tools !== after.tools ||
    before.asks !== after.asks ||
    before.wallAsks !== after.wallAsks ||
    before.queue !== after.queue ||
    before.delivering !== after.delivering ||
    before.prompt !== after.prompt
  );
}

export function causeType(event: SessionEvent): string {
  return event.type === "harness_stream" ? `stream:${event.event.type}` : event.type;
}
