import { expect, test } from "vitest";
import type { RosterEvent } from "../core/index.js";
import { Batch } from "./batch.js";
import { RosterDesk } from "./roster-desk.js";

const OPENED: RosterEvent = { type: "seat_opened", seat: "a" };
const STARTED: RosterEvent = { type: "agent_started", seat: "a", agent: "script" };

test("what an event changes is told, and in the batch", () => {
  const desk = new RosterDesk(null);
  const batch = new Batch();
  const told: unknown[] = [];
  expect(desk.apply(OPENED, batch, (change) => void told.push(change))).toBeNull();
  expect(desk.apply(STARTED, batch, (change) => void told.push(change))).toBeNull();
  expect(told).toEqual([
    { type: "emit_roster_changed", seat: "a", from: "none", to: "connected", reason: "agent_started" },
  ]);
  expect(desk.state).toEqual({
    seats: [{ seat: "a", agent: "script", status: "connected", order: 1 }],
    connected: "a",
    counter: 1,
  });
  expect(batch.roster).toBe(desk.state);
});

test("what changes nothing, and what is refused, leaves no trace", () => {
  const desk = new RosterDesk(null);
  desk.apply(OPENED, new Batch(), () => undefined);
  const { state } = desk;
  const batch = new Batch();
  const told: unknown[] = [];
  expect(desk.apply(OPENED, batch, (change) => void told.push(change))).toBeNull();
  expect(desk.apply({ type: "connect", seat: "a" }, batch, (change) => void told.push(change))).toEqual({
    code: "no_agent",
    message: "no agent runs in seat a",
  });
  expect([told, batch.roster, desk.state]).toEqual([[], null, state]);
});

test("what was not committed is taken back, what was stays", () => {
  const desk = new RosterDesk(null);
  const first = new Batch();
  desk.apply(OPENED, first, () => undefined);
  desk.committed(first);
  const kept = desk.state;
  desk.apply(STARTED, new Batch(), () => undefined);
  desk.committed(new Batch());
  desk.restore();
  expect(desk.state).toBe(kept);
});

test("an empty roster is what a new journal begins with", () => {
  const desk = new RosterDesk(null);
  desk.apply(STARTED, new Batch(), () => undefined);
  desk.restore();
  expect(desk.state).toEqual({ seats: [], connected: null, counter: 0 });
});
