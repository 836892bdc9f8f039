import { expect, test } from "vitest";
import { agentLines, create, feed, startedBench } from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";

const READY = agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" });

test("sessions can be read as the journal has them, at its last position", async () => {
  const bench = await startedBench();
  const { runtime, journal } = bench;
  const id = await create(bench, "hello");
  const seen = () => [
    runtime.session(id)?.state.status,
    runtime.committedSession(id)?.state.status,
    [...runtime.committedSessions()].map(({ state }) => state.status),
  ];
  journal.hold();
  const position = runtime.lastPosition();
  const fed = feed(bench, id, 1, READY);
  await settleMicrotasks();
  expect([runtime.lastPosition(), seen()]).toEqual([position, ["streaming", "creating", ["creating"]]]);
  journal.release();
  await fed;
  expect(runtime.lastPosition()).toBeGreaterThan(position);
  expect(seen()).toEqual(["streaming", "streaming", ["streaming"]]);
  expect(runtime.committedSession("nobody")).toBeNull();
  expect(runtime.committedRoster()).toEqual(runtime.roster());
});

test("a session that the journal does not have yet is nobody's to see", async () => {
  const bench = await startedBench();
  const { runtime, journal } = bench;
  const counts = () => [[...runtime.sessions()].length, [...runtime.committedSessions()].length];
  journal.hold();
  const created = create(bench, "hello");
  await settleMicrotasks();
  expect(counts()).toEqual([1, 0]);
  journal.release();
  await created;
  expect(counts()).toEqual([1, 1]);
});
