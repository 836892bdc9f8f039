import { expect, test } from "vitest";
import { noticeThroughWall, reportThroughWall } from "./through-wall.js";

const RUN = "s.1";
const bwrap = { command: "/usr/bin/bwrap", args: ["--cap-drop", "ALL"] };
const claude = { command: "claude", args: ["--resume"] };

test("an end by a signal, as bubblewrap tells it", () => {
  const exit = (code: number) =>
    ({ type: "exit", runId: RUN, end: 3, exit: { code, signal: null } }) as const;
  expect(noticeThroughWall(exit(139))).toEqual({
    type: "exit",
    runId: RUN,
    end: 3,
    exit: { code: null, signal: "SIGSEGV" },
  });
  expect(noticeThroughWall(exit(1))).toEqual(exit(1));
});

test("who is in front is the program inside, once it is there", () => {
  const front = (...programs: (typeof bwrap)[]) =>
    ({ type: "foreground", runId: RUN, foreground: { pid: 7, programs } }) as const;
  expect(noticeThroughWall(front(bwrap, bwrap, claude))).toEqual(front(claude));
  expect(noticeThroughWall(front(claude))).toEqual(front(claude));
  expect(noticeThroughWall(front(bwrap, bwrap))).toBeNull();
});

test("what it has when it is met", () => {
  const report = { runId: RUN, pid: 7, startedAtMs: 1, outEnd: 0, hooksEnd: 0, lastEffectId: null };
  const foreground = { pid: 7, programs: [bwrap, bwrap, claude] };
  expect(reportThroughWall({ ...report, foreground, exit: { code: 130, signal: null } })).toEqual({
    ...report,
    foreground: { pid: 7, programs: [claude] },
    exit: { code: null, signal: "SIGINT" },
  });
  expect(reportThroughWall({ ...report, foreground: { pid: 7, programs: [bwrap] }, exit: null })).toEqual({
    ...report,
    exit: null,
  });
});
