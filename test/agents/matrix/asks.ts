/** What an agent asks, and what becomes of the answers. */
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { Capability } from "./capability.js";

export const approve: Capability = async (stand) => {
  const session = await stand.start(`Run it. ${stand.touch("a")} [[text:it ran]]`);
  const ask = await session.asked();
  expect(`${ask.title} ${ask.detail}`).toContain(`touch ${stand.file("a")}`);
  expect((await session.read()).status).toBe("waiting_approval");
  expect(await stand.has("a")).toBe(false);
  await session.approve(ask.askId);
  await session.reaches("streaming");
  await session.reaches("completed");
  expect(await stand.has("a")).toBe(true);
  expect(session.text()).toContain("it ran");
  const tools = session.told.flatMap((told) =>
    told.channel === "state" && told.event.payload.type === "tool_lifecycle"
      ? [told.event.payload.status]
      : [],
  );
  expect(tools.at(-1)).toBe("succeeded");
};

export const writeFile: Capability = async (stand) => {
  const session = await stand.start(
    `Write it. [[write:${stand.file("w.txt")}=some words]] [[text:it is written]]`,
  );
  const ask = await session.asked();
  expect(`${ask.title} ${ask.detail}`).toContain("w.txt");
  await session.approve(ask.askId);
  await session.reaches("completed");
  expect((await readFile(stand.file("w.txt"), "utf8")).trim()).toBe("some words");
};

export const rejectWithMessage: Capability = async (stand) => {
  const session = await stand.start(`Run it. ${stand.touch("r")} [[text:then not]]`);
  const ask = await session.asked();
  await session.reject(ask.askId, `Not that way, please: ${stand.word}`);
  await session.reaches("completed", "paused");
  await session.eventually("the message at the model", () =>
    Promise.resolve(stand.modelHeard(`Not that way, please: ${stand.word}`)),
  );
  await session.eventually("the end of the turn", async () => (await session.read()).status === "completed");
  expect(await stand.has("r")).toBe(false);
};

export const questionAndAnswer: Capability = async (stand) => {
  const session = await stand.start("Ask me. [[ask:Which colour?|crimson|azure]] [[text:so be it]]");
  const ask = await session.asked();
  expect((await session.read()).status).toBe("waiting_input");
  expect(`${ask.title} ${ask.detail}`).toContain("Which colour?");
  expect(`${ask.title} ${ask.detail}`).toContain("azure");
  await session.send("azure");
  await session.reaches("completed");
  expect(session.text()).toContain("so be it");
  const last = JSON.stringify(stand.lab.model.seen.at(-1)?.body);
  // Once as an option, and once more as the answer.
  expect(last.split("azure").length).toBeGreaterThan(last.split("crimson").length);
};

export const parallelToolCalls: Capability = async (stand) => {
  const session = await stand.start(
    `Both. ${stand.touch("p1")} ${stand.touch("p2")} [[parallel]] [[text:both done]]`,
  );
  for (let answered = 0; answered < 2; answered += 1) {
    const ask = await session.asked();
    await session.approve(ask.askId);
  }
  await session.reaches("completed");
  expect([await stand.has("p1"), await stand.has("p2")]).toEqual([true, true]);
  expect(session.text()).toContain("both done");
  const { state } = await session.read();
  expect({ asks: state.asks, tools: state.tools }).toEqual({ asks: [], tools: [] });
};
