/** Which seat a message goes to. */
import { seatNamed, type RosterState } from "./state.js";

export interface Destination {
  /** The seat the writer named; absent: whichever is connected. */
  readonly seat?: string;
  /** A named seat without an agent may give way to the connected one. An unknown one never does: it may be a slip. */
  readonly fallback?: boolean;
}

export type Route =
  | { readonly ok: true; readonly seat: string }
  | { readonly ok: false; readonly code: "no_active_agent" | "no_agent" | "seat_unknown" };

export function route(state: RosterState, destination: Destination): Route {
  if (destination.seat === undefined) return toConnected(state);
  const named = seatNamed(state, destination.seat);
  if (!named) return { ok: false, code: "seat_unknown" };
  if (named.status !== "none") return { ok: true, seat: named.seat };
  return destination.fallback === true ? toConnected(state) : { ok: false, code: "no_agent" };
}

function toConnected(state: RosterState): Route {
  return state.connected === null
    ? { ok: false, code: "no_active_agent" }
    : { ok: true, seat: state.connected };
}
