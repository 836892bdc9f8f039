import { expect, test } from "vitest";
import { STATUSES } from "../../core/session/state.js";
import { unfinishedIn } from "./unfinished.js";

test("what was begun runs only while its session works", () => {
  const words = STATUSES.map((status) => [status, unfinishedIn(status, false), unfinishedIn(status, true)]);
  expect(words).toEqual([
    ["idle", "left", "left"],
    ["creating", "running", "asked"],
    ["streaming", "running", "asked"],
    ["waiting_approval", "pending", "asked"],
    ["waiting_input", "pending", "asked"],
    ["completed", "left", "left"],
    ["paused", "left", "left"],
    ["error", "left", "left"],
    ["stopped", "left", "left"],
  ]);
});
