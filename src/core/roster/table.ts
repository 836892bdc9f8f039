/** Every decision of the roster: a row for each event, a column for what its seat is, a rule in each cell. */
import type { Table } from "../table.js";
import type { RosterRows } from "./events.js";
import type { ROSTER_RULES } from "./rules.js";
import type { ROSTER_COLUMNS } from "./state.js";

// prettier-ignore
export const ROSTER_TABLE = {
  //                  unknown          none             disconnected    connected
  agent_started:    ["start",         "start",         "start",        "start"],
  agent_terminated: ["ignoreUnknown", "ignoreEnded",   "end",          "endAndPromote"],
  agent_rested:     ["ignoreUnknown", "ignoreEnded",   "keepSeat",     "keepSeat"],
  seat_opened:      ["open",          "ignoreOpen",    "ignoreOpen",   "ignoreOpen"],
  seat_closed:      ["ignoreUnknown", "close",         "close",        "closeAndPromote"],
  input_entered:    ["ignoreTyping",  "ignoreTyping",  "ignoreTyping", "ignoreTyping"],
  connect:          ["refuseUnknown", "refuseNoAgent", "connect",      "keep"],
} as const satisfies Table<RosterRows, typeof ROSTER_COLUMNS, typeof ROSTER_RULES>;
