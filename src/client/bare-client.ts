import type { CallName } from "../protocol/api.js";
import type { CallMethods, Client, ClientOptions, Health } from "./client.js";
import { Connection } from "./connection.js";
import type { EventItem, EventQuery } from "./event-item.js";
import { readEventStream } from "./event-stream.js";
import { followSession } from "./follow-session.js";
import { ROUTES } from "./routes.js";

/** What is done with an answer before it is handed out. Each returns the value, or throws. */
export interface Checks {
  readonly health: (value: unknown) => unknown;
  readonly response: (call: CallName, value: unknown) => unknown;
  readonly streamEvent: (value: unknown) => unknown;
  readonly stateEvent: (value: unknown) => unknown;
  readonly healthReport: (value: unknown) => unknown;
  readonly workspaceChange: (value: unknown) => unknown;
}

export const NO_CHECKS: Checks = {
  health: (value) => value,
  response: (_call, value) => value,
  streamEvent: (value) => value,
  stateEvent: (value) => value,
  healthReport: (value) => value,
  workspaceChange: (value) => value,
};

/** A client that takes answers as they come. Its few modules load quickly; it is for whoever trusts the daemon. */
export function createBareClient(options: ClientOptions, checks: Checks = NO_CHECKS): Client {
  const connection = new Connection(options);
  const names = Object.keys(ROUTES) as CallName[];
  const methods = Object.fromEntries(names.map((name) => [name, method(connection, checks, name)]));
  // Each method was made from the route of its own name, and its answer went through the checks.
  const calls = methods as unknown as CallMethods;
  return {
    ...calls,
    health: async () => checks.health(await connection.call("GET", "/healthz", undefined)) as Health,
    events: (query = {}) => events(connection, checks, query),
    follow: (sessionId, query = {}) =>
      followSession(
        () => calls.getSession(sessionId),
        readEventStream(connection, checks, { ...query, session: sessionId }),
      ),
  };
}

/** Takes the parameters of the path, then the input. */
function method(connection: Connection, checks: Checks, name: CallName) {
  const [verb = "", path = ""] = ROUTES[name].split(" ");
  return async (...args: readonly unknown[]): Promise<unknown> => {
    let used = 0;
    const target = path.replace(/:\w+/g, () => encodeURIComponent(String(args[used++])));
    const value = await connection.call(verb, target, args[used] as object | undefined);
    return checks.response(name, value);
  };
}

async function* events(
  connection: Connection,
  checks: Checks,
  query: EventQuery,
): AsyncGenerator<EventItem, void, undefined> {
  for await (const item of readEventStream(connection, checks, query)) {
    if (item.type !== "open") yield item;
  }
}
