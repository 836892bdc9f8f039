import type { Client } from "../client/client.js";
import type { SessionSummary } from "../protocol/session.js";
import { STATUSES, type Status } from "../core/session/state.js";
import { UsageError } from "./command.js";
import { nearestName } from "./nearest-name.js";
import { statusCalled } from "../core/words/status-words.js";

const PAGE_LENGTH = 1_000;
/** How often whoever watches lists them anew, for what no event tells: sessions that were deleted. */
export const RELIST_MS = 60_000;

/** Every session, or every one that has one of the statuses, newest first. */
export async function listAllSessions(
  client: Client,
  statuses: readonly Status[] | null = null,
): Promise<readonly SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  const status = statuses?.join(",");
  let cursor: string | undefined;
  do {
    const page = await client.listSessions({ status, limit: PAGE_LENGTH, cursor });
    sessions.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return sessions;
}

/** The statuses in a list like `error,stopped`, or in the words of a screen: `Failed,Stopped`. */
export function parseStatuses(list: string): readonly Status[] {
  return list.split(",").map((name) => {
    const status = statusCalled(name);
    if (status !== null) return status;
    const all = `The statuses are: ${STATUSES.join(", ")}.`;
    const nearest = nearestName(name, STATUSES);
    throw new UsageError(
      `unknown status ${JSON.stringify(name)}`,
      nearest === null ? all : `Did you mean ${nearest}? ${all}`,
    );
  });
}
