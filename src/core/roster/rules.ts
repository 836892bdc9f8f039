/** The rules that the cells of the roster's table name. */
import { ignored, unchanged, type Step } from "../step.js";
import type { Rule } from "../table.js";
import type { RosterEffect, RosterRefusalCode } from "./effects.js";
import type { RosterEvent, RosterRows } from "./events.js";
import {
  columnOf,
  SEATS_MAX,
  type RosterColumn,
  type RosterState,
  type Seat,
  type SeatStatus,
} from "./state.js";

type RosterStep = Step<RosterState, RosterEffect, RosterRefusalCode>;
type RosterRule<E> = Rule<RosterState, E, RosterEffect, RosterRefusalCode, RosterColumn>;

const start: RosterRule<RosterRows["agent_started"]> = {
  to: ["connected"],
  note: "becomes connected as the most recent start; the connected one is disconnected",
  apply(state, event) {
    const order = state.counter + 1;
    const started: Seat = { seat: event.seat, agent: event.agent, status: "connected", order };
    const others = without(state.seats, event.seat).map(disconnect);
    return moved(state, event, {
      seats: insert(withRoom(others), started),
      connected: event.seat,
      counter: order,
    });
  },
};

const end: RosterRule<RosterRows["agent_terminated"]> = {
  to: ["none"],
  note: "no agent runs here any more; nothing else changes",
  apply: (state, event) => moved(state, event, { ...state, seats: emptied(state.seats, event.seat) }),
};

const endAndPromote: RosterRule<RosterRows["agent_terminated"]> = {
  to: ["none"],
  note: "no agent runs here any more; the most recently started other one is connected",
  apply: (state, event) => moved(state, event, promoted(state, emptied(state.seats, event.seat))),
};

const keepSeat: RosterRule<RosterRows["agent_rested"]> = {
  to: ["same"],
  note: "the seat and its place stay: nobody is promoted, and no message goes elsewhere",
  apply: (state) => unchanged(state),
};

const open: RosterRule<RosterRows["seat_opened"]> = {
  to: ["none", "same"],
  note: `a seat without an agent; ignored when there are ${SEATS_MAX} seats`,
  apply(state, event) {
    if (state.seats.length >= SEATS_MAX) return ignored(state, "roster_full");
    const seat: Seat = { seat: event.seat, agent: null, status: "none", order: 0 };
    return moved(state, event, { ...state, seats: insert(state.seats, seat) });
  },
};

const close: RosterRule<RosterRows["seat_closed"]> = {
  to: ["unknown"],
  note: "its agent, if one runs, has ended; the seat is gone",
  apply: (state, event) => moved(state, event, { ...state, seats: without(state.seats, event.seat) }),
};

const closeAndPromote: RosterRule<RosterRows["seat_closed"]> = {
  to: ["unknown"],
  note: "its agent has ended; the seat is gone; the most recently started other one is connected",
  apply: (state, event) => moved(state, event, promoted(state, without(state.seats, event.seat))),
};

const connect: RosterRule<RosterRows["connect"]> = {
  to: ["connected"],
  note: "becomes connected without counting as a start; the connected one is disconnected",
  apply(state, event) {
    const seats = state.seats.map((seat) =>
      seat.seat === event.seat ? { ...seat, status: "connected" as const } : disconnect(seat),
    );
    return moved(state, event, { ...state, seats, connected: event.seat });
  },
};

const keep: RosterRule<RosterRows["connect"]> = {
  to: ["same"],
  note: "connected already",
  apply: (state) => unchanged(state),
};

const refuseNoAgent: RosterRule<RosterRows["connect"]> = {
  to: ["same"],
  note: "rejected `no_agent`",
  apply: (state, event) => rejected(state, "no_agent", `no agent runs in seat ${event.seat}`),
};

const refuseUnknown: RosterRule<RosterRows["connect"]> = {
  to: ["same"],
  note: "rejected `seat_unknown`",
  apply: (state, event) => rejected(state, "seat_unknown", `there is no seat ${event.seat}`),
};

const ignoreUnknown = ignoring("seat_unknown", "ignored: there is no such seat");
const ignoreEnded = ignoring("no_agent", "ignored: no agent runs here, so none can have ended");
const ignoreOpen = ignoring("seat_known", "ignored: the seat is open already");
const ignoreTyping = ignoring("typing", "ignored: what is typed is no evidence, not even `/exit`");

export const ROSTER_RULES = {
  start,
  end,
  endAndPromote,
  keepSeat,
  open,
  close,
  closeAndPromote,
  connect,
  keep,
  refuseNoAgent,
  refuseUnknown,
  ignoreUnknown,
  ignoreEnded,
  ignoreOpen,
  ignoreTyping,
} as const satisfies Readonly<Record<string, RosterRule<never>>>;

function ignoring(because: string, note: string): RosterRule<RosterEvent> {
  return { to: ["same"], note, apply: (state) => ignored(state, because) };
}

function rejected(state: RosterState, code: RosterRefusalCode, message: string): RosterStep {
  return { state, effects: [], result: "rejected", error: { code, message } };
}

/**
 * The step to `after`. Only three seats can change their status in one event: the one connected before, the event's, and
 * the one connected now. In this order demotions come before promotions.
 */
function moved(before: RosterState, event: RosterEvent, after: RosterState): RosterStep {
  const touched = new Set([before.connected, event.seat, after.connected]);
  const effects: RosterEffect[] = [];
  for (const seat of touched) {
    if (seat === null) continue;
    const from = statusOf(before, seat);
    const to = statusOf(after, seat);
    if (from !== to) effects.push({ type: "emit_roster_changed", seat, from, to, reason: event.type });
  }
  return { state: after, effects, result: "ok" };
}

function statusOf(state: RosterState, seat: string): SeatStatus {
  const column = columnOf(state, seat);
  return column === "unknown" ? "none" : column;
}

/** `seats` with the most recently started disconnected one connected, if there is one. */
function promoted(state: RosterState, seats: readonly Seat[]): RosterState {
  const waiting = seats.filter((seat) => seat.status === "disconnected");
  if (waiting.length === 0) return { ...state, seats, connected: null };
  const next = waiting.reduce((latest, seat) => (seat.order > latest.order ? seat : latest));
  const connected: Seat = { ...next, status: "connected" };
  return {
    ...state,
    seats: seats.map((seat) => (seat === next ? connected : seat)),
    connected: next.seat,
  };
}

function disconnect(seat: Seat): Seat {
  return seat.status === "connected" ? { ...seat, status: "disconnected" } : seat;
}

function emptied(seats: readonly Seat[], name: string): readonly Seat[] {
  return seats.map((seat) => (seat.seat === name ? { ...seat, agent: null, status: "none" } : seat));
}

function without(seats: readonly Seat[], name: string): readonly Seat[] {
  return seats.filter((seat) => seat.seat !== name);
}

function insert(seats: readonly Seat[], added: Seat): readonly Seat[] {
  const at = seats.findIndex((seat) => seat.seat > added.seat);
  return at < 0 ? [...seats, added] : seats.toSpliced(at, 0, added);
}

/** Forgets the empty seats started longest ago until there is room for one more; never one in which an agent runs. */
function withRoom(seats: readonly Seat[]): readonly Seat[] {
  const excess = seats.length + 1 - SEATS_MAX;
  if (excess <= 0) return seats;
  const empty = seats.filter((seat) => seat.status === "none").toSorted((a, b) => a.order - b.order);
  const forgotten = new Set(empty.slice(0, excess));
  return seats.filter((seat) => !forgotten.has(seat));
}
