import { expect, test } from "vitest";
import { sessionSummary } from "../../../test/cli/wire-values.js";
import { NOT_DOING, type Doing } from "../../core/words/doing.js";
import type { AskSummary, SessionSummary } from "../../protocol/session.js";
import { byAttention } from "./attention.js";
import { askPart, topView, type ScreenSize, type TopView } from "./top-view.js";

const ask = (fields: Partial<AskSummary>): AskSummary => ({
  askId: "k1",
  ask: "command",
  title: "rm -rf build",
  detail: "",
  needsHuman: true,
  openedAtMs: 5_000,
  tool: "Bash",
  suggestions: [],
  ...fields,
});

const SESSIONS: readonly SessionSummary[] = [
  sessionSummary({ id: "aaaaaaaa1", status: "streaming", title: "Count" }),
  sessionSummary({
    id: "bbbbbbbb2",
    status: "waiting_approval",
    title: "Tidy up",
    asks: [
      ask({ detail: "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight" }),
      ask({ askId: "k2", openedAtMs: 6_000 }),
    ],
  }),
  sessionSummary({ id: "cccccccc3", status: "stopped", title: "Old" }),
  sessionSummary({
    id: "dddddddd4",
    status: "error",
    title: "Broken \u001b[31mred",
    error: { code: "harness_failed", message: "it fell over", retryable: true, source: "harness" },
  }),
  sessionSummary({
    id: "eeeeeeee5",
    status: "waiting_input",
    title: "Which?",
    asks: [ask({ askId: "k3", ask: "followup", title: "Red or blue?", openedAtMs: 1_000 })],
  }),
];

function viewOf(fields: Partial<TopView>): TopView {
  const all = byAttention(SESSIONS);
  return {
    shown: all,
    all,
    selected: all[1] ?? null,
    filter: "",
    mode: { type: "list" },
    notice: "",
    link: "live",
    seats: new Map(),
    problems: [],
    linesOf: (id, count) => (id === "aaaaaaaa1" ? ["step 1", "step 2"].slice(-count) : []),
    doingOf: () => NOT_DOING,
    askLine: 0,
    isAskSeen: true,
    nowMs: 65_000,
    ...fields,
  };
}

function shown(size: ScreenSize, fields: Partial<TopView> = {}): readonly string[] {
  return topView(viewOf(fields), size).map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );
}

test("who waits for a person comes first, the longest waiting before all", () => {
  expect(byAttention(SESSIONS).map(({ title }) => title.split(" ")[0])).toEqual([
    "Which?",
    "Tidy",
    "Broken",
    "Count",
    "Old",
  ]);
});

test("a screen of eighty columns", () => {
  expect(shown({ cols: 80, rows: 18 })).toEqual([
    "signalbox  2 need you, 1 failed, 1 working, 5 in all",
    " ! eeeeeeee Needs an answer  claude      1m Which?  Red or blue?",
    ">! bbbbbbbb Needs approval   claude      1m Tidy up  rm -rf build",
    "   dddddddd Failed           claude      1m Broken red",
    "   aaaaaaaa Working          claude      1m Count  step 2",
    "   cccccccc Stopped          claude      1m Old",
    "-- bbbbbbbb2 /project-----------------------------------------------------------",
    "Needs approval (and 1 more): rm -rf build",
    "  one",
    "  two",
    "  three",
    "  four",
    "  five",
    "  six",
    "  seven",
    "  eight",
    "",
    "a approve  r reject  m message  n next waiting  / filter  o page  ? help  q quit",
  ]);
});

test("an ask is shown to the last character", () => {
  const asks = [ask({ title: "ls \u001b]; rm -rf ~ #\u0007", detail: "a\u200bb\n\u202ec" })];
  const selected = sessionSummary({ id: "bbbbbbbb2", asks });
  expect(shown({ cols: 80, rows: 18 }, { selected }).slice(7, 10)).toEqual([
    "Needs approval: ls \\u{1b}]; rm -rf ~ #\\u{7}",
    "  a\\u{200b}b",
    "  \\u{202e}c",
  ]);
});

test("a small one shows what matters, and says what it leaves out", () => {
  expect(shown({ cols: 40, rows: 10 }, { isAskSeen: false })).toEqual([
    "2 need you, 1 failed, 1 working, 5 in al",
    " ! Needs an answer  Which?",
    ">! Needs approval   Tidy up",
    "   Failed           Broken red",
    "-- bbbbbbbb2 /project-------------------",
    "Needs approval (and 1 more): rm -rf buil",
    "d",
    "  ... and 8 lines more below",
    "",
    "Space more  r reject  ? help  q quit",
  ]);
});

