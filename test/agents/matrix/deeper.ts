/** Work that goes on beside the turn. */
import { expect } from "vitest";
import type { Capability } from "./capability.js";

/** A subagent's end is not the end of the turn. */
export const subagents: Capability = async (stand) => {
  const { subagent, asksForSubagents } = stand.profile;
  if (!subagent) throw new Error("nothing is known of its subagents");
  const id = stand.lab.nextId();
  const session = await stand.start(`Have it looked at. ${subagent(id)} [[text:all were heard]]`);
  if (asksForSubagents) await session.approve((await session.asked()).askId);
  await session.eventually("the end", async () => {
    const { status, state } = await session.read();
    return status === "completed" && state.background === 0 && session.text().includes("all were heard");
  });
  const lastAtMs = stand.lab.model.truth.timeline(id).at(-1)?.atMs;
  expect(lastAtMs).toBeDefined();
  // Shown as done for good only after the subagent was.
  const shownDone = session.told.findLast(
    (told) =>
      told.channel === "state" &&
      told.event.payload.type === "state_changed" &&
      told.event.payload.to === "completed",
  );
  expect(shownDone?.atMs).toBeGreaterThanOrEqual(lastAtMs ?? Infinity);
};

/** A command that outlives the turn: the agent says so, wakes by itself when it ends, and is then idle for good. */
export const backgroundWork: Capability = async (stand) => {
  const { background, hidesBackground } = stand.profile;
  const session = await stand.start(
    `In the background. ${background(`sleep ${stand.profile.hidesBackground ? 12 : 3}; touch ${stand.file("b")}`)} [[text:it goes on]]`,
  );
  const ask = await session.asked();
  await session.approve(ask.askId);
  await session.reaches("completed");
  expect(await stand.has("b")).toBe(false);
  expect((await session.read()).state.background).toBe(hidesBackground ? 0 : 1);
  await session.reaches("streaming");
  await session.reaches("completed");
  expect(await stand.has("b")).toBe(true);
  expect((await session.read()).state.background).toBe(0);
};
