/** What becomes of a workspace when its session is deleted: that is decided before anything is deleted. */
import { createInterface } from "node:readline/promises";
import type { Client } from "../client/client.js";
import type { SessionSummary } from "../protocol/session.js";
import type { Workspace } from "../protocol/workspace.js";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";
import { oneLine } from "./plain-text.js";
import { atRest, holdsWork, lookAt, workspaceWords } from "./workspace-name.js";

export interface Leaving {
  readonly keep: boolean;
  readonly discard: boolean;
  /** Also what holds work that is nowhere else. */
  readonly yes: boolean;
}

/** What is to be discarded once the session is deleted; null: its workspace stays, or it has none of its own. */
export async function decideWorkspace(
  client: Client,
  { id, workspaceId }: SessionSummary,
  { keep, discard, yes }: Leaving,
): Promise<Workspace | null> {
  if (workspaceId === undefined || keep) return null;
  const [known] = (await client.listWorkspaces({ id: workspaceId })).items;
  // Another session works there still.
  if (!known || known.status === "gone" || known.sessionIds.some((each) => each !== id)) return null;
  const seen = await lookAt(client, workspaceId);
  const isAsked = !discard && process.stdin.isTTY && process.stdout.isTTY;
  if (isAsked) return (await wantsDiscard(seen)) ? seen : null;
  if (!discard) {
    process.stderr.write(`signalbox: its workspace stays: ${seen.path}; signalbox discard ${seen.id}\n`);
    return null;
  }
  if (holdsWork(seen) && !yes)
    throw new CommandFailure(
      `${id}: its workspace holds work that is nowhere else (${oneLine(workspaceWords(seen))}); nothing was deleted`,
      "Add --keep-workspace, or --yes to have it in the trash.",
      EXIT.refused,
    );
  return seen;
}

/** The answer is about what is shown: only that is discarded. */
async function wantsDiscard(seen: Workspace): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const words = holdsWork(seen)
      ? `${oneLine(workspaceWords(seen))}, which is nowhere else`
      : "nothing else";
    process.stderr.write(`Its workspace ${seen.path} holds ${words}.\n`);
    const answer = await asking.question("Keep it, or discard it to the trash? [keep] ");
    return answer.trim().toLowerCase() === "discard";
  } finally {
    asking.close();
  }
}

/** How often it is tried while its agent ends. */
const TRIES = 20;

/** As it was seen: what changed since then stays where it is. */
export async function discardSeen(client: Client, seen: Workspace): Promise<string> {
  for (let tried = 1; ; tried += 1) {
    const { observed } = seen;
    const now = await lookAt(client, seen.id);
    if (now.running > 0 && tried < TRIES) continue;
    const confirmed = observed ? { observation: observed.id, confirm: true } : {};
    const after = await atRest(client, await client.discardWorkspace(seen.id, confirmed));
    if (after.error && after.status !== "gone")
      throw new CommandFailure(
        `its workspace is not discarded: ${oneLine(after.error.message)}`,
        `It is in ${seen.path}; see signalbox discard ${seen.id}.`,
        EXIT.refused,
      );
    return `${seen.path} is in the trash\n`;
  }
}
