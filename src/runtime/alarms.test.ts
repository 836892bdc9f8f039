import { expect, test } from "vitest";
import { ManualClock } from "../../test/sim/runtime-fixture.js";
import { Alarms } from "./alarms.js";
import { Batch } from "./batch.js";
import type { TimerRecord } from "./ports.js";

function timer(timerId: string, dueAtMs: number, sessionId = "s"): TimerRecord {
  return { sessionId, timerId, dueAtMs };
}

function bench() {
  const clock = new ManualClock();
  const fired: TimerRecord[] = [];
  return { clock, fired, alarms: new Alarms(clock, (each) => void fired.push(each)) };
}

test("a timer fires once, when it is due", () => {
  const { clock, fired, alarms } = bench();
  alarms.arm(timer("ready:1", 1_010));
  clock.advance(9);
  expect(fired).toEqual([]);
  clock.advance(1);
  clock.advance(100);
  expect(fired).toEqual([timer("ready:1", 1_010)]);
});

test("one that was due while nobody was there fires at the next chance", () => {
  const { clock, fired, alarms } = bench();
  alarms.arm(timer("ready:1", 3));
  clock.advance(0);
  expect(fired).toEqual([timer("ready:1", 3)]);
});

test("it follows what a commit started and ended", () => {
  const { clock, fired, alarms } = bench();
  const batch = new Batch();
  batch.startedTimers.push(timer("a", 1_001), timer("b", 1_001), timer("a", 1_001, "other"));
  batch.endedTimers.push({ sessionId: "s", timerId: "a" }, { sessionId: "s", timerId: "never" });
  alarms.follow(batch);
  clock.advance(5);
  expect(fired).toEqual([timer("b", 1_001), timer("a", 1_001, "other")]);
});

test("armed again, it fires only at the new time", () => {
  const { clock, fired, alarms } = bench();
  alarms.arm(timer("a", 1_005));
  alarms.arm(timer("a", 1_020));
  clock.advance(10);
  expect(fired).toEqual([]);
  clock.advance(10);
  expect(fired).toEqual([timer("a", 1_020)]);
});

test("closed, it leaves nothing on the clock", () => {
  const { clock, fired, alarms } = bench();
  alarms.arm(timer("a", 1_005));
  alarms.arm(timer("b", 1_006));
  alarms.close();
  expect(clock.waiting).toBe(0);
  clock.advance(10);
  expect(fired).toEqual([]);
});

test("one that waits for something is armed after it, unless it ended or was started anew before", async () => {
  const { clock, fired, alarms } = bench();
  let heard: () => void = () => undefined;
  const before = new Promise<void>((resolve) => {
    heard = resolve;
  });
  for (const id of ["a", "b", "c"]) alarms.armAfter(before, timer(id, 3));
  clock.advance(1);
  expect(fired).toEqual([]);
  alarms.disarm("s", "b");
  alarms.arm(timer("c", 1_050));
  heard();
  await before;
  clock.advance(1);
  expect(fired).toEqual([timer("a", 3)]);
  clock.advance(100);
  expect(fired).toEqual([timer("a", 3), timer("c", 1_050)]);
  alarms.armAfter(before, timer("d", 3));
  alarms.close();
  await before;
  expect(clock.waiting).toBe(0);
});
