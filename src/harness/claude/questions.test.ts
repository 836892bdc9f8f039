import { expect, test } from "vitest";
import { answersFrom, type Question, questionsIn, questionWords } from "./questions.js";

const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [{ label: "Red", description: "warm" }, { label: "Blue" }, { label: "2" }],
};
const SIZES = {
  question: "What sizes?",
  header: "Sizes",
  multiSelect: true,
  options: [{ label: "Small" }, { label: "Large" }],
};

function read(...questions: readonly object[]): readonly Question[] {
  return questionsIn({ questions: questions.map((question) => ({ ...question })) });
}

test("what is not a question is left out", () => {
  expect(
    questionsIn({ questions: [null, 1, { header: "x" }, { question: "Yes?", options: [{}, "x"] }] }),
  ).toEqual([{ question: "Yes?", header: null, isMultiple: false, options: [] }]);
  expect(questionsIn(null)).toEqual([]);
});

test("one question with its choices", () => {
  expect(questionWords(read(COLOUR))).toEqual({
    title: "Which colour?",
    detail: "  1) Red — warm\n  2) Blue\n  3) 2\nChoose one, by number or name, or answer in your own words.",
  });
});

test("several questions", () => {
  expect(questionWords(read({ question: "Why?" }, SIZES))).toEqual({
    title: "2 questions: Why?, Sizes",
    detail:
      "1. Why?\nAnswer in your own words.\n\n2. What sizes?\n  1) Small\n  2) Large\n" +
      "Choose one or several, separated by commas, by number or name, or answer in your own words.\n\n" +
      "Answer all 2: one line each.",
  });
  expect(questionWords([])).toEqual({ title: "Claude asks something", detail: "" });
});

test.each([
  ["1", "Red"],
  [" 1. ", "Red"],
  ["#1", "Red"],
  ["1)", "Red"],
  ["blue", "Blue"],
  ["Colour: blue", "Blue"],
  ["which colour?: blue", "Blue"],
  // Its name, before its place.
  ["2", "2"],
  ["4", "4"],
  ["0", "0"],
  ["something else: green", "something else: green"],
])("the reply %j means %j", (reply, answer) => {
  expect(answersFrom(read(COLOUR), reply)).toEqual({ "Which colour?": answer });
});

test.each([
  ["1, 2", "Small, Large"],
  ["large", "Large"],
  ["2\n1", "Large, Small"],
  ["small, and a tiny one", "Small, and a tiny one"],
])("of several choices, the reply %j means %j", (reply, answer) => {
  expect(answersFrom(read(SIZES), reply)).toEqual({ "What sizes?": answer });
});

test.each([
  ["1\n1, 2", "Red", "Small, Large"],
  ["1; 2", "Red", "Large"],
  ["1, 2", "Red", "Large"],
  ["Colour: blue\nSizes: small", "Blue", "Small"],
  ["1: blue\n2: 2", "Blue", "Large"],
  ["as you like", "as you like", "as you like"],
])("of several questions, the reply %j means %j and %j", (reply, colour, sizes) => {
  expect(answersFrom(read(COLOUR, SIZES), reply)).toEqual({ "Which colour?": colour, "What sizes?": sizes });
});

test("a question may have any name", () => {
  const answers = answersFrom(read({ question: "__proto__" }), "yes");
  expect(Object.entries(answers)).toEqual([["__proto__", "yes"]]);
});
