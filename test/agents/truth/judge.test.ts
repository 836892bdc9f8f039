import { expect, test } from "vitest";
import { judge, type Shown } from "./judge.js";
import { restsWhenShown, segmentsOf, type Segment } from "./segments.js";
import { quietRule, spinnerRule } from "./simple-rules.js";

const NONE = { asks: null, fails: false } as const;

test("the truth follows from what the script and the model did", () => {
  const marks = [
    { atMs: 0, deed: "sent" },
    { atMs: 50, deed: "answered" },
  ] as const;
  const model = [
    { atMs: 5, what: "request" },
    { atMs: 6, what: "streaming" },
    { atMs: 10, what: "tool_call_sent" },
    { atMs: 60, what: "request" },
    { atMs: 70, what: "done" },
  ] as const;
  expect(segmentsOf(marks, model, { asks: "approval", fails: false }, 100)).toEqual([
    { truth: "working", fromMs: 0, untilMs: 10 },
    { truth: "approval", fromMs: 10, untilMs: 50 },
    { truth: "working", fromMs: 50, untilMs: 70 },
    { truth: "idle", fromMs: 70, untilMs: 100 },
  ]);
});

test("an agent in a terminal asks from when its terminal shows it", () => {
  const marks = [
    { atMs: 0, deed: "sent" },
    { atMs: 50, deed: "answered" },
    { atMs: 30, deed: "asked" },
  ] as const;
  const model = [
    { atMs: 10, what: "tool_call_sent" },
    { atMs: 70, what: "done" },
  ] as const;
  expect(segmentsOf(marks, model, { asks: "approval", fails: false }, 100)).toEqual([
    { truth: "working", fromMs: 0, untilMs: 10 },
    { truth: "about_to_ask", fromMs: 10, untilMs: 30 },
    { truth: "approval", fromMs: 30, untilMs: 50 },
    { truth: "working", fromMs: 50, untilMs: 70 },
    { truth: "idle", fromMs: 70, untilMs: 100 },
  ]);
});

test("a dialog that is drawn after its answer asks nobody", () => {
  const marks = [
    { atMs: 0, deed: "sent" },
    { atMs: 50, deed: "answered" },
    { atMs: 60, deed: "asked" },
  ] as const;
  const model = [
    { atMs: 10, what: "tool_call_sent" },
    { atMs: 70, what: "done" },
  ] as const;
  expect(segmentsOf(marks, model, { asks: "approval", fails: false }, 100)).toEqual([
    { truth: "working", fromMs: 0, untilMs: 10 },
    { truth: "approval", fromMs: 10, untilMs: 50 },
    { truth: "working", fromMs: 50, untilMs: 70 },
    { truth: "idle", fromMs: 70, untilMs: 100 },
  ]);
});

test("an agent in a terminal rests from when its terminal shows no work", () => {
  const segments: readonly Segment[] = [
    { truth: "working", fromMs: 0, untilMs: 10 },
    { truth: "idle", fromMs: 10, untilMs: 50 },
  ];
  expect(restsWhenShown(segments, (fromMs) => fromMs + 15)).toEqual([
    { truth: "working", fromMs: 0, untilMs: 10 },
    { truth: "about_to_rest", fromMs: 10, untilMs: 25 },
    { truth: "idle", fromMs: 25, untilMs: 50 },
  ]);
  expect(restsWhenShown(segments, () => null)).toEqual(segments);
});

test("a limit is not the end, a failure is, and after a death nothing counts", () => {
  const sent = { atMs: 0, deed: "sent" } as const;
  const error = { atMs: 5, what: "error" } as const;
  const working = { truth: "working", fromMs: 0 } as const;
  expect(segmentsOf([sent], [error], NONE, 9)).toEqual([{ ...working, untilMs: 9 }]);
  expect(segmentsOf([sent], [error], { asks: null, fails: true }, 9)).toEqual([
    { ...working, untilMs: 5 },
    { truth: "failed", fromMs: 5, untilMs: 9 },
  ]);
  const again = [{ atMs: 2, what: "error" } as const, { atMs: 3, what: "request" } as const, error];
  expect(segmentsOf([sent], again, { asks: null, fails: true }, 9)).toEqual([
    { ...working, untilMs: 5 },
    { truth: "failed", fromMs: 5, untilMs: 9 },
  ]);
  const killed = { atMs: 4, deed: "killed" } as const;
  expect(segmentsOf([sent, killed], [error, { atMs: 6, what: "done" }], NONE, 9)).toEqual([
    { ...working, untilMs: 4 },
    { truth: "ended", fromMs: 4, untilMs: 9 },
  ]);
});

const SEGMENTS: readonly Segment[] = [
  { truth: "working", fromMs: 0, untilMs: 1_000 },
  { truth: "approval", fromMs: 1_000, untilMs: 3_000 },
  { truth: "idle", fromMs: 3_000, untilMs: 4_000 },
];

function verdict(...shown: readonly (readonly [number, Shown["status"]])[]) {
  const { faults: _, ...rest } = judge(
    SEGMENTS,
    shown.map(([atMs, status]) => ({ atMs, status })),
    100,
  );
  return rest;
}
const PERFECT = { totalMs: 4_000, wrongMs: 0, unknownMs: 0, falseIdles: 0, missedAsks: 0, asks: 1 };

test("what is shown in time is right", () => {
  expect(verdict([50, "streaming"], [1_100, "waiting_approval"], [3_080, "completed"])).toEqual(PERFECT);
});

