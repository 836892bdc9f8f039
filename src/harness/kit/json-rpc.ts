/** JSON-RPC 2.0, one message per line: what an agent wrote, what it is told, and what of that is not answered yet. Never throws. */
import type { Json } from "../../core/index.js";
import { isObject, parseJson } from "./json.js";
import { Step } from "./step.js";

export type RpcId = string | number;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Json;
}

/** Absent `params`, `result` and `data` are null. */
export type RpcMessage =
  | { readonly type: "request"; readonly id: RpcId; readonly method: string; readonly params: Json }
  | { readonly type: "notification"; readonly method: string; readonly params: Json }
  | { readonly type: "response"; readonly id: RpcId; readonly result: Json }
  /** Without an id: the other side could not read what it answers. */
  | { readonly type: "error"; readonly id: RpcId | null; readonly error: RpcError };

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** Null for what is no message. A missing `jsonrpc` is no fault: Codex leaves it out. */
export function parseMessage(line: string): RpcMessage | null {
  const value = parseJson(line);
  if (!isObject(value)) return null;
  const { id, method } = value;
  if (typeof method === "string") {
    const params = value["params"] ?? null;
    if (id === undefined) return { type: "notification", method, params };
    return isId(id) ? { type: "request", id, method, params } : null;
  }
  if (method !== undefined) return null;
  const { result, error } = value;
  if (error !== undefined && error !== null) {
    return isId(id) || id === null ? { type: "error", id, error: readError(error) } : null;
  }
  return isId(id) && result !== undefined ? { type: "response", id, result } : null;
}

export function request(id: RpcId, method: string, params: Json): string {
  return write({ id, method, params });
}

export function notification(method: string, params: Json): string {
  return write({ method, ...(params === null ? {} : { params }) });
}

export function response(id: RpcId, result: Json): string {
  return write({ id, result });
}

export function errorResponse(id: RpcId, code: number, message: string): string {
  return write({ id, error: { code, message } });
}

function write(message: Readonly<Record<string, Json>>): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

function readError(error: Json): RpcError {
  if (!isObject(error)) return { code: INTERNAL_ERROR, message: JSON.stringify(error), data: null };
  const { code, message, data = null } = error;
  return {
    code: typeof code === "number" ? code : INTERNAL_ERROR,
    message: typeof message === "string" ? message : JSON.stringify(error),
    data,
  };
}

function isId(id: Json | undefined): id is RpcId {
  return typeof id === "string" || typeof id === "number";
}
/** A request of ours that is not answered yet: part of a codec's state. */
export interface PendingRequest {
  readonly method: string;
  /** What its response must be understood with. */
  readonly note: Json;
}

/** A type, not an interface: it is JSON as it stands. */
export type PendingRequests = {
  /** The id of the next request. */
  readonly next: number;
  readonly pending: Readonly<Record<string, PendingRequest>>;
};

export const PENDING_REQUESTS_MAX = 64;

export const noRequests: PendingRequests = { next: 1, pending: {} };

/** With too many unanswered, the oldest is forgotten: its response will mean nothing. */
export function addRequest(
  { next, pending }: PendingRequests,
  method: string,
  note: Json = null,
): { readonly requests: PendingRequests; readonly id: number } {
  // Keys that are numbers stand in their order.
  const kept = Object.entries(pending).slice(-(PENDING_REQUESTS_MAX - 1));
  const added = { ...Object.fromEntries(kept), [next]: { method, note } };
  return { requests: { next: next + 1, pending: added }, id: next };
}

/** The request that a response answers, and the table without it; null if it is none of ours, or answered already. */
export function takeRequest(
  requests: PendingRequests,
  id: RpcId | null,
): { readonly requests: PendingRequests; readonly request: PendingRequest | null } {
  // Some peers give a number back as a text.
  const key = String(id);
  const request = Object.hasOwn(requests.pending, key) ? requests.pending[key] : undefined;
  if (request === undefined) return { requests, request: null };
  const { [key]: _taken, ...pending } = requests.pending;
  return { requests: { ...requests, pending }, request };
}

/** A step of a codec that speaks JSON-RPC. */
export abstract class RpcStep<S extends { readonly requests: PendingRequests }> extends Step<S> {
  /** `note` comes back with the request when it is answered. */
  request(method: string, params: Json, note: Json = null): void {
    const { requests, id } = addRequest(this.state.requests, method, note);
    this.state = { ...this.state, requests };
    this.write(request(id, method, params));
  }

  notify(method: string, params: Json = null): void {
    this.write(notification(method, params));
  }

  respond(id: RpcId, result: Json): void {
    this.write(response(id, result));
  }

  refuse(id: RpcId, code: number, message: string): void {
    this.write(errorResponse(id, code, message));
  }

  /** The request of ours that a response answers; null: none, or answered before. */
  answeredRequest(id: RpcId | null): PendingRequest | null {
    const { requests, request: answered } = takeRequest(this.state.requests, id);
    this.state = { ...this.state, requests };
    return answered;
  }
}
