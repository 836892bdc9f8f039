/** Refusals, and the RFC 9457 documents that tell them to clients. */
import { STATUS_CODES, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  ERROR_STATUS,
  PROBLEM_MEDIA_TYPE,
  type ErrorCode,
  type FieldFlaw,
  type Problem,
} from "../../protocol/problem.js";
import type { Refused } from "../../runtime/submission.js";

/** Why a request is not carried out. The runtime's refusals are failures as they are. */
export interface Failure extends Refused {
  readonly errors?: readonly FieldFlaw[];
  /** Where it is not the code's own. */
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
}

/** Seconds. */
const RETRY_AFTER = "5";
const DETAIL_LENGTH_MAX = 2_000;

export function failure(
  code: ErrorCode,
  message: string,
  more: Pick<Failure, "status" | "headers"> = {},
): Failure {
  return { ok: false, code, message, ...more };
}

/** One field that is wrong. */
export function flawed(path: string, message: string): Failure {
  return flawedFields([{ path, message }]);
}

export function flawedFields(errors: readonly FieldFlaw[]): Failure {
  const first = errors[0];
  const message = first ? `${first.path === "" ? "the request" : first.path}: ${first.message}` : "";
  return { ok: false, code: "event_invalid", message, errors };
}

export function sessionNotFound(sessionId: string): Failure {
  return failure("session_not_found", `There is no session ${sessionId.slice(0, 100)}.`);
}

/** Too much at once; later it may work. */
export function busy(message: string): Failure {
  return failure("internal", message, { status: 503, headers: { "retry-after": RETRY_AFTER } });
}

interface WrittenProblem {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

function writeProblem(refused: Failure): WrittenProblem {
  const status = refused.unavailable ? 507 : (refused.status ?? ERROR_STATUS[refused.code]);
  const problem: Problem = {
    type: `urn:signalbox:problem:${refused.code}`,
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail: refused.message.slice(0, DETAIL_LENGTH_MAX),
    code: refused.code,
    ...(refused.errors ? { errors: [...refused.errors] } : {}),
  };
  const body = JSON.stringify(problem);
  const headers: OutgoingHttpHeaders = {
    "content-type": PROBLEM_MEDIA_TYPE,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...(status === 401 ? { "www-authenticate": 'Bearer realm="signalbox"' } : {}),
    ...(refused.unavailable || refused.code === "keeper_away" ? { "retry-after": RETRY_AFTER } : {}),
    ...refused.headers,
  };
  return { status, headers, body };
}

/** The answer is written; whoever calls ends the response. */
export function answerProblem(response: ServerResponse, refused: Failure, more: OutgoingHttpHeaders): void {
  const { status, headers, body } = writeProblem(refused);
  response.writeHead(status, { ...headers, ...more });
  response.write(body);
}

/** The answer to an upgrade that is refused: there is no response object, only the connection. */
export function answerProblemRaw(socket: Duplex, refused: Failure): void {
  const { status, headers, body } = writeProblem(refused);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${String(value)}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}
