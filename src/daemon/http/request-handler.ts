/** What happens to every request, in this order: host, origin, who asks, what for. */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log/log.js";
import type { Auth, Identity } from "./auth.js";
import type { Authorized, Doorkeeper } from "./gatekeeper.js";
import type { RequestGate } from "./host-gate.js";
import { answerProblem, failure, type Failure } from "./problem.js";
import { endAfterLinger, hasLongRest } from "./read-body.js";
import type { Route } from "./route.js";
import type { Match } from "./router.js";

const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
];

const DISK_FAULTS: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

export interface RequestDesk {
  readonly gate: RequestGate;
  /** `needsOrigin`: it changes something, and a browser must say for which page. */
  readonly identify: (
    request: IncomingMessage,
    needsOrigin: boolean,
  ) => Identity | Failure | Promise<Identity | Failure>;
  readonly keeper: Doorkeeper;
  readonly log: Log;
  readonly match: (method: string, path: string) => Match<Route>;
}

export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  desk: RequestDesk,
): Promise<void> {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  let refused: Failure | null;
  try {
    refused = await respond(request, response, desk);
  } catch (error) {
    refused = unexpected(error, request, desk.log);
  }
  if (refused) refuse(request, response, refused);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, identify, keeper, match }: RequestDesk,
): Promise<Failure | null> {
  const foreign = gate.check(request);
  if (foreign) return foreign;
  const target = targetOf(request);
  if (!target) return failure("protocol_error", "The request's target is not a path.");
  const method = request.method ?? "";
  const found = match(method, target.path);
  const isPublic = found.type === "found" && found.route.access === null;
  const caller = isPublic ? null : await identify(request, method !== "GET");
  if (caller !== null && "ok" in caller) return caller;
  switch (found.type) {
    case "unknown":
      return failure("not_found", "There is nothing at this path.");
    case "wrong_method":
      return failure("not_found", "This path does not take this method.", {
        status: 405,
        headers: { allow: found.allow },
      });
    case "malformed":
      return failure("event_invalid", "The path is not well encoded.");
    case "found": {
      const { route, params } = found;
      const baseUrl = gate.baseUrl(request.headers);
      const authorize = (body: unknown): Promise<Authorized> =>
        keeper.authorize(request.socket, caller, route, { params, body });
      // Before its body is read; a plain call has none.
      const refused = await keeper.refuse(request.socket, caller, route, params);
      if (refused) return refused;
      return route.handle({ request, response, ...target, params, caller, authorize, baseUrl });
    }
  }
}

/** A browser adds its cookie to whatever a page sends; where that changes something, the page must be ours. */
export function identify(
  auth: Auth,
  gate: RequestGate,
  headers: IncomingHttpHeaders,
  needsOrigin: boolean,
): Identity | Failure {
  const caller = auth.identify(headers);
  if (!caller) return failure("unauthorized", "This call needs the token of this daemon.");
  if (caller.type === "device" && needsOrigin && !gate.hasOwnOrigin(headers))
    return failure("forbidden", "A browser must say which page sends this.");
  return caller;
}

/** Null for targets that are no path, such as those that proxies get. */
export function targetOf(request: IncomingMessage): { path: string; query: URLSearchParams } | null {
  const url = request.url ?? "";
  if (!url.startsWith("/")) return null;
  const [path = "", ...rest] = url.split("?");
  return { path, query: new URLSearchParams(rest.join("?")) };
}

function unexpected(error: unknown, request: IncomingMessage, log: Log): Failure {
  const id = randomUUID();
  const path = request.url?.split("?")[0];
  log.error("a request failed", { id, method: request.method, path, error });
  if (error instanceof Error && "code" in error && DISK_FAULTS.has(error.code))
    return {
      ...failure("internal", "The disk cannot be written now; nothing was changed."),
      unavailable: true,
    };
  return failure("internal", `Something went wrong inside; the log has more under ${id}.`);
}

function refuse(request: IncomingMessage, response: ServerResponse, refused: Failure): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const isCut = hasLongRest(request);
  answerProblem(response, refused, isCut ? { connection: "close" } : {});
  if (isCut) endAfterLinger(request, response);
  else response.end();
}
