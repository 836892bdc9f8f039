import { createBareClient } from "../client/bare-client.js";
import type { Client } from "../client/client.js";
import { dataFolder } from "./data-folder.js";
import { needDaemon, type RunningDaemon } from "./daemon-process.js";
import { httpFetch } from "./http-fetch.js";

/** The options of every command that talks to the daemon. */
export const CLIENT_OPTIONS = {
  json: { type: "boolean" },
  "data-dir": { type: "string" },
} as const;

export const CLIENT_HELP = `  --json           print JSON: one value, or one per line when following
  --data-dir DIR   the daemon's data folder
`;

/** A client of the daemon, which is started when it does not run. */
export async function openClient(values: { readonly "data-dir"?: string | undefined }): Promise<Client> {
  return clientOf(await needDaemon(dataFolder(values["data-dir"])));
}

export function clientOf({ url, token }: Pick<RunningDaemon, "url" | "token">): Client {
  return createBareClient({ url, token, fetch: httpFetch });
}
