import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Screen } from "../../core/index.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import { ScreenWatch, type Front } from "./screen-watch.js";

const RULER = "─".repeat(80);
const BOX = [RULER, "❯ ", RULER];
const CLAUDE_IDLE = ["✻ Worked for 6s · done 10:34 PM", "", ...BOX, "  ⏸ manual mode on · ? for shortcuts"];
const CLAUDE_WORKING = ["✢ Scurrying…", "", ...BOX, "  ⏸ manual mode on · esc to interrupt"];
const CLAUDE_RETRYING = ["✻ 529 error · Retrying in 5s · attempt 4/10", "", ...BOX, "  esc to interrupt"];
const CLAUDE_ASKING = [
  RULER,
  " Bash command",
  "",
  " touch tui.txt",
  "",
  " Do you want to proceed?",
  " ❯ 1. Yes",
  "   2. No",
  "",
  " Esc to cancel · Tab to amend",
];
const SHELL = ["$ "];

/** A screen that the test draws, and what is told of it. */
class Watched {
  rows: readonly string[] = [];
  isDrawing = false;
  front: Front = { agent: "claude", isSeen: true };
  private readonly told: TerminalObservation[] = [];
  readonly watch = new ScreenWatch({
    terminal: this,
    front: () => this.front,
    observe: (observation) => this.told.push(observation),
    nowMs: () => Date.now(),
  });

  screen(): Screen {
    const cursor = { row: this.rows.length - 1, col: 2, visible: true };
    return { rows: this.rows, cols: 80, cursor, title: "", altScreen: false };
  }

  /** Draws it, and lets some time pass. */
  draw(rows: readonly string[], delayMs: number, printedBytes = 100): readonly string[] {
    this.rows = rows;
    this.watch.changed(printedBytes);
    return this.pass(delayMs);
  }

