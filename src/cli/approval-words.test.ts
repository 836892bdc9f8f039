import { expect, test } from "vitest";
import { approvalPrompt, readApproval } from "./approval-words.js";

const approve = (scope?: "session" | "project" | "always") => ({
  type: "answer",
  answer: { decision: "approve", ...(scope === undefined ? {} : { scope }) },
});
const reject = (message?: string) => ({
  type: "answer",
  answer: { decision: "reject", ...(message === undefined ? {} : { message }) },
});

test.each([
  ["y", approve()],
  [" Yes ", approve()],
  ["ok", approve()],
  ["OK.", approve()],
  ["s", approve("session")],
  ["this session", approve("session")],
  ["p", approve("project")],
  ["project", approve("project")],
  ["a", approve("always")],
  ["always", approve("always")],
  ["n", reject()],
  ["d", reject()],
  ["no", reject()],
  ["n use b.ts", reject("use b.ts")],
  ["No, use b.ts", reject("use b.ts")],
  ["deny: not in src", reject("not in src")],
])("%j is a choice", (typed, choice) => {
  expect(readApproval(typed, true)).toEqual(choice);
});

test("a sentence is a rejection only when that is confirmed; a word that means nothing is asked again", () => {
  expect(readApproval("use b.ts instead", true)).toEqual({ type: "confirm", message: "use b.ts instead" });
  for (const word of ["sure", "x", "yy", "hm?"])
    expect(readApproval(word, true)).toEqual({
      type: "again",
      why: "Type one of [y] once, [s] this session, [p] this project, [a] always, [n] deny. n TEXT denies it and tells the agent TEXT.",
    });
});

test("what no rule can permit is allowed once, or not", () => {
  expect(approvalPrompt(false)).toBe("Allow? [y] once, [n] deny: ");
  expect(readApproval("always", false)).toEqual({
    type: "again",
    why: "No rule can allow this from now on; y allows it once.",
  });
});
