import { describe, expect, test } from "vitest";
import type { Workspace } from "../../protocol/workspace.js";
import {
  checkWords,
  FINISH_CHOICES,
  loseWords,
  mendWords,
  planFor,
  proposedMessage,
  stateWords,
  willWords,
} from "./finish-plan.js";

const OBSERVED = {
  id: "o1",
  head: "abcdef0123456789",
  dirty: false,
  loose: false,
  ahead: 3,
  behind: 0,
  baseHead: "b1",
  baseDirty: false,
};

const READY: Workspace = {
  id: "w1",
  projectId: "p1",
  path: "/w/w1/app",
  branch: "signalbox/fix-login",
  base: { branch: "main", commit: "b1" },
  status: "ready",
  setup: "none",
  setupOutput: null,
  checkCommand: null,
  runCommand: null,
  check: null,
  observed: OBSERVED,
  running: 0,
  finish: null,
  finished: null,
  conflicts: [],
  error: null,
  sessionIds: ["s1"],
  sizeBytes: null,
  overlaps: [],
  createdAtMs: 1,
  updatedAtMs: 2,
};

const seen = (fields: Partial<typeof OBSERVED>): Workspace => ({
  ...READY,
  observed: { ...OBSERVED, ...fields },
});

describe("what will happen", () => {
  test.each([
    ["squash", {}, "3 commits of signalbox/fix-login become one on main."],
    ["squash", { ahead: 1 }, "1 commit of signalbox/fix-login becomes one on main, with this message."],
    [
      "squash",
      { ahead: 0, dirty: true },
      "The uncommitted changes of signalbox/fix-login become one commit on main.",
    ],
    [
      "squash",
      { dirty: true, behind: 1 },
      "1 commit of main come in first. The uncommitted changes are committed. 4 commits of signalbox/fix-login become one on main.",
    ],
    ["merge", {}, "main moves forward by 3 commits of signalbox/fix-login."],
    [
      "merge",
      { behind: 2 },
      "3 commits of signalbox/fix-login and 2 commits of main are joined by a merge commit.",
    ],
    ["rebase", { ahead: 1 }, "1 commit of signalbox/fix-login is put on top of main, one by one."],
    [
      "branch",
      { behind: 9 },
      "The branch signalbox/fix-login with 3 commits appears in the repository; main stays as it is.",
    ],
  ] as const)("%s %j", (how, fields, words) => {
    expect(willWords(seen(fields), how)).toBe(words);
  });
});

