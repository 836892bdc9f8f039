import type { IncomingMessage, ServerResponse } from "node:http";
import { BODY_SIZE_BYTES_MAX } from "../../protocol/api-schemas.js";
import { failure, type Failure } from "./problem.js";

const TOO_LARGE = failure(
  "payload_too_large",
  `The body is larger than ${BODY_SIZE_BYTES_MAX} bytes; nothing was done.`,
);

/** What a client that is refused may still send before it is cut off, so that it gets to read why. */
const LINGER_DELAY_MS = 1_000;
const LINGER_BYTES_MAX = 8 * 1024 * 1024;

/** The whole body; a failure when it is too large; null when the client went away before its end. */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Buffer | Failure | null> {
  if (isOversized(request)) return Promise.resolve(TOO_LARGE);
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const settle = (result: Buffer | Failure | null): void => {
      request.off("data", take).off("end", finish).off("close", giveUp);
      resolve(result);
    };
    const take = (chunk: Buffer): void => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_SIZE_BYTES_MAX) chunks.push(chunk);
      else {
        request.pause();
        settle(TOO_LARGE);
      }
    };
    const finish = (): void => settle(Buffer.concat(chunks));
    const giveUp = (): void => settle(null);
    request.on("data", take).on("end", finish).on("close", giveUp);
  });
}

function isOversized(request: IncomingMessage): boolean {
  return Number(request.headers["content-length"] ?? 0) > BODY_SIZE_BYTES_MAX;
}

/** Whether more of a body may come than we are willing to read. */
export function hasLongRest(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return isOversized(request) || request.headers["transfer-encoding"] !== undefined;
}

/**
 * Ends a response whose request has a long rest. Closing at once would make the client's system throw the answer away
 * together with the connection.
 */
export function endAfterLinger(request: IncomingMessage, response: ServerResponse): void {
  let sizeBytes = 0;
  const finish = (): void => {
    clearTimeout(timer);
    request.off("data", take).pause();
    response.end();
  };
  const take = (chunk: Buffer): void => {
    sizeBytes += chunk.length;
    if (sizeBytes > LINGER_BYTES_MAX) finish();
  };
  const timer = setTimeout(finish, LINGER_DELAY_MS);
  request.on("data", take).once("end", finish).once("close", finish).resume();
}
