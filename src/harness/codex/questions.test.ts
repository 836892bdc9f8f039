import { describe, expect, test } from "vitest";
import type { Question } from "./codex-state.js";
import { agentQuestions, answerTo, formQuestions } from "./questions.js";

describe("what is shown", () => {
  test("of the agent's questions", () => {
    const options = [
      { label: "Red (Recommended)", description: "warm" },
      { label: "Blue", description: "" },
    ];
    const asked = { id: "c", header: "Colour", question: "Which?", options, isSecret: false };
    expect(agentQuestions([asked, { question: "Your key?", isSecret: true, options: null }])).toEqual([
      {
        question: { id: "c", options: ["Red (Recommended)", "Blue"], type: "text" },
        title: "Colour",
        detail: "Which?\n1. Red (Recommended): warm\n2. Blue",
      },
      {
        question: { id: "1", options: [], type: "text" },
        title: "Your key?",
        detail: "Your key?\nThe answer is secret; it is kept in the journal.",
      },
    ]);
  });

  test("of a form: what is required, or else everything", () => {
    const properties = {
      city: { type: "string", title: "City", description: "where you live" },
      fast: { type: "boolean" },
    };
    const city = {
      question: { id: "city", options: [], type: "text" },
      title: "City",
      detail: "s: Tell\nCity: where you live",
    };
    const fast = {
      question: { id: "fast", options: ["yes", "no"], type: "boolean" },
      title: "fast",
      detail: "s: Tell\nfast",
    };
    expect(formQuestions("s: Tell", { properties, required: ["city"] })).toEqual([city]);
    expect(formQuestions("s: Tell", { properties })).toEqual([city, fast]);
    expect(formQuestions("s: Tell", { properties: {} })).toEqual([]);
    expect(formQuestions("s: Tell", "junk")).toEqual([]);
  });

  test("never more than can be answered", () => {
    expect(agentQuestions(Array.from({ length: 100 }, () => ({})))).toHaveLength(16);
    expect(agentQuestions({ not: "a list" })).toEqual([]);
  });
});

const COLOUR: Question = { id: "c", options: ["Red (Recommended)", "Blue", "3"], type: "text" };

test.each([
  ["1", "Red (Recommended)"],
  [" 2 ", "Blue"],
  ["red", "Red (Recommended)"],
  ["BLUE", "Blue"],
  ["3", "3"],
  ["0", "0"],
  ["9", "9"],
  ["rather green", "rather green"],
  ["  two\nlines ", "  two\nlines "],
])("%j means %j", (reply, answer) => {
  expect(answerTo(COLOUR, reply)).toBe(answer);
});

test.each([
  ["number", "12.5", 12.5],
  ["number", " -3 ", -3],
  ["number", "many", "many"],
  ["number", "", ""],
  ["boolean", "yes", true],
  ["boolean", "1", true],
  ["boolean", "2", false],
  ["boolean", "TRUE", true],
  ["boolean", "no", false],
  ["boolean", "perhaps", false],
] as const)("a %s field: %j means %j", (type, reply, answer) => {
  const options = type === "boolean" ? ["yes", "no"] : [];
  expect(answerTo({ id: "x", options, type }, reply)).toBe(answer);
});
