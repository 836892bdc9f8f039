/** The order in which a journal gives what it loads: the same for every implementation. */
import type { Loaded, OutboxItem } from "../runtime/ports.js";

/** Effects in the order in which their session asked for them; all else by time, then by name. */
export function ordered(loaded: Loaded): Loaded {
  return {
    ...loaded,
    sessions: sorted(loaded.sessions, (a, b) => a.createdAtMs - b.createdAtMs || byName(a.id, b.id)),
    outbox: sorted(loaded.outbox, (a, b) => byName(a.sessionId, b.sessionId) || byEffect(a, b)),
    timers: sorted(
      loaded.timers,
      (a, b) => a.dueAtMs - b.dueAtMs || byName(a.sessionId, b.sessionId) || byName(a.timerId, b.timerId),
    ),
    unsettledMessages: sorted(
      loaded.unsettledMessages,
      (a, b) => a.atMs - b.atMs || byName(a.messageId, b.messageId),
    ),
    finishedStreams: sorted(
      loaded.finishedStreams,
      (a, b) => byName(a.sessionId, b.sessionId) || byName(a.streamId, b.streamId),
    ),
  };
}

/** `9.10` comes after `9.2`, and before `10.0`. */
function byEffect(a: OutboxItem, b: OutboxItem): number {
  const [seqA = 0, indexA = 0] = a.effectId.split(".").map(Number);
  const [seqB = 0, indexB = 0] = b.effectId.split(".").map(Number);
  return seqA - seqB || indexA - indexB;
}

function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  return items.toSorted(compare);
}
