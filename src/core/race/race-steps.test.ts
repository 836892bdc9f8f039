import { describe, expect, test } from "vitest";
import { nextSteps, type EntryFacts, type RaceFacts, type RaceStep } from "./race-steps.js";

const WORKING: EntryFacts = {
  isStarted: true,
  isGivenUp: false,
  session: "working",
  doneAtMs: null,
  checkedDoneAtMs: null,
  workspace: "open",
  isFinished: false,
  isFinishAsked: false,
  isStopAsked: false,
  isParked: false,
};
const UNMADE: EntryFacts = {
  ...WORKING,
  isStarted: false,
  session: "none",
  workspace: "closed",
};
const DONE: EntryFacts = { ...WORKING, session: "done", doneAtMs: 5 };

function race(fields: Partial<RaceFacts>): RaceFacts {
  return { status: "running", hasCheck: true, chosen: null, entries: [WORKING, WORKING], ...fields };
}

describe("while it runs", () => {
  test("what is missing is started, what could not be is left alone", () => {
    const entries = [WORKING, UNMADE, { ...UNMADE, isGivenUp: true }];
    expect(nextSteps(race({ entries }))).toEqual([{ type: "start", entry: 1 }]);
  });

  test("each end of a turn is checked once", () => {
    const entries = [DONE, { ...DONE, checkedDoneAtMs: 5 }, { ...DONE, checkedDoneAtMs: 4 }];
    expect(nextSteps(race({ entries }))).toEqual([
      { type: "check", entry: 0 },
      { type: "check", entry: 2 },
    ]);
    expect(nextSteps(race({ entries, hasCheck: false }))).toEqual([]);
  });

  test("nothing is checked in a workspace that is being finished, or is lost", () => {
    const entries = [
      { ...DONE, workspace: "busy" as const },
      { ...DONE, workspace: "closed" as const },
    ];
    expect(nextSteps(race({ entries }))).toEqual([]);
  });

  test("a session that a person deleted is not made again", () => {
    expect(nextSteps(race({ entries: [{ ...WORKING, session: "gone" }] }))).toEqual([]);
  });
});

describe("when one is chosen", () => {
  const choosing = (entry: Partial<EntryFacts>): readonly RaceStep[] =>
    nextSteps(race({ status: "choosing", chosen: 0, entries: [{ ...DONE, ...entry }, WORKING] }));

  test("its finish is asked for once, and waited for", () => {
    expect(choosing({})).toEqual([{ type: "finish", entry: 0 }]);
    expect(choosing({ isFinishAsked: true, workspace: "busy" })).toEqual([]);
    // The daemon ended before it wrote down that it had asked.
    expect(choosing({ workspace: "busy" })).toEqual([]);
    expect(choosing({ isFinishAsked: true, workspace: "conflicted" })).toEqual([]);
  });

  test("nothing of the others is touched before it is finished; then the race is decided", () => {
    expect(choosing({ isFinished: true, isFinishAsked: true })).toEqual([{ type: "decide" }]);
    expect(choosing({ isFinished: true })).toEqual([{ type: "decide" }]);
  });

  test("a finish that failed, or that a person took back, is no choice", () => {
    expect(choosing({ isFinishAsked: true })).toEqual([{ type: "unchoose", entry: 0 }]);
    expect(choosing({ workspace: "closed" })).toEqual([{ type: "unchoose", entry: 0 }]);
  });
});

describe("when it is decided", () => {
  const others = (entry: Partial<EntryFacts>): readonly RaceStep[] =>
    nextSteps(race({ status: "chosen", chosen: 0, entries: [DONE, { ...WORKING, ...entry }] }));

  test("others are stopped, then their branches kept, then they are parked", () => {
    expect(others({})).toEqual([{ type: "stop", entry: 1 }]);
    expect(others({ isStopAsked: true })).toEqual([]);
    expect(others({ isStopAsked: true, session: "ended" })).toEqual([{ type: "branch", entry: 1 }]);
    expect(others({ session: "ended", workspace: "busy" })).toEqual([]);
    // Its branch could not be made: its work stays in its workspace.
    expect(others({ session: "ended", isFinishAsked: true })).toEqual([{ type: "park", entry: 1 }]);
    expect(others({ session: "done", workspace: "conflicted" })).toEqual([{ type: "park", entry: 1 }]);
    expect(others({ session: "working", isParked: true })).toEqual([]);
  });

  test("one that was never started is parked", () => {
    expect(others(UNMADE)).toEqual([{ type: "park", entry: 1 }]);
  });
});

test("a stopped race stops each session once, and starts none", () => {
  const entries = [WORKING, { ...WORKING, isStopAsked: true }, UNMADE, DONE];
  expect(nextSteps(race({ status: "stopped", entries }))).toEqual([{ type: "stop", entry: 0 }]);
});
