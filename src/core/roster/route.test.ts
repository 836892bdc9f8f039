import { describe, expect, test } from "vitest";
import { route } from "./route.js";
import { EMPTY_ROSTER, type RosterState } from "./state.js";

const roster: RosterState = {
  seats: [
    { seat: "back", agent: "codex", status: "disconnected", order: 1 },
    { seat: "empty", agent: null, status: "none", order: 0 },
    { seat: "front", agent: "claude", status: "connected", order: 2 },
  ],
  connected: "front",
  counter: 2,
};

const quiet: RosterState = {
  seats: [{ seat: "empty", agent: null, status: "none", order: 1 }],
  connected: null,
  counter: 1,
};

describe("route", () => {
  test("no seat named: the connected one", () => {
    expect(route(roster, {})).toEqual({ ok: true, seat: "front" });
    expect(route(roster, { fallback: true })).toEqual({ ok: true, seat: "front" });
    expect(route(quiet, {})).toEqual({ ok: false, code: "no_active_agent" });
    expect(route(EMPTY_ROSTER, { fallback: true })).toEqual({ ok: false, code: "no_active_agent" });
  });

  test("a named seat in which an agent runs, connected or not", () => {
    expect(route(roster, { seat: "front" })).toEqual({ ok: true, seat: "front" });
    expect(route(roster, { seat: "back" })).toEqual({ ok: true, seat: "back" });
    expect(route(roster, { seat: "back", fallback: true })).toEqual({ ok: true, seat: "back" });
  });

  test("a named seat without an agent falls back only when asked to", () => {
    expect(route(roster, { seat: "empty" })).toEqual({ ok: false, code: "no_agent" });
    expect(route(roster, { seat: "empty", fallback: false })).toEqual({ ok: false, code: "no_agent" });
    expect(route(roster, { seat: "empty", fallback: true })).toEqual({ ok: true, seat: "front" });
    expect(route(quiet, { seat: "empty", fallback: true })).toEqual({ ok: false, code: "no_active_agent" });
  });

  test("an unknown seat never falls back", () => {
    expect(route(roster, { seat: "frnot" })).toEqual({ ok: false, code: "seat_unknown" });
    expect(route(roster, { seat: "frnot", fallback: true })).toEqual({ ok: false, code: "seat_unknown" });
  });
});
