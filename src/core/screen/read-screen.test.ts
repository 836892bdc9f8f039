import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SCREEN_AGENTS } from "./agent-programs.js";
import { sawGoodbye } from "./goodbye.js";
import { readScreen } from "./read-screen.js";
import { ACTIVITIES } from "./reading.js";
import type { Screen } from "./screen.js";

const AGENTS = [...SCREEN_AGENTS, "stranger", null];

function screenOf(rows: readonly string[], cols = 80): Screen {
  const row = Math.max(
    0,
    rows.findLastIndex((text) => text !== ""),
  );
  return { rows, cols, cursor: { row, col: 0, visible: true }, title: "", altScreen: false };
}

test("a blank screen is unknown", () => {
  for (const agent of AGENTS) {
    for (const rows of [[], [""], ["", "   ", "\u00a0"]]) {
      expect(readScreen(agent, screenOf(rows))).toEqual({
        activity: "unknown",
        basis: "rule",
        confidence: 0,
        evidence: ["the screen is blank"],
        prompt: null,
        input: null,
      });
    }
  }
});

test("an agent without rules is unknown, whatever its name", () => {
  for (const agent of ["stranger", "", "toString", "__proto__"]) {
    expect(readScreen(agent, screenOf(["hello"]))).toEqual({
      activity: "unknown",
      basis: "rule",
      confidence: 0,
      evidence: [`no rules for ${agent}`],
      prompt: null,
      input: null,
    });
  }
});

test("a dialog is read with its choices, and the keys that the dialog itself offers", () => {
  const rows = [
    "• Running touch a.txt",
    "",
    "",
    "  Would you like to run the following command?",
    "",
    "  $ touch a.txt",
    "",
    "› 1. Yes, proceed (y)",
    "  2. Yes, and don't ask again for commands that start with `touch a.txt` (p)",
    "  3. No, and tell Codex what to do differently (esc)",
    "",
    "  Press enter to confirm or esc to cancel",
  ];
  expect(readScreen("codex", screenOf(rows))).toEqual({
    activity: "approval",
    basis: "rule",
    confidence: 0.9375,
    evidence: [
      "approval dialog (dialog)",
      "Press enter to confirm or esc to cancel",
      "› 1. Yes, proceed (y)",
      "Would you like to run the following command?",
    ],
    prompt: {
      fingerprint: expect.stringMatching(/^[\da-f]{16}$/) as string,
      title: "Would you like to run the following command?",
      detail: "$ touch a.txt",
      choices: [
        { label: "Yes, proceed (y)", keys: "y", meaning: "approve" },
        {
          label: "Yes, and don't ask again for commands that start with `touch a.txt` (p)",
          keys: "p",
          meaning: "approve_always",
        },
        { label: "No, and tell Codex what to do differently (esc)", keys: "\x1b", meaning: "reject" },
      ],
    },
    input: null,
  });
});

test("Qwen's first list, without numbers, is a question with arrows for keys", () => {
  const line = (text: string) => `  │ ${text.padEnd(68)} │`;
  const rows = [
    `  ┌${"─".repeat(70)}┐`,
    line(""),
    line("Select Authentication Method"),
    line(""),
    line("› Alibaba ModelStudio"),
    line("  Official recommended setup"),
    line(""),
    line("  OAuth"),
    line("  Open a browser, sign in, and let the CLI finish provider setup"),
    line(""),
    line("─".repeat(50)),
    line(""),
    line("Terms of Services and Privacy Notice:"),
    `  └${"─".repeat(70)}┘`,
  ];
  const { activity, prompt } = readScreen("qwen", screenOf(rows));
  expect([activity, prompt?.title, prompt?.choices]).toEqual([
    "question",
    "Select Authentication Method",
    [
      { label: "Alibaba ModelStudio", keys: "\r", meaning: "other" },
      { label: "OAuth", keys: "\x1b[B\r", meaning: "other" },
    ],
  ]);
});

test("Codex that starts shows an input box, and is not idle before its status line", () => {
  const starting = ["  >_ OpenAI Codex (v0.166.0)", "     ~/proj", "", "› Ask Codex to do anything", ""];
  expect(readScreen("codex", screenOf([...starting, "  ? for shortcuts"])).activity).toBe("unknown");
  const ready = [...starting, "  model default · ~/proj", "  ? for shortcuts"];
  expect(readScreen("codex", screenOf(ready)).activity).toBe("idle");
});

