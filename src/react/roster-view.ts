import type { CallResult } from "../client/client.js";
import type { StateEvent } from "../protocol/state-event.js";

/** Who gets messages, and who could. */
export type Roster = CallResult<"getRoster">;

export const NO_ROSTER: Roster = { connected: null, seats: [], position: 0 };

/** The roster after a state event; the same object when it is not about the roster, or is in there already. */
export function applyToRoster(roster: Roster, event: StateEvent, position: number, agent: string): Roster {
  const { payload } = event;
  if (payload.type !== "roster_changed" || position <= roster.position) return roster;
  const { seat, to: status } = payload;
  const isKnown = roster.seats.some(({ sessionId }) => sessionId === seat);
  const seats = isKnown
    ? roster.seats.map((each) => (each.sessionId === seat ? seated(each, status, agent) : each))
    : [...roster.seats, seated({ sessionId: seat, title: "", agent: null, status }, status, agent)];
  const connected = seats.find((each) => each.status === "connected")?.sessionId ?? null;
  return { connected, seats, position };
}

type Seat = Roster["seats"][number];

function seated(seat: Seat, status: Seat["status"], agent: string): Seat {
  return { ...seat, status, agent: status === "none" ? null : (seat.agent ?? agent) };
}
