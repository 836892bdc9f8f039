/** What of the state events is worth calling a person for. */
import type { AgentSession } from "../../react/agent-session.js";
import type { StateEvent } from "../../protocol/state-event.js";

export interface News {
  /** The same for the same event in every tab. */
  readonly key: string;
  readonly sessionId: string;
  readonly title: string;
  readonly text: string;
  /** Whether it is still so: asks are answered, errors are retried. */
  readonly holds: (session: AgentSession | null) => boolean;
}

export function newsIn(event: StateEvent, session: AgentSession): News | null {
  const { payload, sessionId, timestampMs } = event;
  const about = { sessionId, title: session.title };
  if (payload.type === "ask_opened" && payload.needsHuman) {
    const { askId, title } = payload;
    const key = `ask:${sessionId}:${askId}`;
    const holds = (now: AgentSession | null) => now?.asks.some((ask) => ask.askId === askId) === true;
    const who = payload.source === "wall" ? "The wall asks" : "It asks";
    return { ...about, key, text: title === "" ? "It needs an answer." : `${who}: ${title}`, holds };
  }
  if (payload.type === "certainty_changed" && payload.needsAttention) {
    const holds = (now: AgentSession | null) => now?.unknownNotified === true;
    const key = `unknown:${sessionId}:${payload.unknownSinceMs ?? timestampMs}`;
    return { ...about, key, text: "Signalbox cannot read its terminal: look at it.", holds };
  }
  if (payload.type === "message_status" && payload.status === "returned") {
    const { messageId } = payload;
    const holds = (now: AgentSession | null) =>
      now?.returned.some((each) => each.messageId === messageId) === true;
    // All that came back at once are one piece of news.
    const key = `returned:${sessionId}:${timestampMs}`;
    return { ...about, key, text: "The agent ended before it received your message.", holds };
  }
  if (payload.type !== "state_changed" || payload.from === payload.to) return null;
  const holds = (now: AgentSession | null) => now?.status === payload.to;
  if (payload.to === "error") {
    const text = session.error?.message ?? "Something went wrong.";
    return { ...about, key: `error:${sessionId}:${timestampMs}`, text, holds };
  }
  if (payload.to === "completed")
    return { ...about, key: `done:${sessionId}:${timestampMs}`, text: "It is done.", holds };
  return null;
}
