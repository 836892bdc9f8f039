/** Which ask a person means. */
import type { Client } from "../client/client.js";
import type { InboxItem } from "../protocol/api-schemas.js";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";
import { clipped, visibleLine } from "./plain-text.js";
import { resolveSession } from "./session-name.js";

/** The only open approval, of one session or of all; with `askId`, the one whose id begins so. */
export async function chooseApproval(
  client: Client,
  sessionId: string | undefined,
  askId: string | undefined,
): Promise<InboxItem> {
  const session = sessionId === undefined ? null : await resolveSession(client, sessionId);
  const { items } = await client.listAsks();
  const open = items.filter((item) => session === null || item.sessionId === session.id);
  const approvals = open.filter((item) => item.ask !== "followup" && item.atTerminal !== true);
  const named = approvals.filter((item) => askId === undefined || item.askId.startsWith(askId));
  const exact = named.find((item) => item.askId === askId);
  const [only] = named;
  if (exact) return exact;
  if (only && named.length === 1) return only;
  if (named.length > 1) {
    throw new CommandFailure(
      `several approvals wait for you:\n${describeAsks(named)}`,
      "Name one: the ID of its session, or --ask with its own id.",
      EXIT.refused,
    );
  }
  const [there] = open.filter((item) => item.atTerminal === true);
  if (there) {
    throw new CommandFailure(
      `${there.sessionId} shows a dialog that can only be answered in its terminal`,
      `Use signalbox attach ${there.sessionId}.`,
      EXIT.refused,
    );
  }
  const where = session === null ? "" : ` in ${session.id}`;
  throw new CommandFailure(
    askId === undefined
      ? `nothing waits for approval${where}`
      : `no approval ${JSON.stringify(askId)} waits${where}`,
    items.some((item) => item.ask === "followup")
      ? "Questions are answered with signalbox send ID TEXT. See signalbox asks."
      : "See signalbox asks.",
    EXIT.refused,
  );
}

function describeAsks(items: readonly InboxItem[]): string {
  return items
    .map((item) => `  ${item.sessionId}  ${item.askId}  ${item.ask}  ${clipped(visibleLine(item.title), 60)}`)
    .join("\n");
}
