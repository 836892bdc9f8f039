/** Where an agent behind a wall reaches the daemon: there is no data folder and no token inside. */
import { statSync } from "node:fs";
import { createBareClient } from "../client/bare-client.js";
import type { Client, Fetch } from "../client/client.js";
import { AGENT_SOCKET, AGENT_SOCKET_VARIABLE } from "../protocol/agent-socket.js";
import { setVariable } from "./data-folder.js";
import { httpFetch } from "./http-fetch.js";

/** A socket has no address; the client wants one. */
const URL_OF_SOCKET = "http://localhost";

/** Null: this is no agent behind a wall. The folder says it as well as the variable: not every agent hands that on. */
export function findAgentSocket(env: NodeJS.ProcessEnv = process.env, usual = AGENT_SOCKET): string | null {
  const named = setVariable(env, AGENT_SOCKET_VARIABLE);
  if (named !== undefined) return named;
  return statSync(usual, { throwIfNoEntry: false })?.isSocket() === true ? usual : null;
}

/** It needs no token: the daemon knows whose socket it is. */
export function agentClient(socket: string, awayMaxMs: number): Client {
  const fetch: Fetch = (address, init) => httpFetch(address, init, socket);
  return createBareClient({ url: URL_OF_SOCKET, fetch, awayMaxMs });
}