test("what is late is wrong after the grace, and what was never true is wrong at once", () => {
  expect(verdict([0, "streaming"], [1_350, "waiting_approval"], [3_000, "paused"])).toEqual({
    ...PERFECT,
    wrongMs: 250,
  });
  expect(
    verdict([0, "streaming"], [1_000, "waiting_input"], [1_050, "waiting_approval"], [3_000, "paused"]),
  ).toEqual({
    ...PERFECT,
    wrongMs: 50,
  });
});

test("idle while it works, and an ask that was never shown", () => {
  expect(verdict([0, "streaming"], [500, "completed"], [600, "streaming"], [2_000, "completed"])).toEqual({
    ...PERFECT,
    wrongMs: 100 + 900 + 1_000,
    falseIdles: 2,
    missedAsks: 1,
  });
});

test("an agent that wakes by itself may be shown at work a little before its model is asked", () => {
  const segments: readonly Segment[] = [
    { truth: "idle", fromMs: 0, untilMs: 1_000 },
    { truth: "working", fromMs: 1_000, untilMs: 2_000 },
  ];
  const shownFrom = (atMs: number) =>
    judge(
      segments,
      [
        { atMs: 0, status: "completed" },
        { atMs, status: "streaming" },
      ],
      100,
    ).wrongMs;
  expect([shownFrom(950), shownFrom(700)]).toEqual([0, 200]);
});

test("an ask that is shown late is wrong until then; answered in the same millisecond, it is not missed", () => {
  const shownAt = (atMs: number) => {
    const { wrongMs, missedAsks } = verdict(
      [0, "streaming"],
      [atMs, "waiting_approval"],
      [3_050, "completed"],
    );
    return { wrongMs, missedAsks };
  };
  expect(shownAt(3_000)).toEqual({ wrongMs: 1_900, missedAsks: 0 });
  expect(shownAt(3_001)).toEqual({ wrongMs: 1_901, missedAsks: 1 });
});

test("what is shown as unknown is not wrong, but counted; an ask that nobody was shown is missed all the same", () => {
  const shown: readonly Shown[] = [
    { atMs: 0, status: "streaming" },
    { atMs: 800, status: "streaming", certainty: "unknown" },
    { atMs: 3_100, status: "completed", certainty: "known" },
  ];
  expect(judge(SEGMENTS, shown, 100)).toEqual({
    ...PERFECT,
    unknownMs: 200 + 2_000 + 100,
    missedAsks: 1,
    faults: [],
  });
});

test("of a program that nobody knows nothing may be told as known, but that it waits for a person", () => {
  const segments: readonly Segment[] = [
    { truth: "unknowable", fromMs: 0, untilMs: 1_000 },
    { truth: "unknowable_question", fromMs: 1_000, untilMs: 2_000 },
  ];
  const nothing = { totalMs: 2_000, wrongMs: 0, unknownMs: 0, falseIdles: 0, missedAsks: 0, asks: 0 };
  const unknown = { atMs: 0, status: "creating", certainty: "unknown" } as const;
  expect(judge(segments, [unknown], 100)).toEqual({ ...nothing, faults: [] });
  const asks = { atMs: 1_400, status: "waiting_input", certainty: "known" } as const;
  expect(judge(segments, [unknown, asks], 100)).toEqual({ ...nothing, faults: [] });
  const streaming = { atMs: 0, status: "streaming" } as const;
  expect(judge(segments, [streaming, asks], 100)).toEqual({
    ...nothing,
    wrongMs: 900 + 400,
    faults: [
      { truth: "unknowable", afterMs: 100, shown: "streaming", fromMs: 100, untilMs: 1_000 },
      { truth: "unknowable_question", afterMs: 0, shown: "streaming", fromMs: 1_000, untilMs: 1_400 },
    ],
  });
});

test("a shell that an agent has left behind is idle, not completed", () => {
  const segments: readonly Segment[] = [{ truth: "shell", fromMs: 0, untilMs: 1_000 }];
  const wrongMs = (status: Shown["status"]) => judge(segments, [{ atMs: 0, status }], 100).wrongMs;
  expect([wrongMs("idle"), wrongMs("completed")]).toEqual([0, 900]);
});

test("nothing shown is wrong", () => {
  expect(judge(SEGMENTS.slice(0, 1), [], 100)).toEqual({
    totalMs: 1_000,
    wrongMs: 900,
    unknownMs: 0,
    falseIdles: 0,
    missedAsks: 0,
    asks: 0,
    faults: [{ truth: "working", afterMs: 100, shown: null, fromMs: 100, untilMs: 1_000 }],
  });
});

test("the two simple rules", () => {
  expect(quietRule([0, 500, 2_400, 9_000])).toEqual([
    { atMs: 0, status: "streaming" },
    { atMs: 4_400, status: "completed" },
    { atMs: 9_000, status: "streaming" },
    { atMs: 11_000, status: "completed" },
  ]);
  expect(
    spinnerRule([
      { atMs: 0, text: "> " },
      { atMs: 1, text: "✻ Pondering… (esc to interrupt)" },
      { atMs: 2, text: "✶ Pondering…" },
      { atMs: 3, text: "Do you want to proceed?" },
    ]),
  ).toEqual([
    { atMs: 0, status: "completed" },
    { atMs: 1, status: "streaming" },
    { atMs: 3, status: "completed" },
  ]);
});