describe("what is in the way", () => {
  const keys = (workspace: Workspace, how: (typeof FINISH_CHOICES)[number] = "squash") => {
    const { hindrances, canFinish } = planFor(workspace, how);
    return [hindrances.map(({ key, remedies }) => [key, ...remedies]), canFinish];
  };

  test("nothing", () => {
    for (const how of FINISH_CHOICES) expect(keys(READY, how)).toEqual([[], true]);
  });

  test("a dirty base stops all but a branch", () => {
    expect(keys(seen({ baseDirty: true }))).toEqual([[["base_dirty", "look"]], false]);
    expect(keys(seen({ baseDirty: true }), "branch")).toEqual([[], true]);
    expect(keys(seen({ baseDirty: true, behind: 2 }), "pr")).toEqual([[], true]);
  });

  test("a base that went on is told; it can be brought in while nothing is uncommitted", () => {
    expect(keys(seen({ behind: 1 }))).toEqual([[["behind", "update"]], true]);
    expect(keys(seen({ behind: 1, dirty: true }))).toEqual([[["behind"]], true]);
  });

  test("an agent at work, nothing seen, nothing made", () => {
    expect(keys({ ...READY, running: 1 })).toEqual([[["running", "finish_when_idle"]], false]);
    expect(keys({ ...READY, observed: null })).toEqual([[["unseen", "look"]], false]);
    expect(keys(seen({ ahead: 0 }))).toEqual([[["nothing", "look"]], false]);
  });

  test("a failed check is told, and can go to the agent", () => {
    const check = {
      ...({ status: "failed", command: "npm test", exitCode: 1, output: "1 failed" } as const),
      ...{ head: "h", observation: "o1", atMs: 1 },
    };
    expect(keys({ ...READY, check })).toEqual([[["check_failed", "mend"]], true]);
    expect(keys({ ...READY, check: { ...check, observation: "o0" } })).toEqual([[], true]);
    expect(mendWords({ ...READY, check })).toContain("ended with 1: npm test");
  });

  test("what was finished one way can still be finished another", () => {
    const finished = { how: "branch", head: OBSERVED.head, url: null };
    const merged: Workspace = { ...READY, status: "merged", finished };
    expect(keys(merged, "branch")).toEqual([[["nothing", "look"]], false]);
    expect(keys(merged, "merge")).toEqual([[], true]);
  });

  test("conflicts, a failed setup, a lost directory", () => {
    const conflicted: Workspace = {
      ...READY,
      status: "conflicted",
      observed: null,
      conflicts: ["a.ts", "b.ts"],
    };
    expect(keys(conflicted)).toEqual([[["conflict", "resolve", "retry", "abort"]], false]);
    expect(planFor(conflicted, "merge").hindrances[0]?.words).toBe(
      "2 files cannot be brought together with main, which is as it was.",
    );
    expect(keys({ ...conflicted, running: 1 })).toEqual([[["conflict", "abort"]], false]);
    const setup = { code: "setup_failed", message: "the setup ended with 1" };
    expect(keys({ ...READY, status: "failed", setup: "failed", error: setup })).toEqual([
      [["setup", "retry", "abort"]],
      false,
    ]);
    const lost = { code: "lost", message: "/w/w1 is not there" };
    expect(keys({ ...READY, status: "failed", error: lost })).toEqual([
      [["lost", "retry", "discard"]],
      false,
    ]);
  });
});

test("how it stands", () => {
  expect(stateWords(READY)).toBeNull();
  expect(stateWords({ ...READY, status: "preparing", setup: "running" })).toBe("Its setup runs.");
  const held = { how: "squash", step: "look", held: true };
  expect(stateWords({ ...READY, status: "finishing", finish: held })).toBe(
    "It is finished as soon as no agent works in it.",
  );
  const finished = { how: "squash", head: OBSERVED.head, url: null };
  expect(stateWords({ ...READY, status: "merged", finished })).toBe(
    "main has the changes of signalbox/fix-login, at abcdef0123.",
  );
});

test("what only the workspace holds", () => {
  expect(loseWords(seen({ dirty: true, loose: true }))).toBe(
    "uncommitted changes, 3 commits, ignored files or other branches",
  );
  const finished = { how: "squash", head: OBSERVED.head, url: null };
  expect(loseWords({ ...READY, finished })).toBeNull();
  expect(loseWords({ ...READY, observed: null })).toBe("what is in it now");
});

test("a check of before is told as such", () => {
  const check = {
    ...({ status: "passed", command: "npm test", exitCode: 0, output: "ok", head: "h" } as const),
    ...{ observation: "o1", atMs: 1 },
  };
  const told = (fields: Partial<Workspace>) => checkWords({ ...READY, checkCommand: "npm test", ...fields });
  expect(told({})).toEqual({ words: "not checked", outcome: "none", canRun: true });
  expect(told({ check })).toEqual({ words: "✓ check passed", outcome: "passed", canRun: true });
  expect(told({ check: { ...check, observation: "o0" } })).toMatchObject({
    words: "check passed; something changed since",
    outcome: "stale",
  });
  expect(told({ check: { ...check, status: "failed", exitCode: 2 } })).toMatchObject({
    words: "check failed with 2",
    outcome: "failed",
  });
});

test("the message is the title, with the last words when they are short", () => {
  expect(proposedMessage("Fix the  login redirect.", null)).toBe("Fix the login redirect");
  expect(proposedMessage("Fix it", "Lax now.\n\nMore.")).toBe("Fix it\n\nLax now.");
  expect(proposedMessage("Fix it", "```\ncode\n```")).toBe("Fix it");
  expect(proposedMessage("x".repeat(100), null)).toHaveLength(72);
});
