import { expect, test } from "vitest";
import { suggestedCommand, suggestionLine } from "./suggestion-line.js";

test("a suggestion, whatever a model calls its danger", () => {
  const plain = { type: "suggestion", command: "ls", description: "", danger: "low" };
  expect(suggestionLine({ command: "ls" })).toEqual(plain);
  expect(suggestionLine({ command: "ls", danger: " LOW", confidence: 7, danger_notes: 1 })).toEqual(plain);
  expect(
    suggestionLine({
      command: "rm x",
      description: "Delete",
      danger: "med",
      danger_notes: "gone",
      confidence: "high",
      confidence_notes: "sure",
    }),
  ).toEqual({
    type: "suggestion",
    command: "rm x",
    description: "Delete",
    danger: "medium",
    dangerNotes: "gone",
    confidence: "high",
    confidenceNotes: "sure",
  });
});

test("a danger that nobody knows is a high one, to the machine too, which then wants a second Enter", () => {
  expect(suggestionLine({ command: "ls", danger: "huge" })).toMatchObject({ danger: "high" });
  expect(suggestedCommand({ command: "ls", danger: "Critical", more: 1 })).toEqual({
    command: "ls",
    danger: "high",
    more: 1,
  });
  expect(suggestedCommand({ command: "ls", danger: "High" })).toMatchObject({ danger: "high" });
  expect(suggestedCommand({ danger: "low" })).toBe(null);
});

test("without a command there is nothing to suggest", () => {
  expect([suggestionLine({}), suggestionLine({ command: "" }), suggestionLine("ls")]).toEqual([
    null,
    null,
    null,
  ]);
});
