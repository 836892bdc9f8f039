/**
 * One session with each provider, end to end: what the daemon told of it, in order, is kept as a file. Ids and times are
 * normalised, and pieces of a text are put together. `UPDATE=1` writes the files anew.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchGolden } from "../golden/golden.js";
import { BuiltinLab, PROVIDER_NAMES, type BuiltinSession } from "./builtin-lab.js";
import { recordingOf } from "./recording-of.js";

let lab: BuiltinLab;

beforeAll(async () => {
  lab = await BuiltinLab.start();
});

afterAll(async () => {
  await lab.end();
  expect(lab.model.mistakes).toEqual([]);
});

const PROMPT = [
  "[[errorn:1:503]][[think:A file first.]]",
  "[[write:PROVIDER.txt=a line\n]][[shell:cat PROVIDER.txt]][[shell:rm PROVIDER.txt]]",
  "[[ask:Which colour?|red|green]][[text:All of it is done.]]",
].join("");

async function play(session: BuiltinSession): Promise<void> {
  await session.answer("approve");
  await expect.poll(async () => (await session.asks())[0]?.detail).toMatch(/^cat/);
  await session.answer("approve");
  await expect.poll(async () => (await session.asks())[0]?.detail).toMatch(/^rm/);
  await session.answer("reject", "Keep it.");
  await session.reaches("waiting_input");
  await session.say("1");
  await session.reaches("completed");
}

test.each(PROVIDER_NAMES)("a session with %s", async (provider) => {
  const session = await lab.open(PROMPT.replaceAll("PROVIDER", provider), { provider });
  await play(session);
  const isOver = () => session.told.some(({ type, to }) => type === "state_changed" && to === "completed");
  await expect.poll(isOver).toBe(true);
  const { usage } = await session.now;
  const recording = recordingOf(lab.tap.of(session.id), { "<work>": lab.work, "<session>": session.id });
  matchGolden(`builtin/${provider}.txt`, `${recording}usage ${JSON.stringify(usage)}\n`);
});
