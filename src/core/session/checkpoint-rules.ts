/** The files at the end of a turn: what is handed over next waits until they are kept, or known not to be. */
import type { Change } from "./change.js";
import type { EventOf } from "./events.js";
import { rule } from "./rule.js";
import { CHECKPOINT_DELAY_MS } from "./state.js";

type Settled = EventOf<"say:checkpoint_saved" | "checkpoint_failed" | "timer_fired">;

function errorOf(event: Settled): string | null {
  switch (event.type) {
    case "say:checkpoint_saved":
      return null;
    case "checkpoint_failed":
      return event.error;
    case "timer_fired":
      return `not done after ${CHECKPOINT_DELAY_MS / 1_000} s`;
  }
}

function settle(change: Change, event: Settled): void {
  change.settleCheckpoint(errorOf(event));
}

export const checkpointSettled = rule<Settled>(
  ["same"],
  "the files are kept, or it is told that they are not",
  (change, event) => {
    settle(change, event);
    return undefined;
  },
);

export const sendOnceSaved = rule<Settled>(
  ["same", "streaming", "waiting_input"],
  "the files are kept, or it is told that they are not; what is queued goes next; a question that was begun comes first",
  (change, event) => {
    settle(change, event);
    if (change.state.queue.length > 0) change.proceed("message");
    return undefined;
  },
);

export const goOnOnceSaved = rule<Settled>(
  ["same", "waiting_input"],
  "the files are kept, or it is told that they are not; a run that was to go on does; a question that was begun comes first",
  (change, event) => {
    settle(change, event);
    change.proceedWhenReady();
    return undefined;
  },
);