test.each([
  [4, ["  three", "  four", "  ... and 4 lines more below"]],
  [8, ["  seven", "  eight", "  ... 8 lines above"]],
  [99, ["  seven", "  eight", "  ... 8 lines above"]],
])("from line %d of what is asked", (askLine, lines) => {
  expect(shown({ cols: 40, rows: 10 }, { askLine }).slice(5, 8)).toEqual(lines);
});

test("it names what an approval for the session permits", () => {
  const asks = [ask({ detail: "in x", suggestions: ["Shell(rm -rf build)", "Shell(ls\u200b)"] })];
  const selected = sessionSummary({ id: "bbbbbbbb2", asks });
  const lines = shown({ cols: 80, rows: 18 }, { selected });
  expect(lines.slice(7, 11)).toEqual([
    "Needs approval: rm -rf build",
    "  in x",
    "s, p and A also allow from now on: Shell(rm -rf build)",
    "s, p and A also allow from now on: Shell(ls\\u{200b})",
  ]);
  expect(lines.at(-1)).toBe("a approve  r reject  s session  p project  A always  m message  ? help  q quit");
});

test.each([
  [5, { first: 0, count: 0, total: 2 }],
  [6, { first: 0, count: 1, total: 2 }],
  [7, { first: 0, count: 2, total: 2 }],
])("how much of an ask is on a screen of %d rows", (rows, part) => {
  const selected = sessionSummary({ asks: [ask({ detail: "in x" })] });
  const view = viewOf({ all: [selected], shown: [selected], selected });
  expect(askPart(view, { cols: 40, rows })).toEqual(part);
});

test("what an agent says is broken between its words, and a word only where it must be", () => {
  const words = `Hello! I would like to run a command; you decide.\n${"x".repeat(50)}`;
  const selected = SESSIONS[0] ?? null;
  expect(shown({ cols: 40, rows: 14 }, { selected, linesOf: () => words.split("\n") }).slice(-7, -3)).toEqual(
    ["Hello! I would like to run a command;", "you decide.", "x".repeat(40), "x".repeat(10)],
  );
});

test.each([
  [20, 6],
  [33, 7],
  [60, 12],
  [200, 60],
])("nothing is wider or higher than %d by %d", (cols, rows) => {
  for (const mode of [
    { type: "list" },
    { type: "help" },
    { type: "stop", sessionId: "aaaaaaaa1" },
    { type: "message", text: "x".repeat(300), sessionId: "aaaaaaaa1", question: null, force: false },
  ] as const) {
    const lines = shown({ cols, rows }, { mode, notice: "n".repeat(300), filter: "f".repeat(300) });
    expect(lines.length).toBe(Math.max(rows, 4));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(cols);
  }
});

test("it says to which session a message or a stop goes, whichever is chosen", () => {
  const footer = (mode: TopView["mode"], cols = 80) => shown({ cols, rows: 18 }, { mode }).slice(-2);
  expect(
    footer({ type: "message", text: "yes", sessionId: "aaaaaaaa1", question: null, force: false }),
  ).toEqual(["Message: yes", "To aaaaaaaa Count: Enter sends, Esc goes back"]);
  expect(footer({ type: "stop", sessionId: "aaaaaaaa1" })).toEqual([
    "Stop aaaaaaaa Count?",
    "y stops it, any other key goes back",
  ]);
  expect(footer({ type: "stop", sessionId: "zzzzzzzz9" })[0]).toBe("Stop a session that is gone?");
  expect(
    footer({ type: "message", text: "", sessionId: "aaaaaaaa1", question: null, force: false }, 30)[1],
  ).toBe("To aaaaaaaa Count: Enter send…");
});

test("an error is told in words, with what to do", () => {
  const selected = SESSIONS[3] ?? null;
  expect(shown({ cols: 60, rows: 12 }, { selected }).slice(5, 8)).toEqual([
    "-- dddddddd4 /project---------------------------------------",
    "The agent could not run: it fell over (harness_failed)",
    "Correct what it names, then retry.",
  ]);
});

test("without sessions it says how to get one", () => {
  const none = { all: [], shown: [], selected: null };
  expect(shown({ cols: 60, rows: 8 }, none)).toContain('  signalbox run demo "Show me"');
  expect(shown({ cols: 60, rows: 8 }, { ...none, link: "away" })).toContain("Waiting for the daemon.");
});

const UNKNOWN = {
  ...sessionSummary({ id: "ffffffff6", title: "Strange", certainty: "unknown", unknownSinceMs: 53_000 }),
};
const SHELL = sessionSummary({
  id: "gggggggg7",
  title: "My shell",
  status: "idle",
  addressee: "agent",
  returned: [
    { messageId: "m1", text: "Tidy up" },
    { messageId: "m2", text: "And test" },
  ],
});
const SHOWN = { ...SHELL, ui: { ...SHELL.ui, canCancel: true } };

