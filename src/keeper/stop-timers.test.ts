import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { StopTimers } from "./stop-timers.js";

test("a later request can only make an end sooner", async () => {
  const sent: string[] = [];
  const timers = new StopTimers((signal) => sent.push(signal));
  timers.schedule("SIGTERM", 60_000);
  timers.schedule("SIGKILL", 60_000);
  timers.schedule("SIGTERM", 10);
  timers.schedule("SIGTERM", 120_000);
  timers.schedule("SIGKILL", 30);
  await sleep(200);
  expect(sent).toEqual(["SIGTERM", "SIGKILL"]);
  timers.clear();
});

test("what is cleared is not sent", async () => {
  const sent: string[] = [];
  const timers = new StopTimers((signal) => sent.push(signal));
  timers.schedule("SIGKILL", 10);
  timers.clear();
  await sleep(100);
  expect(sent).toEqual([]);
});
