import { expect, test } from "vitest";
import { suggestionLine } from "./suggestion-line.js";

test("a suggestion, whatever a model calls its danger", () => {
  const plain = { type: "suggestion", command: "ls", description: "", danger: "low" };
  expect(suggestionLine({ command: "ls" })).toEqual(plain);
  expect(suggestionLine({ command: "ls", danger: "huge", confidence: 7, danger_notes: 1 })).toEqual(plain);
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

test("without a command there is nothing to suggest", () => {
  expect([suggestionLine({}), suggestionLine({ command: "" }), suggestionLine("ls")]).toEqual([
    null,
    null,
    null,
  ]);
});