test("what is not understood is marked beside what was proven last, with the way to the terminal", () => {
  const only = { all: [UNKNOWN], shown: [UNKNOWN], selected: UNKNOWN };
  const lines = shown({ cols: 90, rows: 12 }, only);
  expect(lines.slice(0, 5)).toEqual([
    "signalbox  0 working, 1 in all",
    ">  ffffffff Not known        claude     12s Strange  not understood: look at it",
    `-- ffffffff6 /project${"-".repeat(69)}`,
    "What the terminal shows is not understood. signalbox attach ffffffff6 shows it; f sends a",
    "message anyway.",
  ]);
  expect(lines.at(-1)).toBe("m message  f send anyway  n next waiting  / filter  o page  ? help  q quit");
});

test("once it has been still for long it waits for a person", () => {
  const still = { ...UNKNOWN, ui: { ...UNKNOWN.ui, needsAttention: true } };
  const all = byAttention([...SESSIONS, still]);
  expect(all.slice(0, 3).map(({ id }) => id)).toEqual(["eeeeeeee5", "bbbbbbbb2", "ffffffff6"]);
  const lines = shown({ cols: 60, rows: 12 }, { all, shown: all, selected: still });
  expect(lines[0]).toBe("signalbox  3 need you, 1 failed, 1 working, 6 in all");
});

test("a shell is called one, and what was not delivered is told", () => {
  const lines = shown({ cols: 90, rows: 12 }, { all: [SHOWN], shown: [SHOWN], selected: SHOWN });
  expect(lines.slice(1, 6)).toEqual([
    ">  gggggggg Shell            claude      1m My shell  2 not delivered",
    `-- gggggggg7 /project${"-".repeat(69)}`,
    "A shell without an agent: signalbox attach gggggggg7, or signalbox type gggggggg7 TEXT",
    "2 messages were not delivered: the agent ended before it received them: signalbox show",
    "gggggggg7",
  ]);
  expect(lines.at(-1)).toBe("n next waiting  / filter  o page  ? help  q quit");
});

test("a dialog that no rule knows leads to the terminal", () => {
  const asks = [ask({ ask: "followup", title: "Trust this folder?", detail: "1. Yes", atTerminal: true })];
  const session = sessionSummary({ id: "hhhhhhhh8", status: "waiting_input", asks });
  const lines = shown({ cols: 60, rows: 12 }, { all: [session], shown: [session], selected: session });
  expect(lines.slice(3, 6)).toEqual([
    "Shows: Trust this folder?",
    "answer it there: signalbox attach hhhhhhhh8",
    "  1. Yes",
  ]);
  expect(lines.at(-1)).toBe("n next waiting  / filter  o page  ? help  q quit");
});

test("until the first answer nothing is said about the daemon, or about sessions", () => {
  const none = { all: [], shown: [], selected: null };
  expect(shown({ cols: 60, rows: 8 }, { ...none, link: "connecting" }).slice(0, 3)).toEqual([
    "signalbox  connecting…",
    "",
    "",
  ]);
  expect(shown({ cols: 60, rows: 8 }, { ...none, link: "away" }).slice(0, 2)).toEqual([
    "signalbox  0 working, 0 in all  the daemon is away",
    "Waiting for the daemon.",
  ]);
});

test("a session at work says what it does, and whether nothing keeps it in", () => {
  const wall = { label: "none", network: null, sentence: "No wall: none was wanted." } as const;
  const busy = sessionSummary({ id: "aaaaaaaa1", title: "Count", phase: "calling_llm", wall });
  const at = (selected: SessionSummary, doing: Partial<Doing> = {}) =>
    shown(
      { cols: 90, rows: 12 },
      { all: [selected], shown: [selected], selected, doingOf: () => ({ ...NOT_DOING, ...doing }) },
    );
  expect(at(busy).slice(1, 3)).toEqual([
    ">  aaaaaaaa Working          claude      1m Count  Waiting for the model",
    `-- aaaaaaaa1 /project No wall ${"-".repeat(60)}`,
  ]);
  expect(at(busy, { now: "text" })[1]).toContain("Count  Writing: step 2");
});

test("a full disk is said above all, and the agent that gets messages has a mark", () => {
  const problem = {
    ...{ name: "disk", ok: false, heading: "The disk is nearly full" },
    ...{ detail: "only 3 MiB free", remedy: "Make room." },
  };
  const seats = new Map([
    ["aaaaaaaa1", "connected"],
    ["bbbbbbbb2", "disconnected"],
  ] as const);
  const lines = shown({ cols: 80, rows: 18 }, { problems: [problem], seats });
  expect(lines[1]).toBe("The disk is nearly full: only 3 MiB free. Make room.");
  expect(lines.filter((line) => line.includes("*"))).toEqual([
    "   aaaaaaaa Working         *claude      1m Count  step 2",
  ]);
  expect(lines).toContain(`-- bbbbbbbb2 /project Disconnected ${"-".repeat(45)}`);
  expect(lines).toHaveLength(18);
});
