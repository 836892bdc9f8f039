import type { EventQuery } from "../client/event-item.js";

/** A daemon that is only started again is back before. */
const PATIENCE_MS = 2_000;

/** For whoever follows: says on stderr that the daemon is away, so that nobody takes the last that was shown for what is. */
export function awayNote(): Required<Pick<EventQuery, "onOpen" | "onLost">> {
  let timer: NodeJS.Timeout | undefined;
  let isTold = false;
  return {
    onLost: () => {
      timer ??= setTimeout(() => {
        isTold = true;
        process.stderr.write("signalbox: the daemon is away; waiting for it\n");
      }, PATIENCE_MS).unref();
    },
    onOpen: () => {
      clearTimeout(timer);
      timer = undefined;
      if (isTold) process.stderr.write("signalbox: the daemon is back\n");
      isTold = false;
    },
  };
}
