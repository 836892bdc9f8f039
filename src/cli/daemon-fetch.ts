import type { Fetch } from "../client/client.js";
import { isAlive, readDaemonFiles } from "./daemon-files.js";
import { findDaemon, type RunningDaemon } from "./daemon-process.js";
import { httpFetch } from "./http-fetch.js";

/**
 * Asks the daemon where it is now: one that was started again may have another port. And it asks nobody else: on a port
 * that the daemon left there may be a process of somebody else, which must not get the token.
 */
export function daemonFetch(daemon: RunningDaemon): Fetch {
  const { url, dataDir } = daemon;
  let known: RunningDaemon = daemon;
  return async (address, init) => {
    const files = readDaemonFiles(dataDir);
    if (files?.pid === known.pid && files.url === known.url && isAlive(known.pid)) {
      known = { ...files, dataDir };
    } else {
      const found = await findDaemon(dataDir);
      if (found === null) throw new Error("the daemon does not run");
      known = found;
    }
    const headers = { ...init.headers, authorization: `Bearer ${known.token}` };
    return httpFetch(address.replace(url, known.url), { ...init, headers }, known.socket);
  };
}
