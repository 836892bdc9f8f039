/** Work that goes on beside the turn. */
import { expect } from "vitest";
import type { Capability } from "./capability.js";

/** A subagent's end is not the end of the turn. */
export const subagents: Capability = async (stand) => {
  const { subagent } = stand.profile;
  if (!subagent) throw new Error("nothing is known of its subagents");
  const id = stand.lab.nextId();
  const inner = `Look. [[id:${id}]] [[slow:300]] [[chunks:5]] [[text:the subagent has looked]]`;
  const session = await stand.start(`Have it looked at. ${subagent(inner)} [[text:all were heard]]`);
  await session.reaches("completed");
  await session.eventually("the end of the subagent", () =>
    Promise.resolve(stand.lab.model.truth.timeline(id).some(({ what }) => what === "done")),
  );
  await session.eventually("the end", async () => {
    const { status, state } = await session.read();
    return status === "completed" && state.background === 0 && session.text().includes("all were heard");
  });
  // While a subagent works the session is not idle: nothing of it came after the session was shown as done.
  const doneAtMs = stand.lab.model.truth.timeline(id).find(({ what }) => what === "done")?.atMs ?? 0;
  const shownDone = session.told.findLast(
    (told) =>
      told.channel === "state" &&
      told.event.payload.type === "state_changed" &&
      told.event.payload.to === "completed",
  );
  expect(shownDone?.atMs).toBeGreaterThanOrEqual(doneAtMs);
};

/** A command that outlives the turn: the agent says so, wakes by itself when it ends, and is then idle for good. */
export const backgroundWork: Capability = async (stand) => {
  const { background } = stand.profile;
  if (!background) throw new Error("nothing is known of its background work");
  const session = await stand.start(
    `In the background. ${background(`sleep 3; touch ${stand.file("b")}`)} [[text:it goes on]]`,
  );
  const ask = await session.asked();
  await session.approve(ask.askId);
  await session.reaches("completed");
  expect(await stand.has("b")).toBe(false);
  expect((await session.read()).state.background).toBe(1);
  await session.reaches("streaming");
  await session.reaches("completed");
  expect(await stand.has("b")).toBe(true);
  expect((await session.read()).state.background).toBe(0);
};
