/** What a session is called where its status alone would not be true: the same words on the page and in a terminal. */
import type { SessionSummary } from "./session.js";
import type { WallLabel } from "./wall.js";

type Shown = Pick<SessionSummary, "status" | "ui">;

/** A terminal with a shell in front and no agent: idle, and its run lives. */
export function isShellSession({ status, ui }: Shown): boolean {
  return status === "idle" && ui.canCancel;
}

/** Nobody understands what the agent shows: its status is the last that was proven. */
export function isNotKnown({ certainty }: Pick<SessionSummary, "certainty">): boolean {
  return certainty === "unknown";
}

/** There is nobody to take a message: it would be refused. */
export function hasNobody({ addressee, agent }: Pick<SessionSummary, "addressee" | "agent">): boolean {
  return addressee === "agent" && agent === null;
}

/** It runs, and nothing keeps it in. */
export function runsWithoutWall(session: Pick<SessionSummary, "status" | "ui" | "wall">): boolean {
  const { status, ui, wall } = session;
  const isRunning = isShellSession(session) || (RUNNING.has(status) && !ui.resting);
  return wall?.label === "none" && isRunning;
}

const RUNNING: ReadonlySet<SessionSummary["status"]> = new Set([
  "streaming",
  "waiting_approval",
  "waiting_input",
  "completed",
]);

/** What holds of a category, in words. */
export const HOLD_WORDS: Readonly<Record<WallLabel["holds"], string>> = {
  walled: "held by the kernel",
  enforced: "checked every time",
  "when-asked": "checked when it asks",
  none: "open",
};

const ENDING_WORDS: Readonly<Record<NonNullable<SessionSummary["ending"]>, string>> = {
  max_tokens: "stopped at the output limit",
  refusal: "the model declined",
  context_full: "the context is full",
};

/** How a turn ended, where that is more than done, and what goes on; empty when there is nothing to say. */
export function endWords(ending: SessionSummary["ending"], background: number): string {
  const parts = [
    ...(ending === null ? [] : [ENDING_WORDS[ending]]),
    ...(background > 0 ? [`${background} in background`] : []),
  ];
  return parts.join(", ");
}

/** Of messages that came back. */
export function returnedWords(count: number): string {
  return count === 1
    ? "1 message was not delivered: the agent ended before it received it"
    : `${count} messages were not delivered: the agent ended before it received them`;
}