test.each([
  [
    "in a box",
    [
      "● Bash(rm -rf build)",
      "╭──────────────────────────────────────────────────────────────────────╮",
      "│ Bash command                                                         │",
      "│                                                                      │",
      "│   rm -rf build                                                       │",
      "│                                                                      │",
      "│ Do you want to proceed?                                              │",
      "│ ❯ 1. Yes                                                             │",
      "│   2. Yes, and don't ask again for rm commands in build               │",
      "│   3. No, and tell Claude what to do differently (esc)                │",
      "╰──────────────────────────────────────────────────────────────────────╯",
    ],
  ],
  [
    "without a hint",
    [
      "Do you want to proceed?",
      "❯ 1. Yes",
      "  2. Yes, and don't ask again for rm commands in build",
      "  3. No, and tell Claude what to do differently (esc)",
    ],
  ],
])("a dialog of another version of Claude is read: %s", (_, rows) => {
  const { activity, prompt } = readScreen("claude", screenOf(rows));
  expect([activity, prompt?.choices]).toEqual([
    "approval",
    [
      { label: "Yes", keys: "1", meaning: "approve" },
      { label: "Yes, and don't ask again for rm commands in build", keys: "2", meaning: "approve_always" },
      { label: "No, and tell Claude what to do differently (esc)", keys: "3", meaning: "reject" },
    ],
  ]);
  const ruler = "─".repeat(80);
  const printed = [...rows, "", ruler, "❯ ", ruler, "  ⏸ manual mode on · ? for shortcuts"];
  expect(readScreen("claude", screenOf(printed)).activity).toBe("idle");
});

describe("any screen", () => {
  /** Pieces of real screens, so that chance comes close to what the rules look for. */
  const PIECES = [
    ...[
      "❯ ",
      "❯ 1. Yes",
      "  2. No",
      "› 1. Yes, proceed (y)",
      "● 1. Allow once",
      "> ",
      " > typed",
      "›",
      "! ls",
    ],
    ...[
      "─".repeat(40),
      "▔".repeat(40),
      "╭" + "─".repeat(38) + "╮",
      "╰" + "─".repeat(38) + "╯",
      "│ ❯ 1. Yes   │",
    ],
    ...[
      "  ┃",
      "  ┃  △ Permission required",
      "  ┃   Allow once   Allow always   Reject",
      "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
    ],
    ...[
      " Esc to cancel · Tab to amend",
      "Enter to confirm · Esc to cancel",
      "  Press enter to confirm or esc to cancel",
    ],
    ...[
      "✻ Thinking… (3s · esc to interrupt)",
      "• Working (2s • esc to interrupt)",
      " ⠙ Thinking... (esc to cancel, 1s)",
    ],
    ...["  ? for shortcuts", "  ⏸ manual mode on", "ctrl+p commands", " ○ Working · 1 B esc esc interrupt"],
    ...[
      "dev@box:~/proj$ ",
      "$ ",
      "  Worked for 2s • 07:24",
      "✻ Worked for 2s · done",
      "  m · ~/proj",
      "",
      "  text",
    ],
  ];
  const row = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...PIECES), fc.nat(30)).map(([piece, end]) => piece.slice(0, end)),
    },
  );
  const spans = fc.array(fc.record({ row: fc.nat(60), start: fc.nat(60), end: fc.nat(80) }), {
    maxLength: 5,
  });
  const anyScreen: fc.Arbitrary<Screen> = fc.record({
    rows: fc.array(row, { maxLength: 60 }),
    cols: fc.integer({ min: 1, max: 200 }),
    cursor: fc.record({ row: fc.integer({ min: -1, max: 80 }), col: fc.nat(200), visible: fc.boolean() }),
    title: fc.oneof(fc.string(), fc.constantFrom("✳ Claude Code", "◐ Claude Code", "⠧ proj", "◇  Ready (x)")),
    altScreen: fc.boolean(),
    highlights: spans,
    faint: spans,
  });

  test("is read without an error, the same each time, and says why", () => {
    fc.assert(
      fc.property(anyScreen, fc.constantFrom(...AGENTS), (screen, agent) => {
        const before = JSON.stringify(screen);
        const reading = readScreen(agent, screen);
        expect(ACTIVITIES).toContain(reading.activity);
        expect(reading.evidence.length).toBeGreaterThan(0);
        expect(reading.confidence === 0).toBe(reading.activity === "unknown");
        expect(reading.confidence).toBeLessThan(1);
        expect(reading.prompt !== null).toBe(
          reading.activity === "approval" || reading.activity === "question",
        );
        for (const { keys, label } of reading.prompt?.choices ?? [])
          expect([label, keys.length > 0]).toEqual([label, true]);
        if (agent === null) expect(["shell", "unknown"]).toContain(reading.activity);
        expect(readScreen(agent, screen)).toEqual(reading);
        expect(JSON.stringify(screen)).toBe(before);
        sawGoodbye(agent ?? "claude", screen);
      }),
      { numRuns: 2_000 },
    );
  });

  test("of any size is read in little time", () => {
    // One row of a pattern's worst kind over and over would take minutes if a pattern could look back.
    const long = ["─ │ ┃ · ❯ 1. ".repeat(5_000), " ".repeat(50_000), "a@".repeat(30_000), "(".repeat(50_000)];
    const rows = Array.from({ length: 2_000 }, (_, at) => long[at % long.length] ?? "");
    for (const agent of AGENTS)
      expect(ACTIVITIES).toContain(readScreen(agent, screenOf(rows, 60_000)).activity);
  });
});
