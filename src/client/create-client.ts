import { ANSWER_CHECKS } from "./answer-checks.js";
import { createBareClient } from "./bare-client.js";
import type { Client, ClientOptions } from "./client.js";

/** A client of a daemon, for browsers and Node. Every answer is checked; fields it does not know are left out. */
export function createClient(options: ClientOptions): Client {
  return createBareClient(options, ANSWER_CHECKS);
}
