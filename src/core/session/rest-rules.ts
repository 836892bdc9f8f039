/** Idle agents rest: their process ends, and the next message resumes them. */
import { ignored } from "../step.js";
import type { EventOf } from "./events.js";
import { rule } from "./rule.js";

export const idleLong = rule<EventOf<"timer_fired">>(
  ["same"],
  "it was idle for long: it is looked at who else lives in its run",
  (change) => {
    const { rest, run } = change.state;
    if (rest === null) return ignored(change.state, "it is not idle");
    change.set("rest", { ...rest, step: "checking" });
    change.act({ type: "check_rest", run, timerId: rest.timerId });
    return undefined;
  },
);

export const restChecked = rule<EventOf<"rest_checked">>(
  ["same"],
  "nobody else needs the run: it is stopped, and rests; otherwise the wait begins anew",
  (change, event) => {
    const { rest } = change.state;
    if (rest?.step !== "checking" || rest.timerId !== event.timerId) {
      return ignored(change.state, "another rest");
    }
    if (!event.mayRest) {
      change.set("rest", null);
      return undefined;
    }
    change.stopRun();
    change.set("rest", { ...rest, step: "ending" });
    return undefined;
  },
);
