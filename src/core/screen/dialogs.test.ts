import { expect, test } from "vitest";
import { meaningOf } from "./choices.js";
import { byLetter, byNumber, byNumberOrArrows, numberedDialog, plainDialog, promptOf } from "./dialogs.js";
import { fingerprintOf } from "./fingerprint.js";

test.each([
  ["Yes", "approve"],
  ["Yes, proceed (y)", "approve"],
  ["Allow once", "approve"],
  ["Trust folder (proj)", "approve"],
  ["Yes, and don't ask again for `touch` in this directory", "approve_always"],
  ["Allow for this session", "approve_always"],
  ["Always allow run 'touch *' commands in this project", "approve_always"],
  ["Yes, and remember this folder for future sessions", "approve_always"],
  ["Yes, and switch to accept edits for this session (shift+tab)", "approve_always"],
  ["Yes, and switch to auto mode · auto mode handles these prompts for you", "other"],
  ["Modify with external editor", "other"],
  ["Red", "other"],
  ["No", "reject"],
  ["No, suggest changes (esc)", "reject"],
  ["Don't trust", "reject"],
  ["Reject", "reject"],
  ["Not now, but yes later", "other"],
  ["Notify me", "other"],
] as const)("%j means %s", (label, meaning) => {
  expect(meaningOf(label)).toBe(meaning);
});

test("a wrapped option is one option, its description none of it", () => {
  const rows = [
    "Tip: something that changes from time to",
    "time",
    "Do it?",
    "❯ 1. Yes, and never ask me about any of",
    "     this again",
    "  2. No",
    "     as you like",
  ];
  const dialog = numberedDialog(rows, 40);
  expect(dialog && promptOf(dialog, byNumber)).toEqual({
    fingerprint: fingerprintOf(["Do it?", "", "Yes, and never ask me about any of this again", "No"]),
    title: "Do it?",
    detail: "",
    choices: [
      { label: "Yes, and never ask me about any of this again", keys: "1", meaning: "approve_always" },
      { label: "No", keys: "2", meaning: "reject" },
    ],
  });
});

test("numbers in what is asked about are no options", () => {
  const rows = ["1. Yes", "2. No", "$ echo 1. Yes", "Which?", "❯ 1. Red", "  2. Blue"];
  expect(numberedDialog(rows, 80)?.options.map(({ row }) => row)).toEqual([4, 5]);
  expect(numberedDialog(["  2. Blue", "  3. Green"], 80)).toBeNull();
  expect(numberedDialog(["❯ 1. Red"], 80)).toBeNull();
});

test("keys: the letter in brackets, else the number, else arrows from the selected one", () => {
  const options = ["Yes (y)", "No (esc)", "Other"].map((label, at) => {
    return { row: at, number: `${at + 1}`, label, selected: at === 0 };
  });
  expect(options.map((option, at) => byLetter(option, at, options))).toEqual(["y", "\x1b", "3"]);
  const list = plainDialog(["Who?", " ❯ Ann", "   Ben", "", "hint"], 80);
  expect(list && promptOf(list, byNumberOrArrows).choices.map(({ keys }) => keys)).toEqual([
    "\r",
    "\x1b[B\r",
  ]);
  const moved = plainDialog(["Who?", "   Ann", " ❯ Ben"], 80);
  expect(moved && promptOf(moved, byNumberOrArrows).choices.map(({ keys }) => keys)).toEqual([
    "\x1b[A\r",
    "\r",
  ]);
});

test("of more than nine options none has a key: the first digit would choose another one", () => {
  const rows = Array.from({ length: 10 }, (_, at) => `${at === 0 ? "❯" : " "} ${at + 1}. Theme ${at + 1}`);
  const list = numberedDialog(rows, 80);
  expect(list && promptOf(list, byNumber).choices).toEqual([]);
});

test("a fingerprint knows words, not how they are wrapped", () => {
  expect(fingerprintOf(["a b", "c"])).toBe(fingerprintOf(["a\n  b", "c "]));
  expect(fingerprintOf(["ab", "c"])).not.toBe(fingerprintOf(["a", "bc"]));
  expect(fingerprintOf([])).not.toBe(fingerprintOf([""]));
});
