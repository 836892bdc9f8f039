/** What an agent does just now, for whoever was not there when it began. */
import type { Client } from "../client/client.js";
import type { EventItem } from "../client/event-item.js";
import { doingAfter, doingAfterState, doingWords, NOT_DOING, type Doing } from "../core/words/doing.js";
import type { JournalEntry } from "../protocol/api-schemas.js";
import type { SessionSummary } from "../protocol/session.js";
import type { StateEvent } from "../protocol/state-event.js";

/** As many as it takes to know which calls are open, and what came last. */
const STATES_READ = 200;
const CONTENT_READ = 20;

export async function readDoing(client: Pick<Client, "listEvents">, sessionId: string): Promise<Doing> {
  const newest = { order: "newest" } as const;
  const pages = await Promise.all([
    client.listEvents(sessionId, { ...newest, kind: "state", limit: STATES_READ }),
    client.listEvents(sessionId, { ...newest, kind: "stream", limit: CONTENT_READ }),
  ]);
  return pages
    .flatMap(({ items }) => items)
    .sort((a, b) => a.position - b.position)
    .reduce(doingOnceRead, NOT_DOING);
}

/** Empty when its status says it all. */
export async function doingNow(client: Client, session: SessionSummary): Promise<string> {
  const { id, status, phase, certainty } = session;
  const doing = phase === null ? NOT_DOING : await readDoing(client, id);
  return doingWords(status, phase, doing, certainty);
}

export function doingOnce(doing: Doing, item: EventItem): Doing {
  if (item.type === "reset") return NOT_DOING;
  return item.channel === "stream" ? doingAfter(doing, item.event) : afterState(doing, item.event);
}

function doingOnceRead(doing: Doing, entry: JournalEntry): Doing {
  if (entry.kind === "stream") return doingAfter(doing, entry.event);
  return entry.kind === "state" ? afterState(doing, entry.event) : doing;
}

function afterState(doing: Doing, { payload, timestampMs }: StateEvent): Doing {
  if (payload.type !== "state_changed" && payload.type !== "tool_lifecycle") return doing;
  return doingAfterState(doing, payload, timestampMs);
}
