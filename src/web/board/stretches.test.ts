import { expect, test } from "vitest";
import type { StatusChange } from "../../react/timelines.js";
import { stretchesOf } from "./stretches.js";

const change = (status: StatusChange["status"], atMs: number): StatusChange => ({
  status,
  atMs,
  position: atMs,
});
const CHANGES = [change("idle", 0), change("creating", 10), change("streaming", 10), change("completed", 40)];

test("each status lasts until the next, and the last one until now", () => {
  expect(stretchesOf(CHANGES.slice(0, 3), 25)).toEqual([{ status: "streaming", fromMs: 10, toMs: 25 }]);
});

test("a status that ended is a mark at the end", () => {
  expect(stretchesOf(CHANGES, null)).toEqual([
    { status: "streaming", fromMs: 10, toMs: 40 },
    { status: "completed", fromMs: 40, toMs: 40 },
  ]);
});

test("a clock that is behind turns nothing around", () => {
  expect(stretchesOf([change("streaming", 10)], 5)).toEqual([{ status: "streaming", fromMs: 10, toMs: 10 }]);
});
