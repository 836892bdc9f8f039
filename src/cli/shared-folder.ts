import type { Client } from "../client/client.js";
import type { SessionSummary } from "../protocol/session.js";
import { clipped } from "./plain-text.js";
import { listAllSessions } from "./session-list.js";

/** The statuses in which an agent may be writing. */
const AT_WORK = ["creating", "streaming", "waiting_approval", "waiting_input"] as const;

/** Two agents in one folder overwrite each other's work: who starts the second should know. */
export async function warnOfSharedFolder(
  client: Client,
  { id, cwd, workspaceId }: SessionSummary,
  isAsked: boolean,
): Promise<void> {
  if (workspaceId !== undefined) {
    if (!isAsked)
      process.stderr.write(
        `signalbox: another session is alive in this repository, so this one has a workspace: ${cwd}; --no-workspace for none\n`,
      );
    return;
  }
  // A warning that cannot be given is no failure: the session runs.
  const atWork = await listAllSessions(client, AT_WORK).catch(() => []);
  const others = atWork.filter((session) => session.cwd === cwd && session.id !== id);
  const [other] = others;
  if (!other) return;
  const more = others.length > 1 ? ` and ${others.length - 1} more work` : " works";
  process.stderr.write(
    `signalbox: ${other.id} (${clipped(other.title, 40)})${more} in this folder too; --workspace gives each a checkout of its own\n`,
  );
}
