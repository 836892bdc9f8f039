import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Access } from "../../protocol/access.js";
import type { Identity } from "./auth.js";
import type { Authorized } from "./gatekeeper.js";
import type { Failure } from "./problem.js";
import type { Routed } from "./router.js";

/** A request that passed every check, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** Null only where a route is public. */
  readonly caller: Identity | null;
  /** Whether they may do it with this body, and in whose name. */
  readonly authorize: (body: unknown) => Promise<Authorized>;
  /** How the client reaches us. */
  readonly baseUrl: string;
}

export interface Route extends Routed {
  /** In the table of calls; absent: it is a part of the page. */
  readonly name?: string;
  /** Null: needs no token. */
  readonly access: Access | null;
  /** Null when it has answered. */
  handle(exchange: Exchange): Failure | null | Promise<Failure | null>;
}

export function answerText(
  response: ServerResponse,
  status: number,
  mediaType: string,
  text: string | Buffer,
): void {
  response.writeHead(status, {
    "content-type": mediaType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}

/** One after the other: each is taken by the client before the next is encoded. A client that goes away is no error. */
export async function answerPieces(
  response: ServerResponse,
  status: number,
  mediaType: string,
  pieces: readonly string[],
): Promise<void> {
  response.writeHead(status, { "content-type": mediaType, "cache-control": "no-store" });
  await pipeline(Readable.from(pieces, { objectMode: false, encoding: "utf8" }), response).catch(() =>
    response.destroy(),
  );
}

export const JSON_MEDIA_TYPE = "application/json";
