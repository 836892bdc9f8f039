/** A session's status as a terminal says it: what is not known is marked, and a shell is called one. */
import { isNotKnown, isShellSession } from "../protocol/session-words.js";
import type { SessionSummary } from "../protocol/session.js";
import type { Status } from "../core/session/state.js";
import type { Colour } from "./paint.js";

export const STATUS_COLOURS: Readonly<Record<Status, Colour>> = {
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

/** `streaming?`: the last that was proven, and not known to be so now. */
export function statusWord(session: Shown): string {
  const word = isShellSession(session) ? "shell" : session.status;
  return isNotKnown(session) ? `${word}?` : word;
}

export function statusColour(session: Shown): Colour {
  if (isNotKnown(session)) return session.ui.needsAttention ? "yellow" : "dim";
  return STATUS_COLOURS[session.status];
}
