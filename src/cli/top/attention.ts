/** Which sessions a person should look at first. */
import type { Status } from "../../core/session/state.js";
import { isNotKnown } from "../../protocol/session-words.js";
import type { AskSummary, SessionSummary } from "../../protocol/session.js";
import { statusWord } from "../status-words.js";

const RANKS: Readonly<Record<Status, number>> = {
  waiting_approval: 2,
  waiting_input: 2,
  error: 1,
  streaming: 2,
  creating: 2,
  paused: 3,
  completed: 4,
  idle: 5,
  stopped: 6,
};

/** The ask that waits for a person, the oldest of several. */
export function openAsk({ asks }: SessionSummary): AskSummary | null {
  const waiting = asks.filter((ask) => ask.needsHuman);
  return waiting.toSorted((a, b) => a.openedAtMs - b.openedAtMs)[0] ?? null;
}

/** Those who wait for a person first, the one who waits longest before all; then errors, then work, then the rest. */
export function byAttention(sessions: Iterable<SessionSummary>): readonly SessionSummary[] {
  return [...sessions].toSorted((a, b) => {
    const [askA, askB] = [openAsk(a), openAsk(b)];
    const rank = rankOf(a, askA) - rankOf(b, askB);
    if (rank !== 0) return rank;
    if (askA && askB && askA.openedAtMs !== askB.openedAtMs) return askA.openedAtMs - askB.openedAtMs;
    // Not by the last change: rows would jump about while agents work.
    return b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1);
  });
}

/** A screen that nobody understands, and that has been still for long, waits for a person too. */
export function needsPerson(session: SessionSummary): boolean {
  return openAsk(session) !== null || (isNotKnown(session) && session.ui.needsAttention);
}

function rankOf(session: SessionSummary, ask: AskSummary | null): number {
  return ask || needsPerson(session) ? 0 : RANKS[session.status];
}

/** Whether every word is in what a person knows a session by. */
export function matchesFilter(session: SessionSummary, filter: string): boolean {
  const { id, title, harness, cwd, agent, status } = session;
  const text =
    `${id} ${title} ${harness} ${agent?.name ?? ""} ${statusWord(session)} ${status} ${cwd}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
