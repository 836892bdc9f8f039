/** What the roster wants done, and why it refuses. */
import type { RosterEvent } from "./events.js";
import type { SeatStatus } from "./state.js";

export interface RosterChanged {
  readonly type: "emit_roster_changed";
  readonly seat: string;
  readonly from: SeatStatus;
  readonly to: SeatStatus;
  /** The type of the event that did it. */
  readonly reason: RosterEvent["type"];
}

export type RosterEffect = RosterChanged;

export type RosterRefusalCode = "no_agent" | "seat_unknown";
