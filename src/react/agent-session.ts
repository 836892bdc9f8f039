import type { UiState } from "../core/index.js";
import { deriveUi, initialSession } from "../core/index.js";
import type { AskSummary, SessionDetail, SessionSummary } from "../protocol/session.js";
import { isShellSession } from "../protocol/session-words.js";
import type { StateEvent } from "../protocol/state-event.js";

/** A session as a screen shows it. Its status, phase, asks and queue come from state events, and from nothing else. */
export interface AgentSession extends SessionSummary {
  /** Until when the agent itself waits to try again; null when it does not, as far as was read. */
  readonly retry: SessionDetail["state"]["retry"];
  /** How much goes on in the background, as far as was read. */
  readonly background: number;
  /** What nobody understands has been still for long, and a person was called. */
  readonly unknownNotified: boolean;
}

type Ui = Pick<
  AgentSession,
  "status" | "autoApprove" | "certainty" | "unknownNotified" | "addressee" | "agent"
> & {
  /** Whether it is a shell, when it is idle. */
  readonly alive: boolean;
  readonly resting?: boolean;
  readonly asks: readonly Pick<AskSummary, "askId" | "ask" | "needsHuman">[];
};

/** The flags of a screen, by the same rule as everywhere. */
export function uiOf(shown: Ui): UiState {
  const { status, autoApprove, certainty, unknownNotified, addressee, agent, alive, asks } = shown;
  const rest = shown.resting === true ? ({ step: "resting", timerId: "told" } as const) : null;
  return deriveUi({
    ...initialSession,
    ...{
      status,
      approve: autoApprove ? ("auto" as const) : ("ask" as const),
      certainty,
      unknownNotified,
      addressee,
      agent,
      alive,
      rest,
    },
    // The rule looks at nobody's name.
    asks: asks.map(({ askId, needsHuman }) => ({ askId, needsHuman, ask: "followup" })),
  });
}

export function sessionFrom(summary: SessionSummary): AgentSession {
  const { certainty, ui, status, asks } = summary;
  const isAsking = status === "error" || asks.some(({ needsHuman }) => needsHuman);
  const unknownNotified = certainty === "unknown" && ui.needsAttention && !isAsking;
  return { ...summary, retry: null, background: 0, unknownNotified };
}

/** The session after a state event of its own; the same object when it is in there already, or changes nothing. */
export function applyStateEvent(session: AgentSession, event: StateEvent, position: number): AgentSession {
  if (position <= session.position) return session;
  const changed = changedBy(session, event);
  if (changed === session) return session;
  const next = { ...changed, position, updatedAtMs: Math.max(session.updatedAtMs, event.timestampMs) };
  // Nothing but a terminal that has become a shell leads back to idle.
  const alive = event.payload.type === "state_changed" || isShellSession(session);
  return { ...next, ui: uiOf({ ...next, alive, resting: next.ui.resting && next.status === "completed" }) };
}

function changedBy(session: AgentSession, event: StateEvent): AgentSession {
  const { payload, timestampMs } = event;
  switch (payload.type) {
    case "state_changed": {
      const { to: status, toPhase: phase } = payload;
      const statusSinceMs = status === session.status ? session.statusSinceMs : timestampMs;
      const error = status === "error" ? session.error : null;
      const { ending = null, background = session.background } = payload;
      const ended = status === session.status ? {} : { ending, background };
      // Something happened: it waits no more.
      return { ...session, status, phase, statusSinceMs, error, retry: null, ...ended };
    }
    case "session_error": {
      if (!isErrorOf(session, event)) return session;
      const { code, message, retryable, source } = payload;
      return { ...session, error: { code, message, retryable, source } };
    }
    case "ask_opened": {
      const { type: _type, ...ask } = payload;
      const known = session.asks.find((other) => other.askId === ask.askId);
      const opened = { tool: known?.tool ?? null, suggestions: known?.suggestions ?? [], ...ask };
      const asks = known
        ? session.asks.map((other) => (other === known ? opened : other))
        : [...session.asks, opened];
      return { ...session, asks };
    }
    case "ask_closed":
      return { ...session, asks: session.asks.filter(({ askId }) => askId !== payload.askId) };
    case "message_status":
      return withMessage(session, payload.messageId, payload.status);
    case "certainty_changed": {
      const { certainty, unknownSinceMs, needsAttention, agent } = payload;
      return { ...session, certainty, unknownSinceMs, agent, unknownNotified: needsAttention };
    }
    case "rest_changed":
      return { ...session, ui: { ...session.ui, resting: payload.resting } };
    case "tool_lifecycle":
    case "roster_changed":
    case "checkpoint":
      return session;
  }
}

