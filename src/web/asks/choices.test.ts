import { expect, test } from "vitest";
import { choicesIn } from "./choices.js";

test("a plain list of choices", () => {
  expect(choicesIn("Which?", "1. green\n2. red")).toEqual({
    text: "",
    items: [
      { label: "green", reply: "green" },
      { label: "red", reply: "red" },
    ],
    isMultiple: false,
  });
});

test("choices with descriptions are chosen by number, unless a number is a choice", () => {
  const detail =
    "  1) Red — warm\n  2) 3\n  3) Blue: calm\nChoose one or several, separated by commas, by number or name, or answer in your own words.";
  expect(choicesIn("Which?", detail)).toEqual({
    text: "",
    items: [
      { label: "Red — warm", reply: "1" },
      { label: "3", reply: "3" },
      { label: "Blue: calm", reply: "Blue: calm" },
    ],
    isMultiple: true,
  });
});

test("several questions at once are no list of choices", () => {
  const detail = "1. Size?\n  1) Small\n  2) Large\n\n2. Colour?\n  1) Red";
  expect(choicesIn("2 questions", detail)).toEqual({ text: detail, items: [], isMultiple: false });
  expect(choicesIn("Why?", "Why?")).toEqual({ text: "", items: [], isMultiple: false });
});
