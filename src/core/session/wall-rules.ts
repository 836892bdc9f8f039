/** What the wall around a run holds back, until a person answers. */
import { ignored } from "../step.js";
import type { EventOf } from "./events.js";
import { rule } from "./rule.js";

export const openWallAsk = rule<EventOf<"wall_asked">>(
  ["same"],
  "a host waits for an answer: until then, until its time is up, or until the run ends, whatever the agent does; the 33rd is answered no",
  (change, { askId, host, port }) => {
    if (!change.state.alive) return ignored(change.state, "no process");
    change.takeWallAsk({ askId, host, port });
    return undefined;
  },
);

export const closeWallAsk = rule<EventOf<"wall_closed">>(
  ["same"],
  "nobody waits for the wall's answer any more: dropped",
  (change, { askId }) => {
    if (!change.state.wallAsks.some((ask) => ask.askId === askId))
      return ignored(change.state, "that ask is not open");
    change.dropWallAsk(askId);
    return undefined;
  },
);
