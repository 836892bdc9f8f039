/** A workspace by what a person types: the beginning of its id, or of the id of a session in it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client/client.js";
import type { Workspace } from "../protocol/workspace.js";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";

export async function resolveWorkspace(
  client: Client,
  typed: string,
  { look = false }: { readonly look?: boolean } = {},
): Promise<Workspace> {
  const { items } = await client.listWorkspaces();
  const found = items.filter(
    ({ id, sessionIds }) => typed !== "" && [id, ...sessionIds].some((each) => each.startsWith(typed)),
  );
  const [only] = found;
  if (only && found.length === 1) return look ? lookAt(client, only.id) : only;
  throw new CommandFailure(
    found.length === 0
      ? `no workspace ${JSON.stringify(typed)}, and no session that has one`
      : `${JSON.stringify(typed)} means several workspaces`,
    "See signalbox workspaces ls.",
    EXIT.refused,
  );
}

export async function lookAt(client: Client, id: string): Promise<Workspace> {
  const [item] = (await client.listWorkspaces({ id, look: "1" })).items;
  if (item) return item;
  throw new CommandFailure(`the workspace ${id} is gone`, "See signalbox workspaces ls.", EXIT.refused);
}

const POLL_MS = 500;

/** Until nothing is being done with it. */
export async function atRest(client: Client, workspace: Workspace): Promise<Workspace> {
  let now = workspace;
  while ((now.status === "preparing" || now.status === "finishing") && now.finish?.held !== true) {
    await sleep(POLL_MS);
    const [item] = (await client.listWorkspaces({ id: now.id })).items;
    if (!item) break;
    now = item;
  }
  return now;
}

/** What is in it, in a few words. */
export function workspaceWords(workspace: Workspace): string {
  const { status, setup, observed, finished, error, finish, overlaps } = workspace;
  if (error) return `${status}: ${error.message}`;
  if (finish) return `${status}: ${finish.held ? "waits for the agent" : finish.step}`;
  if (status === "preparing") return setup === "running" ? "setup runs" : "being made";
  if (!observed) return status;
  const parts = [
    observed.dirty ? "uncommitted changes" : "",
    observed.ahead > 0 && finished?.head !== observed.head ? `${observed.ahead} ahead` : "",
    observed.behind > 0 ? `${observed.behind} behind` : "",
    observed.loose ? "ignored files or other branches" : "",
    overlaps.length === 0
      ? ""
      : `changes files that ${overlaps.map(({ workspaceId }) => workspaceId.slice(0, 8)).join(", ")} changes too`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? status : `${status}: ${parts.join(", ")}`;
}

/** Whether something would be in the trash only, were it discarded. */
export function holdsWork({ observed, finished }: Workspace): boolean {
  if (!observed) return true;
  return observed.dirty || observed.loose || (observed.ahead > 0 && finished?.head !== observed.head);
}