  /** What is told meanwhile. */
  pass(delayMs: number): readonly string[] {
    vi.advanceTimersByTime(delayMs);
    return this.told.splice(0).map((observation) => {
      if (observation.type !== "screen") return JSON.stringify(observation);
      const { reading, stability, retry } = observation;
      const held = stability === "fresh" ? "" : ` ${stability}`;
      return `${reading.activity}${held}${retry ? ` ${JSON.stringify(retry)}` : ""}`;
    });
  }
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

test("what needs a person is told as soon as it was read twice, and that it waits only after it has held", () => {
  const watched = new Watched();
  expect(watched.draw(CLAUDE_WORKING, 100)).toEqual(["working"]);
  expect(watched.draw(CLAUDE_ASKING, 40)).toEqual([]);
  expect(watched.pass(35)).toEqual(["approval"]);
  expect(watched.draw(CLAUDE_WORKING, 100)).toEqual(["working"]);
  expect(watched.draw(CLAUDE_IDLE, 250)).toEqual([]);
  // It was between two things.
  expect(watched.draw(CLAUDE_WORKING, 100)).toEqual([]);
  expect(watched.draw(CLAUDE_IDLE, 330)).toEqual([]);
  expect(watched.pass(20)).toEqual(["idle"]);
});

test("what stays is told once more, and then nothing is, and no timer runs", () => {
  const watched = new Watched();
  expect(watched.draw(CLAUDE_IDLE, 3_100)).toEqual(["idle", "idle steady"]);
  expect(vi.getTimerCount()).toBe(0);
  expect(watched.draw([...CLAUDE_IDLE, ""], 10_000)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("the spinner's next picture is no news", () => {
  const watched = new Watched();
  expect(watched.draw(CLAUDE_WORKING, 100)).toEqual(["working"]);
  for (const glyph of ["✳", "✶", "✻"]) {
    expect(watched.draw([`${glyph} Scurrying…`, ...CLAUDE_WORKING.slice(1)], 100)).toEqual([]);
  }
});

test("what no rule knows changes nothing, until nothing has moved for long", () => {
  const watched = new Watched();
  expect(watched.draw(CLAUDE_WORKING, 100)).toEqual(["working"]);
  expect(watched.draw(["?"], 1_000)).toEqual([]);
  expect(watched.draw(["??"], 2_900)).toEqual([]);
  expect(watched.pass(200)).toEqual(["unknown steady"]);
});

test("a program that says that it is drawing is waited for, but not for ever", () => {
  const watched = new Watched();
  watched.isDrawing = true;
  expect(watched.draw(CLAUDE_ASKING, 400)).toEqual([]);
  expect(watched.pass(100)).toEqual(["approval"]);
});

test("a dialog that is drawn in pieces is told once, whole", () => {
  const watched = new Watched();
  const half = CLAUDE_ASKING.with(3, " touch");
  expect(watched.draw(half, 50)).toEqual([]);
  // Whoever types looks in between.
  watched.watch.look();
  expect(watched.draw(CLAUDE_ASKING, 30)).toEqual([]);
  expect(watched.pass(50)).toEqual(["approval"]);
  expect(watched.pass(10_000)).toEqual(["approval steady"]);
});

test("a prompt that is never twice the same is told nevertheless", () => {
  const watched = new Watched();
  const told = Array.from({ length: 12 }, (_, at) =>
    watched.draw(CLAUDE_ASKING.with(3, ` touch ${at}`), 50),
  ).flat();
  expect(told[0]).toBe("approval");
});

test("what no rule knows is told when it is steady, once more when it is still, and moving on and on", () => {
  const watched = new Watched();
  expect(watched.draw(["?"], 3_100)).toEqual(["unknown steady"]);
  // Drawn again, and nothing of it is another.
  expect(watched.draw(["?"], 16_000)).toEqual([]);
  expect(watched.pass(1_000)).toEqual(["unknown still"]);
  expect(vi.getTimerCount()).toBe(0);
  const moving = new Watched();
  const told = Array.from({ length: 150 }, (_, at) => moving.draw([`? ${at}`], 100)).flat();
  expect(told).toEqual(["unknown steady"]);
});

test("output without end is read now and then", () => {
  const watched = new Watched();
  const look = vi.spyOn(watched, "screen");
  for (let at = 0; at < 1_000; at += 1) watched.draw(CLAUDE_WORKING, 1, 1_000);
  expect(look.mock.calls.length).toBe(10);
  look.mockClear();
  for (let at = 0; at < 1_000; at += 1) watched.draw(CLAUDE_WORKING, 1, 10);
  expect(look.mock.calls.length).toBe(17);
});

test("what was told is told anew when asked for", () => {
  const watched = new Watched();
  watched.draw(CLAUDE_ASKING, 5_000);
  watched.watch.retell();
  expect(watched.pass(50)).toEqual(["approval"]);
});

test("a retry is told with its time, and each next one", () => {
  const watched = new Watched();
  expect(watched.draw(CLAUDE_RETRYING, 100)).toEqual(['working {"attempt":4,"atMs":5040}']);
  const next = ["✻ 529 error · Retrying in 9s · attempt 5/10", ...CLAUDE_RETRYING.slice(1)];
  expect(watched.draw(next, 100)).toEqual(['working {"attempt":5,"atMs":9140}']);
});

test("a shell's newest mark is told with the next reading", () => {
  const watched = new Watched();
  watched.front = { agent: null, isSeen: true };
  watched.watch.marked({ mark: "prompt", exitCode: null });
  watched.watch.marked({ mark: "input", exitCode: null });
  expect(watched.draw(SHELL, 600)).toEqual(['{"type":"mark","mark":"input","exitCode":null}', "shell"]);
});

test("where processes cannot be seen, the end of an agent is read from the screen", () => {
  const watched = new Watched();
  watched.front = { agent: "claude", isSeen: false };
  const goodbye = ["claude --resume 23915721-dbc0-43f8-aecc-338794eb37cc", ...SHELL];
  expect(watched.draw(goodbye, 1_000)).toEqual(['{"type":"left","evidence":"goodbye"}', "shell"]);
  const marked = new Watched();
  marked.front = { agent: "claude", isSeen: false };
  marked.watch.marked({ mark: "input", exitCode: null });
  expect(marked.draw(SHELL, 4_000)).toContain('{"type":"left","evidence":"shell_integration"}');
  const seen = new Watched();
  expect(seen.draw(goodbye, 4_000)).not.toContain('{"type":"left","evidence":"goodbye"}');
});
