/** The five choices of 002, made by a person in real sessions of the built-in agent: what each holds for, and what not. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BuiltinLab, type BuiltinSession } from "./builtin-lab.js";

let lab: BuiltinLab;
let elsewhere = "";

beforeEach(async () => {
  lab = await BuiltinLab.start();
  elsewhere = join(lab.folder, "elsewhere");
  mkdirSync(elsewhere);
});
afterEach(async () => {
  await lab.end();
});

const TOUCH = "[[shell:touch here]]";

/** Answers what is asked with this scope, and waits for the end of the turn. */
async function approve(
  session: BuiltinSession,
  scope: "once" | "session" | "project" | "always",
): Promise<void> {
  const [ask] = await session.asks();
  if (!ask) throw new Error("nothing is asked");
  await lab.daemon.client.answerAsk(session.id, ask.askId, { decision: "approve", scope });
  await session.reaches("completed");
}

const resultsOf = (session: BuiltinSession): number =>
  session.told.filter(({ type }) => type === "tool_call_completed").length;

/** Whether a person must answer before there is a result beyond those. */
async function isAsked(session: BuiltinSession, results = 0): Promise<boolean> {
  const isOpen = async (): Promise<boolean> => (await session.now).asks.some(({ needsHuman }) => needsHuman);
  await expect.poll(async () => (await isOpen()) || resultsOf(session) > results).toBe(true);
  const asked = await isOpen();
  if (asked) await session.answer("reject");
  await expect.poll(() => resultsOf(session)).toBe(results + 1);
  await session.reaches("completed");
  return asked;
}

/** In the same session, in another one of the same folder, and in another folder. */
async function whoIsAsked(session: BuiltinSession): Promise<readonly boolean[]> {
  const results = resultsOf(session);
  await session.say(TOUCH);
  return [
    await isAsked(session, results),
    await isAsked(await lab.open(TOUCH)),
    await isAsked(await lab.open(TOUCH, { cwd: elsewhere })),
  ];
}

test.each([
  ["once", [true, true, true]],
  ["session", [false, true, true]],
  ["project", [false, false, true]],
  ["always", [false, false, false]],
] as const)("allowed %s", async (scope, asked) => {
  const session = await lab.open(TOUCH);
  await approve(session, scope);
  expect(readdirSync(lab.work)).toEqual(["here"]);
  expect(await whoIsAsked(session)).toEqual(asked);
  // What a person agreed to is theirs: nothing of it is in the project.
  expect(readdirSync(lab.work)).toEqual(["here"]);
  expect(readdirSync(elsewhere)).toEqual(scope === "always" ? ["here"] : []);
  if (scope === "always") {
    const rules = readFileSync(join(lab.home, ".config", "signalbox", "permissions.toml"), "utf8");
    expect(rules).toContain("Shell(touch here)");
  }
});

test("denied: nothing is done, and the model gets to know it, with the reason", async () => {
  const session = await lab.open(TOUCH);
  await session.answer("reject", "Not here.");
  await session.reaches("completed");
  expect(readdirSync(lab.work)).toEqual([]);
  const results = session.told.filter(({ type }) => type === "tool_call_completed");
  expect(results).toMatchObject([
    { isError: true, output: expect.stringMatching(/denied[\s\S]*Not here\./i) as unknown },
  ]);
  const last = JSON.stringify(lab.model.seen.at(-1)?.body);
  expect(last).toContain("Not here.");
});
