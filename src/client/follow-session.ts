import type { SessionDetail } from "../protocol/session.js";
import type { EventItem } from "./event-item.js";
import type { EventStreamItem } from "./event-stream.js";
import { UnreachableError } from "./signalbox-error.js";

export type FollowItem = EventItem | { readonly type: "session"; readonly session: SessionDetail };

/** The summary comes from the daemon each time: nobody else knows what a change means for all of it. */
export async function* followSession(
  readSession: () => Promise<SessionDetail>,
  stream: AsyncIterable<EventStreamItem>,
): AsyncGenerator<FollowItem, void, undefined> {
  let shown = "";
  let stale = false;
  for await (const item of stream) {
    if (item.type !== "open") yield item;
    stale ||= mayChangeSummary(item);
    const session = stale ? await readIfThere(readSession) : null;
    if (session === null) continue;
    stale = false;
    const { status, asks, error, certainty, agent, returned, ui } = session;
    const { needsAttention } = ui;
    const next = JSON.stringify({ status, asks, error, certainty, agent, returned, needsAttention });
    if (next === shown) continue;
    shown = next;
    yield { type: "session", session };
  }
}

/** Null when the daemon does not answer now: the stream will say when it is back. */
async function readIfThere(readSession: () => Promise<SessionDetail>): Promise<SessionDetail | null> {
  try {
    return await readSession();
  } catch (error) {
    if (error instanceof UnreachableError) return null;
    throw error;
  }
}

function mayChangeSummary(item: EventStreamItem): boolean {
  if (item.type === "open" || item.type === "reset") return true;
  if (item.channel === "stream") return false;
  const { payload } = item.event;
  if (payload.type === "state_changed") return payload.from !== payload.to;
  if (payload.type === "message_status") return payload.status === "returned" || payload.status === "failed";
  return payload.type !== "tool_lifecycle" && payload.type !== "roster_changed";
}
