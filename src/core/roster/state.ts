/** The roster: every seat, and which one gets a message that names none. One per daemon. */
import { count, id, list, nullable, object, oneOf, type Infer } from "../schema.js";

/** `connected`: its agent gets the messages. `disconnected`: its agent runs, or rests. `none`: no agent runs in it. */
export const SEAT_STATUSES = ["connected", "disconnected", "none"] as const;

export type SeatStatus = (typeof SEAT_STATUSES)[number];

export const seatShape = object({
  seat: id,
  /** Null exactly when the status is `none`. */
  agent: nullable(id),
  status: oneOf(...SEAT_STATUSES),
  /** The counter at the latest start in this seat; 0: never started. */
  order: count,
});

export type Seat = Infer<typeof seatShape>;

export const rosterStateShape = object({
  /** Sorted by name, code unit by code unit, so that no locale decides. */
  seats: list(seatShape),
  /** The one connected seat; null exactly when no agent runs. */
  connected: nullable(id),
  /** How many agents were ever started. */
  counter: count,
});

export type RosterState = Infer<typeof rosterStateShape>;

export const EMPTY_ROSTER: RosterState = { seats: [], connected: null, counter: 0 };

/**
 * Seats beyond this number are kept only for agents that run: opening one more is ignored, and a start forgets empty
 * seats to make room.
 */
export const SEATS_MAX = 10_000;

/** What the seat that an event names is to the roster: the columns of the table. */
export const ROSTER_COLUMNS = ["unknown", "none", "disconnected", "connected"] as const;

export type RosterColumn = (typeof ROSTER_COLUMNS)[number];

export function seatNamed(state: RosterState, name: string): Seat | undefined {
  return state.seats.find((seat) => seat.seat === name);
}

export function columnOf(state: RosterState, name: string): RosterColumn {
  return seatNamed(state, name)?.status ?? "unknown";
}
