import { expect, test } from "vitest";
import { NEW_RECORD } from "../../test/sim/loop-fixture.js";
import { enter, liveFrom, recordOf } from "./live-session.js";

test("since when it has its status is told by what changed that, and by nothing else", () => {
  const live = liveFrom(NEW_RECORD);
  enter(live, { ...live.state, run: 1 }, 50);
  expect(live.statusSinceMs).toBe(NEW_RECORD.statusSinceMs);
  enter(live, { ...live.state, status: "creating" }, 60);
  enter(live, { ...live.state, status: "creating", phase: null }, 70);
  expect(recordOf(NEW_RECORD, live)).toMatchObject({ statusSinceMs: 60, state: { status: "creating" } });
});
