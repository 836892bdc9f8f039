import { describe, expect, test } from "vitest";
import { playVector, readVectors } from "../../../test/vectors/vector.js";
import type { RosterEvent } from "./events.js";
import { rosterMachine, transition } from "./roster-machine.js";
import { EMPTY_ROSTER, SEATS_MAX, type RosterState } from "./state.js";

function after(...events: readonly RosterEvent[]): RosterState {
  return events.reduce((state, event) => transition(state, event).state, EMPTY_ROSTER);
}

function started(seat: string, agent = "claude"): RosterEvent {
  return { type: "agent_started", seat, agent };
}

/** Takes any value as the machine's command line does: parsed first. */
function take(state: unknown, event: unknown) {
  const known = rosterMachine.parseState(state);
  const parsed = rosterMachine.parseEvent(event);
  if (!known.ok || !parsed.ok) throw new Error(`not a state or not an event: ${JSON.stringify(event)}`);
  return transition(known.value, parsed.value);
}

describe.each(["roster.json", "roster-more.json"])("%s", (file) => {
  test.each(readVectors(file).map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    expect(vector.machine).toBe("roster");
    expect(playVector(vector, { ...rosterMachine.initial, ...vector.initial }, take)).toBeNull();
  });
});

describe("whole steps", () => {
  test("a start demotes before it promotes", () => {
    expect(transition(after(started("t1")), started("t2", "codex"))).toEqual({
      state: {
        seats: [
          { seat: "t1", agent: "claude", status: "disconnected", order: 1 },
          { seat: "t2", agent: "codex", status: "connected", order: 2 },
        ],
        connected: "t2",
        counter: 2,
      },
      effects: [
        {
          type: "emit_roster_changed",
          seat: "t1",
          from: "connected",
          to: "disconnected",
          reason: "agent_started",
        },
        { type: "emit_roster_changed", seat: "t2", from: "none", to: "connected", reason: "agent_started" },
      ],
      result: "ok",
    });
  });

  test("closing the connected seat ends its agent and promotes the most recently started", () => {
    const state = after(started("t1"), started("t2"), started("t3"));
    expect(transition(state, { type: "seat_closed", seat: "t3" })).toEqual({
      state: {
        seats: [
          { seat: "t1", agent: "claude", status: "disconnected", order: 1 },
          { seat: "t2", agent: "claude", status: "connected", order: 2 },
        ],
        connected: "t2",
        counter: 3,
      },
      effects: [
        { type: "emit_roster_changed", seat: "t3", from: "connected", to: "none", reason: "seat_closed" },
        {
          type: "emit_roster_changed",
          seat: "t2",
          from: "disconnected",
          to: "connected",
          reason: "seat_closed",
        },
      ],
      result: "ok",
    });
  });

  test("a refused choice says why and changes nothing", () => {
    const state = after(started("t1"), { type: "seat_opened", seat: "t2" });
    const empty = transition(state, { type: "connect", seat: "t2" });
    expect(empty).toEqual({
      state,
      effects: [],
      result: "rejected",
      error: { code: "no_agent", message: "no agent runs in seat t2" },
    });
    const unknown = transition(state, { type: "connect", seat: "t9" });
    expect(unknown).toEqual({
      state,
      effects: [],
      result: "rejected",
      error: { code: "seat_unknown", message: "there is no seat t9" },
    });
    expect([empty.state, unknown.state].every((same) => same === state)).toBe(true);
  });

  test("what changes nothing returns the same state", () => {
    const state = after(started("t1"));
    expect(transition(state, { type: "connect", seat: "t1" })).toEqual({ state, effects: [], result: "ok" });
    expect(transition(state, { type: "connect", seat: "t1" }).state).toBe(state);
    const typed = transition(state, { type: "input_entered", seat: "t1", text: "/exit" });
    expect(typed).toEqual({ state, effects: [], result: "ignored", because: "typing" });
    expect(typed.state).toBe(state);
  });
});

describe("bounds", () => {
  function full(status: "none" | "disconnected"): RosterState {
    const seats = Array.from({ length: SEATS_MAX }, (_, index) => ({
      seat: `s${String(index).padStart(5, "0")}`,
      agent: status === "none" ? null : "claude",
      status,
      order: index + 1,
    }));
    return { seats, connected: null, counter: SEATS_MAX };
  }

  test("no seat is opened beyond the limit", () => {
    const state = full("none");
    const step = transition(state, { type: "seat_opened", seat: "one too many" });
    expect(step).toEqual({ state, effects: [], result: "ignored", because: "roster_full" });
  });

  test("a start forgets the empty seat started longest ago", () => {
    const { state } = transition(full("none"), started("zz"));
    expect(state.seats.length).toBe(SEATS_MAX);
    expect(state.seats[0]?.seat).toBe("s00001");
    expect(state.seats.at(-1)).toEqual({
      seat: "zz",
      agent: "claude",
      status: "connected",
      order: SEATS_MAX + 1,
    });
  });

  test("a start in a known seat of a full roster forgets none", () => {
    expect(transition(full("none"), started("s00000")).state.seats.length).toBe(SEATS_MAX);
  });

  test("a running agent is never forgotten, even beyond the limit", () => {
    const { state } = transition(full("disconnected"), started("zz"));
    expect(state.seats.length).toBe(SEATS_MAX + 1);
    expect(state.seats.every((seat) => seat.status !== "none")).toBe(true);
  });
});

describe("parsing", () => {
  test.each([
    { type: "agent_started", seat: "t1" },
    { type: "agent_started", seat: "t1", agent: 1 },
    { type: "agent_terminated", seat: "t1" },
    { type: "agent_terminated", seat: "t1", evidence: "typed /exit" },
    { type: "input_entered", seat: "t1" },
    { type: "connect" },
    { type: "connect", seat: "" },
    { type: "disconnect_all" },
    { type: "toString", seat: "t1" },
    { seat: "t1" },
    null,
    "connect",
    [],
  ])("refuses %j", (value) => {
    expect(rosterMachine.parseEvent(value).ok).toBe(false);
  });

  test("leaves other fields alone", () => {
    const event = { type: "connect", seat: "t1", run: 3 };
    expect(rosterMachine.parseEvent(event)).toEqual({ ok: true, value: event });
  });

  test("refuses what is not a state", () => {
    expect(rosterMachine.parseState(EMPTY_ROSTER).ok).toBe(true);
    expect(rosterMachine.parseState({ ...EMPTY_ROSTER, counter: -1 }).ok).toBe(false);
    expect(rosterMachine.parseState({ ...EMPTY_ROSTER, seats: [{ seat: "t1" }] }).ok).toBe(false);
  });
});

test("the table describes itself", () => {
  const { rows, columns } = rosterMachine.description;
  expect(columns).toEqual(["unknown", "none", "disconnected", "connected"]);
  expect(rows.map((row) => `${row.kind} ${row.event}`)).toEqual([
    "fact agent_started",
    "fact agent_terminated",
    "fact agent_rested",
    "fact seat_opened",
    "fact seat_closed",
    "fact input_entered",
    "request connect",
  ]);
  expect(rows.at(-1)?.cells["none"]).toEqual({
    rule: "refuseNoAgent",
    to: ["none"],
    note: "rejected `no_agent`",
  });
});
