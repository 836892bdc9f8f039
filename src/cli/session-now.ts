import type { Client } from "../client/client.js";
import { UnreachableError } from "../client/signalbox-error.js";
import type { SessionDetail } from "../protocol/session.js";
import { awayNote } from "./away-note.js";

/** For whoever follows: a daemon that is away is waited for, as long as its events are. Null when aborted before. */
export async function sessionNow(
  client: Client,
  sessionId: string,
  signal: AbortSignal,
): Promise<SessionDetail | null> {
  try {
    return await client.getSession(sessionId);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
  }
  for await (const item of client.follow(sessionId, { ...awayNote(), signal }))
    if (item.type === "session") return item.session;
  return null;
}
