/** The cells that no world can reach, and why. They are decided all the same: a table has no holes. */
import { sessionMachine } from "../../src/core/session/session-machine.js";

type Cells = readonly (readonly [cell: string, because: string])[];

function cells(rows: readonly string[], columns: readonly string[], because: string): Cells {
  return rows.flatMap((row) => columns.map((column) => [`${row} / ${column}`, because] as const));
}

/** Rows that a gate leaves to a stopped session: requests, the run's end, what could not be handed over, and the files. */
const IN_STOPPED = new Set([
  "session_created (stopped run)",
  "activity (stopped run)",
  "process_exit (code 0)",
  "process_exit (other)",
  "interrupted",
  "delivery_failed",
  "effect_failed",
  "handover failed (stale run)",
  "say:checkpoint_saved (of a turn)",
  "checkpoint_failed",
  "timer_fired (checkpoint)",
]);

const gatedInStopped = sessionMachine.description.rows
  .filter(({ event, kind }) => kind === "fact" && !IN_STOPPED.has(event))
  .map(({ event }) => event);

export const UNREACHABLE: Readonly<Record<string, string>> = Object.fromEntries([
  ...cells(
    gatedInStopped,
    ["stopped"],
    "a stopped session's run is over or was told to stop: a gate takes it",
  ),
  ...cells(
    ["session_created (stopped run)", "activity (stopped run)"],
    ["idle", "creating", "streaming", "waiting_approval", "waiting_input", "paused"],
    "a run that was told to stop and still lives is only in stopped and error, and in completed when it comes to rest",
  ),
  ...cells(["timer_fired (settle)"], ["idle"], "a partial question is ignored in idle, so none settles"),
  ...cells(
    ["timer_fired (ready)"],
    ["idle", "waiting_approval", "waiting_input", "completed", "paused", "error"],
    "the timer ends with the first activity and with creating and streaming",
  ),
  ...cells(
    ["timer_fired (interrupt)"],
    ["idle", "creating", "completed", "paused", "error"],
    "the timer runs only within a turn",
  ),
  ...cells(
    ["handover failed (stale run)"],
    ["idle"],
    "before the first run nothing is handed over, and in a shell whatever run it was of means the same",
  ),
  ...cells(
    ["timer_fired (idle)"],
    ["idle", "creating", "streaming", "waiting_approval", "waiting_input", "paused", "error"],
    "the timer runs only in completed",
  ),
  ...cells(["effect_failed"], ["creating"], "a run that is being created is given nothing but its prompt"),
  ...cells(
    ["handover failed (stale run)"],
    ["waiting_approval", "waiting_input", "completed", "paused"],
    "a run starts only when the one before has ended, and all that failed was reported before that",
  ),
]);
