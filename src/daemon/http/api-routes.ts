/** A route for every call of the API table. */
import { API, type Call, type CallName } from "../../protocol/api.js";
import type { Identity } from "./auth.js";
import type { CallInput, Desk, Handler } from "./call-handler.js";
import { check, parseBody, parseQuery, type Parsed } from "./parse-input.js";
import type { Failure } from "./problem.js";
import { readBody } from "./read-body.js";
import { receiptFor } from "./receipt.js";
import { answerPieces, answerText, JSON_MEDIA_TYPE, type Exchange, type Route } from "./route.js";
import { HANDLERS } from "./routes/handlers.js";

export function apiRoutes(desk: Desk): readonly Route[] {
  return (Object.keys(API) as CallName[]).map((name) => ({
    name,
    method: API[name].method,
    path: API[name].path,
    access: API[name].access,
    handle: (exchange) => carryOut(name, exchange, desk),
  }));
}

async function carryOut(name: CallName, exchange: Exchange, desk: Desk): Promise<Failure | null> {
  const call: Call = API[name];
  const { request, response, path, params, baseUrl } = exchange;
  const query = readQuery(call, exchange);
  if (!query.ok) return query;
  const body = await readCallBody(call, exchange);
  if (body === null) return null;
  if (!body.ok) return body;
  const caller = await exchange.authorize(body.value);
  if ("ok" in caller) return caller;
  const receipt = receiptFor(request.method ?? "", path, body.value ?? {});
  // Parameters, query and body have been checked against the row that types this handler.
  const input = { params, query: query.value, body: body.value, receipt, caller, baseUrl };
  if (call.audited) await audit(name, params["id"] ?? null, caller, desk);
  const reply = await (HANDLERS[name] as Handler<CallName>)(input as CallInput<CallName>, desk);
  if (!reply.ok) return { ...reply, message: desk.log.redact(reply.message) };
  if ("location" in reply) response.setHeader("location", reply.location);
  if ("pieces" in reply) {
    await answerPieces(response, call.status, JSON_MEDIA_TYPE, reply.pieces);
    return null;
  }
  const json = "json" in reply ? reply.json : reply.value === null ? null : JSON.stringify(reply.value);
  if (json === null) response.writeHead(call.status).end();
  else answerText(response, call.status, JSON_MEDIA_TYPE, json);
  return null;
}

/** Before it is done. A journal that cannot be written must not keep a person from signing a device out. */
async function audit(name: CallName, id: string | null, { principal }: Identity, desk: Desk): Promise<void> {
  const sessionId = API[name].path.startsWith("/v1/sessions/") ? id : null;
  try {
    await desk.board.audit(principal, name, sessionId);
  } catch (error) {
    desk.log.error("this is not in the audit", { operation: name, principal, error });
  }
}

function readQuery(call: Call, { query }: Exchange): Parsed<unknown> {
  const values = parseQuery(query);
  return values.ok && call.query ? check(call.query, values.value) : values;
}

/** Null when the client went away. */
async function readCallBody(
  call: Call,
  { request, response }: Exchange,
): Promise<Parsed<Readonly<Record<string, unknown>> | null> | null> {
  if (!call.body) return { ok: true, value: null };
  const bytes = await readBody(request, response);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const value = parseBody(bytes, request.headers["content-type"]);
  return value.ok ? check(call.body, value.value) : value;
}
