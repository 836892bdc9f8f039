/**
 * What people read of a session's status: the same words on the page, in the terminal and in the documents.
 *
 * JSON keeps the machine's own names. Nothing here decides anything.
 */
import { STATUSES, type Status } from "../session/state.js";

/** `idle` is a session that nobody has started; with a shell in front it is a shell. `resting` is done, without a process. */
export const STATUS_WORDS: Readonly<Record<Status | "shell" | "resting", string>> = {
  idle: "Not started",
  creating: "Starting",
  streaming: "Working",
  waiting_approval: "Needs approval",
  waiting_input: "Needs an answer",
  completed: "Done",
  paused: "Paused",
  error: "Failed",
  stopped: "Stopped",
  shell: "Shell",
  resting: "Resting",
};

/** Where nobody understands what a terminal shows: the status is only the last that was proven. */
export const NOT_KNOWN_WORD = "Not known";

/** What a person can do to a session, by the name of the call. */
export const ACTION_WORDS = {
  interrupt: "Interrupt",
  cancel: "Stop",
  resume: "Resume",
  retry: "Retry",
  start: "New turn",
} as const;

export interface ShownStatus {
  readonly status: Status;
  /** Whether it can be stopped: idle, that means that a shell runs. */
  readonly ui: { readonly canCancel: boolean; readonly resting?: boolean };
  readonly certainty: "known" | "unknown";
}

/** The status in a word, as it was last proven. */
export function provenWord({ status, ui }: Pick<ShownStatus, "status" | "ui">): string {
  if (status === "idle" && ui.canCancel) return STATUS_WORDS.shell;
  return STATUS_WORDS[ui.resting === true ? "resting" : status];
}

/** The status in a word; what is not known is not said as if it were. */
export function shownWord(shown: ShownStatus): string {
  return shown.certainty === "known" ? provenWord(shown) : NOT_KNOWN_WORD;
}

/** The machine's name for a status, from whatever a person calls it; null when no status is called so. */
export function statusCalled(word: string): Status | null {
  const wanted = plain(word);
  return (
    STATUSES.find((status) => plain(status) === wanted || plain(STATUS_WORDS[status]) === wanted) ?? null
  );
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ");
}
