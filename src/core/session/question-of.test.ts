import { expect, test } from "vitest";
import { questionOf } from "./question-of.js";

const host = { askId: "w1", ask: "network" };
const [first, second] = [
  { askId: "q1", ask: "followup" },
  { askId: "q2", ask: "followup" },
];

test("a message answers the oldest question, and never what the wall asks", () => {
  expect(questionOf({ status: "waiting_input", asks: [host, first, second] })).toBe("q1");
  expect(questionOf({ status: "waiting_input", asks: [second, first] })).toBe("q2");
  expect(questionOf({ status: "streaming", asks: [host] })).toBeNull();
  expect(questionOf({ status: "waiting_approval", asks: [first] })).toBeNull();
});
