/** Turns without incident. */
import { expect } from "vitest";
import type { Capability } from "./capability.js";

export const start: Capability = async (stand) => {
  const session = await stand.start("Say it. [[think:let me see]] [[text:all is well]]");
  await session.reaches("completed");
  expect(session.text()).toContain("all is well");
  expect(session.statuses()).toEqual(["creating", "streaming", "completed"]);
  const { state, enforcement } = await session.read();
  expect(state).toMatchObject({ alive: true, run: 1, error: null, prompt: null });
  expect(state.harnessSessionId).not.toBe(null);
  expect(["enforced", "when-asked", "none"]).toContain(enforcement);
};

/** Words come as the model says them, while the session is shown as streaming. */
export const stream: Capability = async (stand) => {
  const words = "one two three four five six seven eight nine ten";
  const id = stand.lab.nextId();
  const session = await stand.start(`Count. [[id:${id}]] [[slow:400]] [[chunks:10]] [[text:${words}]]`);
  const firstAtMs = await session.next("the first words", (told) =>
    told.channel === "stream" && told.event.type === "text_delta" ? told.atMs : undefined,
  );
  expect((await session.read()).status).toBe("streaming");
  await session.reaches("completed");
  expect(session.text()).toContain(words);
  expect(session.deltas("text_delta").length).toBeGreaterThan(2);
  // The first of them were here before the model had said the last.
  const done = stand.lab.model.truth.timeline(id).find(({ what }) => what === "done");
  expect(firstAtMs).toBeLessThan(done?.atMs ?? 0);
};

export const severalTurns: Capability = async (stand) => {
  const session = await stand.start("First. [[text:answer one]]");
  await session.reaches("completed");
  for (const word of ["two", "three"]) {
    await session.send(`Next. [[text:answer ${word}]]`);
    await session.reaches("streaming");
    await session.reaches("completed");
    expect(session.text()).toContain(`answer ${word}`);
  }
  expect((await session.read()).run).toBe(1);
  const last = JSON.stringify(stand.lab.model.seen.at(-1)?.body);
  for (const word of ["answer one", "answer two"]) expect(last).toContain(word);
};

/** A message that comes too early waits, and is delivered when the turn is over. */
export const queuedMessage: Capability = async (stand) => {
  const session = await stand.start("Slowly. [[slow:200]] [[chunks:8]] [[text:the first answer]]");
  await session.reaches("streaming");
  await session.send("Then. [[text:the second answer]]");
  await session.reaches("completed");
  expect(session.text()).toContain("the first answer");
  await session.reaches("streaming");
  await session.reaches("completed");
  expect(session.text()).toContain("the second answer");
  expect((await session.read()).queue).toEqual([]);
};

export const usageAndCost: Capability = async (stand) => {
  const session = await stand.started();
  await session.eventually("usage", async () => (await session.read()).usage.inputTokens > 0);
  const { usage } = await session.read();
  expect(usage.outputTokens).toBeGreaterThan(0);
  if (stand.profile.tellsCost) expect(usage.costUsd).toBeGreaterThan(0);
};
