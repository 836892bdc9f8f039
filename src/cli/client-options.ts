import { createBareClient } from "../client/bare-client.js";
import type { Client } from "../client/client.js";
import { agentClient, findAgentSocket } from "./agent-socket.js";
import { dataFolder } from "./data-folder.js";
import { daemonFetch } from "./daemon-fetch.js";
import { readDaemonFiles } from "./daemon-files.js";
import { needDaemon, type RunningDaemon } from "./daemon-process.js";

/** The options of every command that talks to the daemon. */
export const CLIENT_OPTIONS = {
  json: { type: "boolean" },
  "data-dir": { type: "string" },
} as const;

export const CLIENT_HELP = `  --json           print JSON: one value, or one per line when following
  --data-dir DIR   the daemon's data folder
`;

/** Whoever follows waits so long for a daemon that is being started again; longer, and it is gone. */
const AWAY_MAX_MS = 60_000;

/** A client of the daemon, which is started when it does not run; behind a wall, by the agent's own socket. */
export async function openClient(
  values: { readonly "data-dir"?: string | undefined },
  actingFor?: string,
): Promise<Client> {
  const socket = agentSocketFor(values);
  if (socket !== null) return agentClient(socket, AWAY_MAX_MS);
  return clientOf(await needDaemon(dataFolder(values["data-dir"])), actingFor);
}

/** Null: this is no agent behind a wall, or one with a daemon of its own inside. */
export function agentSocketFor(values: { readonly "data-dir"?: string | undefined }): string | null {
  const socket = findAgentSocket();
  return socket === null || readDaemonFiles(dataFolder(values["data-dir"])) !== null ? null : socket;
}

/** `actingFor`: whom it acts for, when that is no person. */
export function clientOf(daemon: RunningDaemon, actingFor?: string): Client {
  const { url, token } = daemon;
  const options = { url, token, fetch: daemonFetch(daemon), awayMaxMs: AWAY_MAX_MS };
  return createBareClient(actingFor === undefined ? options : { ...options, actingFor });
}
