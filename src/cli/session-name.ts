/** Sessions by their ids, whole or abbreviated. */
import type { Client } from "../client/client.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { SessionSummary } from "../protocol/session.js";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";
import { clipped } from "./plain-text.js";
import { listAllSessions } from "./session-list.js";
import { statusWord } from "./status-words.js";

const SHORT_LENGTH_MIN = 8;
const CANDIDATES_SHOWN_MAX = 10;

/** The session with this id, or the only one whose id begins so. */
export async function resolveSession(client: Client, typed: string): Promise<SessionSummary> {
  const exact = await findSession(client, typed);
  if (exact) return exact;
  const sessions = await listAllSessions(client);
  const candidates = sessions.filter((session) => typed !== "" && session.id.startsWith(typed));
  const [only] = candidates;
  if (only && candidates.length === 1) return only;
  const name = JSON.stringify(typed);
  if (candidates.length === 0) {
    const hint = sessions.length === 0 ? "There are no sessions." : "See signalbox ls.";
    throw new CommandFailure(`no session ${name}`, hint, EXIT.refused);
  }
  throw new CommandFailure(
    `${name} means ${candidates.length} sessions:\n${describeAll(candidates)}`,
    "Write more of the id.",
    EXIT.refused,
  );
}

async function findSession(client: Client, id: string): Promise<SessionSummary | null> {
  if (id === "") return null;
  try {
    return await client.getSession(id);
  } catch (error) {
    if (error instanceof SignalboxError && error.status === 404) return null;
    throw error;
  }
}

function describeAll(sessions: readonly SessionSummary[]): string {
  const shown = sessions.slice(0, CANDIDATES_SHOWN_MAX);
  const lines = shown.map(
    (session) => `  ${session.id}  ${statusWord(session)}  ${clipped(session.title, 60)}`,
  );
  const rest = sessions.length - shown.length;
  return [...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join("\n");
}

/** For each id its shortest beginning that no other has, but at least eight characters. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted();
  const short = new Map<string, string>();
  sorted.forEach((id, index) => {
    const same = Math.max(sameLength(id, sorted[index - 1]), sameLength(id, sorted[index + 1]));
    short.set(id, id.slice(0, Math.max(SHORT_LENGTH_MIN, same + 1)));
  });
  return short;
}

/** How many characters at the beginning are the same. */
function sameLength(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
