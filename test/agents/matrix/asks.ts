/** What an agent asks, and what becomes of the answers. */
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { stateOf, type LabSession } from "../lab-session.js";
import type { Capability } from "./capability.js";

/** How the session's calls ended, in order. */
function toolEnds(session: LabSession): readonly string[] {
  return session.told.flatMap((told) => {
    const change = stateOf(told);
    return change?.type === "tool_lifecycle" && change.status !== "running" && change.status !== "queued"
      ? [change.status]
      : [];
  });
}

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
  expect(toolEnds(session).at(-1)).toBe("succeeded");
};

export const writeFile: Capability = async (stand) => {
  const session = await stand.start(`Write it. ${stand.write("w.txt", "some words")} [[text:it is written]]`);
  const ask = await session.asked();
  expect(`${ask.title} ${ask.detail}`).toContain("w.txt");
  await session.approve(ask.askId);
  await session.reaches("completed");
  expect((await readFile(stand.file("w.txt"), "utf8")).trim()).toBe("some words");
};

export const rejectWithMessage: Capability = async (stand) => {
  const session = await stand.start(`Run it. ${stand.touch("r")} [[text:then not]]`);
  const ask = await session.asked();
  const message = `Not that way, please: ${stand.word}`;
  // Some agents can be told no more than no: to them the message is the next one.
  await session.reject(ask.askId, `${message} [[text:then not]]`);
  await session.eventually("the message at the model", () => Promise.resolve(stand.modelHeard(message)));
  await session.eventually("the end of the turn", async () => (await session.read()).status === "completed");
  expect(await stand.has("r")).toBe(false);
  expect(session.text()).toContain("then not");
  expect(toolEnds(session)).not.toContain("succeeded");
};

export const questionAndAnswer: Capability = async (stand) => {
  const { beforeAsking = "" } = stand.profile;
  const session = await stand.start(
    `Ask me. ${beforeAsking} [[ask:Which colour?|crimson|azure]] [[text:so be it]]`,
  );
  const ask = await session.asked();
  expect((await session.read()).status).toBe("waiting_input");
  expect(`${ask.title} ${ask.detail}`).toContain("Which colour?");
  expect(`${ask.title} ${ask.detail}`).toContain("azure");
  const heard = stand.lab.model.seen.length;
  await session.send("azure");
  await session.reaches("completed");
  expect(session.text()).toContain("so be it");
  const bodies = stand.lab.model.seen.slice(heard).map(({ body }) => JSON.stringify(body));
  // Once as an option, and once more as the answer; not in what it asks its model for beside, such as a title.
  const isAnswered = (body: string) => body.split("azure").length > body.split("crimson").length;
  expect(bodies.some(isAnswered)).toBe(true);
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
