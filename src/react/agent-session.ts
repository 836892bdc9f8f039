import type { UiState } from "../core/index.js";
import { deriveUi, initialSession } from "../core/index.js";
import type { AskSummary, SessionDetail, SessionSummary } from "../protocol/session.js";
import type { StateEvent } from "../protocol/state-event.js";

/** A session as a screen shows it. Its status, phase, asks and queue come from state events, and from nothing else. */
export interface AgentSession extends SessionSummary {
  /** Until when the agent itself waits to try again; null when it does not, as far as was read. */
  readonly retry: SessionDetail["state"]["retry"];
  /** How much goes on in the background, as far as was read. */
  readonly background: number;
}

type Ui = Pick<AgentSession, "status" | "autoApprove"> & {
  readonly asks: readonly Pick<AskSummary, "askId" | "ask" | "needsHuman">[];
};

/** The flags of a screen, by the same rule as everywhere. */
export function uiOf({ status, autoApprove, asks }: Ui): UiState {
  return deriveUi({
    ...initialSession,
    status,
    autoApprove,
    // The rule looks at nobody's name.
    asks: asks.map(({ askId, needsHuman }) => ({ askId, needsHuman, ask: "followup" })),
  });
}

export function sessionFrom(summary: SessionSummary): AgentSession {
  return { ...summary, retry: null, background: 0 };
}

/** The session after a state event of its own; the same object when it is in there already, or changes nothing. */
export function applyStateEvent(session: AgentSession, event: StateEvent, position: number): AgentSession {
  if (position <= session.position) return session;
  const changed = changedBy(session, event);
  if (changed === session) return session;
  const next = { ...changed, position, updatedAtMs: Math.max(session.updatedAtMs, event.timestampMs) };
  return { ...next, ui: uiOf(next) };
}

function changedBy(session: AgentSession, event: StateEvent): AgentSession {
  const { payload, timestampMs } = event;
  switch (payload.type) {
    case "state_changed": {
      const { to: status, toPhase: phase } = payload;
      const statusSinceMs = status === session.status ? session.statusSinceMs : timestampMs;
      const error = status === "error" ? session.error : null;
      // Something happened: it waits no more.
      return { ...session, status, phase, statusSinceMs, error, retry: null };
    }
    case "session_error": {
      if (!isErrorOf(session, event)) return session;
      const { code, message, retryable, source } = payload;
      return { ...session, error: { code, message, retryable, source } };
    }
    case "ask_opened": {
      const { askId, ask, title, detail, needsHuman, openedAtMs } = payload;
      const known = session.asks.find((other) => other.askId === askId);
      const opened = {
        ...{ tool: known?.tool ?? null, suggestions: known?.suggestions ?? [] },
        ...{ askId, ask, title, detail, needsHuman, openedAtMs },
      };
      const asks = known
        ? session.asks.map((other) => (other === known ? opened : other))
        : [...session.asks, opened];
      return { ...session, asks };
    }
    case "ask_closed":
      return { ...session, asks: session.asks.filter(({ askId }) => askId !== payload.askId) };
    case "message_status":
      return { ...session, queue: queueAfter(session.queue, payload.messageId, payload.status) };
    case "tool_lifecycle":
    case "roster_changed":
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

/** What was sent, or could not be, waits no more. */
function queueAfter(queue: Queue, messageId: string, status: Queue[number]["status"]): Queue {
  if (status === "sent" || status === "failed") return queue.filter((each) => each.messageId !== messageId);
  const isKnown = queue.some((each) => each.messageId === messageId);
  if (!isKnown) return [...queue, { messageId, status }];
  return queue.map((each) => (each.messageId === messageId ? { messageId, status } : each));
}

/**
 * What no event tells: titles, costs, which rules an answer would grant. A summary that is read again may be ahead of the
 * events, so nothing that they tell is taken from it. The same object when nothing of it changed.
 */
export function refreshed(session: AgentSession, summary: SessionSummary | SessionDetail): AgentSession {
  const { title, cwd, model, usage, run, autoApprove, enforcement, createdAtMs } = summary;
  const asks = session.asks.map((ask) => {
    const known = summary.asks.find(({ askId }) => askId === ask.askId);
    return known ? { ...ask, tool: known.tool, suggestions: known.suggestions } : ask;
  });
  const { retry, background } = "state" in summary ? summary.state : session;
  const told = {
    title,
    cwd,
    model,
    usage,
    run,
    autoApprove,
    enforcement,
    createdAtMs,
    asks,
    retry,
    background,
  };
  const next = { ...session, ...told };
  return isSame(session, next) ? session : { ...next, ui: uiOf(next) };
}

/** As plain JSON, field by field. */
function isSame(before: AgentSession, after: AgentSession): boolean {
  return Object.entries(after).every(([name, value]) => {
    const known: unknown = before[name as keyof AgentSession];
    if (known === value || typeof value !== "object") return known === value;
    return JSON.stringify(known) === JSON.stringify(value);
  });
}
