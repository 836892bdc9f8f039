/** On whose behalf the MCP server acts, and what that one may do. */
import type { Client } from "../../client/client.js";
import { SignalboxError } from "../../client/signalbox-error.js";

export interface Caller {
  /** The session whose agent started us; null: an agent that Signalbox does not run. */
  readonly sessionId: string | null;
  readonly cwd: string;
}

export type Leave =
  /** `sessionId`: of the session that was found. */
  | { readonly type: "granted"; readonly sessionId: string | null }
  | { readonly type: "refused"; readonly because: string };

/**
 * Whether a tool may be used now, by the rules of the daemon. Where a person would have to be asked there is nobody to ask:
 * only a session whose own agent asks before every tool has asked already.
 */
export async function leaveFor(client: Client, caller: Caller, tool: string): Promise<Leave> {
  const call = `Mcp(signalbox/${tool})`;
  const session = caller.sessionId === null ? null : await findSession(client, caller.sessionId);
  const cwd = session?.cwd ?? caller.cwd;
  const { decision, because } = await client.testPermission({ call, cwd });
  const granted = { type: "granted", sessionId: session?.id ?? null } as const;
  if (decision === "allow") return granted;
  if (decision === "deny") return { type: "refused", because: `${call} is denied: ${because}` };
  if (session?.enforcement === "enforced" && session.ui.isActive) return granted;
  return {
    type: "refused",
    because:
      `${call} needs a person's consent, and nobody can be asked here. ${because} ` +
      `A person can permit it with: signalbox permissions add --allow "${call}" --cwd ${JSON.stringify(cwd)}`,
  };
}

async function findSession(client: Client, id: string) {
  try {
    return await client.getSession(id);
  } catch (error) {
    // A name that somebody made up gives no more than no name.
    if (error instanceof SignalboxError && error.status === 404) return null;
    throw error;
  }
}
