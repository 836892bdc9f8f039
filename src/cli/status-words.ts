/** A session's status as a terminal says it; JSON keeps the machine's own names. */
import { isNotKnown } from "../protocol/session-words.js";
import type { SessionSummary } from "../protocol/session.js";
import type { Status } from "../core/session/state.js";
import { shownWord, STATUS_WORDS } from "../core/words/status-words.js";
import type { Colour } from "./paint.js";

const STATUS_COLOURS: Readonly<Record<Status, Colour>> = {
  idle: "dim",
  creating: "green",
  streaming: "green",
  waiting_approval: "yellow",
  waiting_input: "yellow",
  completed: "bold",
  paused: "dim",
  error: "red",
  stopped: "dim",
};

type Shown = Pick<SessionSummary, "status" | "ui" | "certainty">;

/** Of a status as JSON names it; a name that a newer daemon may have is left as it is. */
export function wordFor(status: string): string {
  return new Map(Object.entries(STATUS_WORDS)).get(status) ?? status;
}

/** What is not known is not said as if it were. */
export function statusWord(session: Shown): string {
  return shownWord(session);
}

/** In a list of sessions: the wall may need a person while the agent does something else. */
export function listedWord(session: Shown & Pick<SessionSummary, "asks">): string {
  const isHeld = session.asks.some(({ source }) => source === "wall");
  return isHeld ? `${shownWord(session)}, needs you` : shownWord(session);
}

export function statusColour(session: Shown): Colour {
  if (isNotKnown(session)) return session.ui.needsAttention ? "yellow" : "dim";
  if (session.ui.needsAttention && session.status !== "error") return "yellow";
  return STATUS_COLOURS[session.status];
}
