/** Our requests that are not answered yet, as part of a codec's state. Pure. */
import type { Json } from "../../core/index.js";
import type { RpcId } from "./rpc-message.js";

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
