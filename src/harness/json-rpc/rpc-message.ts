/** JSON-RPC 2.0, one message per line: reading what an agent wrote, and writing what it is told. Pure, and never throws. */
import type { Json } from "../../core/index.js";
import { parseJson } from "../parse-json.js";

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

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
