/** Turns and processes that end before their time, and what comes after. */
import { expect } from "vitest";
import { isAlive } from "../../reliability/is-alive.js";
import { stateOf, type LabSession } from "../lab-session.js";
import type { Capability, Stand } from "./capability.js";

const LONG =
  "[[slow:300]] [[chunks:60]] [[text:a long story about nothing in particular that goes on and on and on]]";

/** The next message works, in whatever run. */
async function goesOn(session: LabSession, words: string): Promise<void> {
  await session.send(`Go on. [[text:${words}]]`);
  await session.reaches("streaming");
  await session.reaches("completed");
  expect(session.text()).toContain(words);
}

/** In the middle of its second turn: of the first, an agent may not have kept anything yet. */
async function streaming(stand: Stand): Promise<LabSession> {
  const session = await stand.started();
  await session.send(`Tell. ${LONG}`);
  await session.next("the first words", (told) =>
    told.channel === "stream" && told.event.type === "text_delta" ? true : undefined,
  );
  return session;
}

export const interrupt: Capability = async (stand) => {
  const session = await streaming(stand);
  await stand.lab.client.interrupt(session.id);
  await session.reaches("paused");
  const { state } = await session.read();
  expect(state).toMatchObject({ status: "paused", alive: true, interrupting: false });
  await goesOn(session, "after the interruption");
};

export const interruptAsk: Capability = async (stand) => {
  const session = await stand.start(`Run it. ${stand.touch("i")} [[text:it ran]]`);
  const ask = await session.asked();
  await stand.lab.client.interrupt(session.id);
  await session.reaches("paused");
  expect((await session.read()).asks).toEqual([]);
  await expect(session.approve(ask.askId)).rejects.toMatchObject({ code: "ask_stale" });
  expect(await stand.has("i")).toBe(false);
  await goesOn(session, "after the refusal");
};

/** However often an agent tries by itself, some failures stay: a person is told, and can try again. */
export const failure: Capability = async (stand) => {
  const id = stand.lab.nextId();
  const session = await stand.start(`Try. [[id:${id}]] [[error:400]] [[text:now it works]]`);
  await session.reaches("error");
  const { error, ui } = await session.read();
  expect(error?.message).toContain("scripted failure 400");
  expect(ui.showRetryButton).toBe(true);
  stand.lab.model.mend(id);
  await stand.lab.client.retry(session.id);
  await session.reaches("streaming");
  await session.reaches("completed");
  expect(session.text()).toContain("now it works");
};

/** The agent waits and tries again by itself: that is no failure, and not idle. */
export const rateLimit: Capability = async (stand) => {
  const id = stand.lab.nextId();
  const session = await stand.start(`Try. [[id:${id}]] [[errorn:1:429]] [[text:the limit is over]]`);
  await session.reaches("completed");
  expect(session.text()).toContain("the limit is over");
  expect(session.statuses()).toEqual(["creating", "streaming", "completed"]);
  expect(stand.lab.model.truth.timeline(id)[1]).toMatchObject({ what: "error", detail: "429" });
  if (stand.profile.tellsRetries) expect(await session.fact("retry_scheduled")).toBeDefined();
};

/** A new process goes on with the same conversation. */
export const resume: Capability = async (stand) => {
  const session = await stand.start(`Remember. [[text:the word is ${stand.word}]]`);
  await session.reaches("completed");
  await stand.lab.client.cancel(session.id);
  await session.reaches("stopped");
  await session.eventually("the end of the process", async () => !(await session.read()).state.alive);
  await stand.untilResumable();
  const heard = stand.lab.model.seen.length;
  await goesOn(session, "I remember");
  expect((await session.read()).run).toBe(2);
  // Beside the conversation it may ask its model for a title.
  const asked = stand.lab.model.seen.slice(heard).map(({ body }) => JSON.stringify(body));
  expect(asked.some((body) => body.includes(`the word is ${stand.word}`))).toBe(true);
  // What was said before is not said again.
  expect(session.text().split(`the word is ${stand.word}`).length).toBe(2);
};

/** It ends in its own way, with an exit status that it chose. */
export const exitByItself: Capability = async (stand) => {
  const session = await stand.started();
  const pid = await session.pid();
  // Its group: what was started may be no more than a launcher.
  process.kill(-pid, "SIGTERM");
  await session.next("its end", (told) => {
    const change = stateOf(told);
    return change?.type === "roster_changed" && change.to === "none" ? true : undefined;
  });
  const { status, ui, state } = await session.read();
  expect(["completed", "error"]).toContain(status);
  expect({ showSpinner: ui.showSpinner, alive: state.alive }).toEqual({ showSpinner: false, alive: false });
  expect(isAlive(pid)).toBe(false);
  await stand.untilResumable();
  await goesOn(session, "back again");
};

/** Before an agent has kept anything: what was said is not lost, and the session goes on. */
export const killedAtFirst: Capability = async (stand) => {
  const session = await stand.start(`Remember ${stand.word}. ${LONG}`);
  await session.next("the first words", (told) =>
    told.channel === "stream" && told.event.type === "text_delta" ? true : undefined,
  );
  process.kill(-(await session.pid()), "SIGKILL");
  await session.reaches("error");
  await stand.untilResumable();
  const words = `Go on. [[text:what was said of ${stand.word}]]`;
  await session.send(words);
  await session.eventually("the answer", async () => {
    const { status } = await session.read();
    return status === "completed" && session.text().includes(`what was said of ${stand.word}`);
  });
  // The model hears both: what was said to the process that is gone, and what came after.
  const heard = JSON.stringify(stand.lab.model.seen.map(({ body }) => body).at(-1));
  expect({ first: heard.includes(`Remember ${stand.word}.`), then: heard.includes("Go on.") }).toEqual({
    first: true,
    then: true,
  });
};

export const killedFromOutside: Capability = async (stand) => {
  const session = await streaming(stand);
  // The whole group: an agent's launcher may have a child that does the work.
  process.kill(-(await session.pid()), "SIGKILL");
  await session.reaches("error");
  const { error, state } = await session.read();
  expect(error).toMatchObject({ code: "harness_failed", source: "harness" });
  expect(state.alive).toBe(false);
  await stand.untilResumable();
  await goesOn(session, "alive again");
  expect((await session.read()).run).toBe(2);
};
