import { expect, test } from "vitest";
import { judge } from "../agents/truth/judge.js";
import type { DayResult } from "../agents/truth/play-day.js";
import { rowsOfAll } from "./b9-truth.js";
import { verdictOf } from "./benchmark.js";

const NOTHING = judge([], [], 0);
const GOOD = { ...NOTHING, totalMs: 10_000, unknownMs: 500 };

function day(name: string, more: Partial<DayResult> = {}): DayResult {
  return {
    role: { name, agent: "claude", package: null, harness: "claude" },
    shown: GOOD,
    quiet: GOOD,
    spinner: null,
    played: { text: 10_000 },
    failed: [],
    broken: [],
    unknownKinds: {},
    hooks: {},
    ...more,
  };
}

const verdicts = (days: readonly DayResult[]) =>
  rowsOfAll(days).map((row) => [row.what, row.value, verdictOf(row), row.failure ?? null]);

const SHARE = "0.0 of 10.0 s, unknown 5.0 %, 0 false idles, 0 asks missed";
const ZERO = "0.0 of 0.0 s, unknown 0.0 %, 0 false idles, 0 asks missed";

test("a day that was played to its end and was never wrong meets every promise", () => {
  expect(verdicts([day("claude 1")])).toEqual([
    ["all agents: wrong", SHARE, "met", null],
    ["all agents: shown as idle, but were not", "", "met", null],
    ["all agents: asks missed", "of 0", "met", null],
    ["all agents: what must never happen", "", "met", null],
    ["all agents: scenes that were not played", "", "met", null],
    ["claude 1", SHARE, "", null],
    ["claude 1, by quiet for 2 s", SHARE, "", null],
  ]);
});

test("a scene that was not played is failed, and so is its agent; what never may happen is missed", () => {
  const bad = day("claude 1", {
    failed: [{ scene: "crash", why: "it did not become ready" }],
    broken: ["crash: a shell ran what was in a message for an agent"],
  });
  const rows = verdicts([bad]);
  expect(rows.slice(3, 6)).toEqual([
    [
      "all agents: what must never happen",
      "claude 1: crash: a shell ran what was in a message for an agent",
      "MISSED",
      null,
    ],
    [
      "all agents: scenes that were not played",
      "claude 1: crash (it did not become ready)",
      "FAILED",
      "1 scenes were not played",
    ],
    ["claude 1", SHARE, "FAILED", "crash (it did not become ready)"],
  ]);
});

test("0 seconds are failed, never met; and so is a day that nobody played", () => {
  const none = day("gemini 1 in a terminal", {
    shown: NOTHING,
    quiet: NOTHING,
    spinner: NOTHING,
    played: {},
  });
  expect(verdicts([none]).filter(([, , verdict]) => verdict === "FAILED")).toEqual([
    ["all agents: wrong", ZERO, "FAILED", "0 seconds measured"],
    ["gemini 1 in a terminal", ZERO, "FAILED", "0 seconds measured"],
    ["gemini 1 in a terminal, by quiet for 2 s", ZERO, "FAILED", "0 seconds measured"],
    ["gemini 1 in a terminal, by spinner text", ZERO, "FAILED", "0 seconds measured"],
  ]);
  expect(verdicts([])[0]).toEqual(["all agents: wrong", "", "FAILED", "nobody played"]);
});