/**
 * A request that was refused is no error of the session. What has no cause in the journal, an approval that could not be
 * kept, is told as long as nothing worse is.
 */
function isErrorOf({ status }: AgentSession, { cause }: StateEvent): boolean {
  return cause === undefined ? status !== "error" : cause.source !== "request";
}

type Queue = AgentSession["queue"];

/** One that came back is in no queue; its text is not in the event, and is read with the summary. */
function withMessage(
  session: AgentSession,
  messageId: string,
  status: Queue[number]["status"],
): AgentSession {
  const queue = queueAfter(session.queue, messageId, status);
  const isKnown = session.returned.some((each) => each.messageId === messageId);
  if ((status === "returned") === isKnown) return { ...session, queue };
  const returned = isKnown
    ? session.returned.filter((each) => each.messageId !== messageId)
    : [...session.returned, { messageId, text: "" }];
  return { ...session, queue, returned };
}

/** What was sent, or could not be, waits no more. */
function queueAfter(queue: Queue, messageId: string, status: Queue[number]["status"]): Queue {
  if (status !== "queued" && status !== "sending")
    return queue.filter((each) => each.messageId !== messageId);
  const isKnown = queue.some((each) => each.messageId === messageId);
  if (!isKnown) return [...queue, { messageId, status }];
  return queue.map((each) => (each.messageId === messageId ? { messageId, status } : each));
}

/**
 * What no event tells: titles, costs, which rules an answer would grant. A summary that is read again may be ahead of the
 * events, so nothing that they tell is taken from it. The same object when nothing of it changed.
 */
export function refreshed(session: AgentSession, summary: SessionSummary | SessionDetail): AgentSession {
  const { title, cwd, model, usage, run, approve, autoApprove, enforcement, createdAtMs } = summary;
  const asks = session.asks.map((ask) => {
    const known = summary.asks.find(({ askId }) => askId === ask.askId);
    return known ? { ...ask, tool: known.tool, suggestions: known.suggestions } : ask;
  });
  const { retry, background } = "state" in summary ? summary.state : session;
  // The texts of messages that came back; which ones did is told by events.
  const texts = new Map(summary.returned.map(({ messageId, text }) => [messageId, text]));
  const returned = session.returned.map(({ messageId, text }) => ({
    messageId,
    text: texts.get(messageId) ?? text,
  }));
  const told = {
    title,
    cwd,
    model,
    usage,
    run,
    autoApprove,
    ...(approve ? { approve } : {}),
    enforcement,
    ...(summary.wall ? { wall: summary.wall } : {}),
    createdAtMs,
    asks,
    returned,
    retry,
    background,
  };
  const next = { ...session, ...told };
  if (isSame(session, next)) return session;
  const { resting } = session.ui;
  return { ...next, ui: uiOf({ ...next, resting, alive: isShellSession(session) }) };
}

/** As plain JSON, field by field. */
function isSame(before: AgentSession, after: AgentSession): boolean {
  return Object.entries(after).every(([name, value]) => {
    const known: unknown = before[name as keyof AgentSession];
    if (known === value || typeof value !== "object") return known === value;
    return JSON.stringify(known) === JSON.stringify(value);
  });
}
