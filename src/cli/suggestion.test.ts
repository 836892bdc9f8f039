import { expect, test } from "vitest";
import { artifactItem, metadataItem } from "../../test/cli/wire-values.js";
import { isShownWhole, suggestionIn, suggestionText, type Suggestion } from "./suggestion.js";

const WHOLE: Suggestion = {
  command: "rm x\nls",
  description: "Delete\u001b[2K it",
  danger: "high",
  dangerNotes: "gone",
  confidence: "low",
  confidenceNotes: "a\nguess",
};

test("is read field by field, and what is not known to be harmless is not called so", () => {
  expect(suggestionIn(artifactItem({ suggestion: { ...WHOLE } }))).toEqual(WHOLE);
  expect(
    suggestionIn(artifactItem({ suggestion: { command: "ls", danger: "tiny", confidence: 1 } })),
  ).toEqual({
    command: "ls",
    description: "",
    danger: "high",
    dangerNotes: "",
    confidence: null,
    confidenceNotes: "",
  });
  for (const item of [
    artifactItem({}),
    artifactItem({ suggestion: "ls" }),
    artifactItem({ suggestion: { command: " " } }),
    metadataItem({ suggestion: { ...WHOLE } }),
  ])
    expect(suggestionIn(item)).toBeNull();
});

test("is shown with all that is to be known of it, and steers no terminal", () => {
  const plain = (_colour: string, text: string): string => text;
  expect(suggestionText(WHOLE, plain)).toBe(
    "$ rm x\n  ls\n  Delete it\n  danger high: gone\n  confidence low: a guess\n",
  );
  expect(
    suggestionText({ ...WHOLE, command: "ls", description: "", dangerNotes: "", confidence: null }, plain),
  ).toBe("$ ls\n  danger high\n");
});

test("one with hidden characters is not what is seen", () => {
  const isWhole = (command: string): boolean => isShownWhole({ ...WHOLE, command });
  expect(["ls -la\n", "echo\ta", "echo ü"].map(isWhole)).toEqual([true, true, true]);
  const hiding = ["ls\rrm x", "ls \u001b[8mrm", "ls \u202ex", "ls\u0000", "ls\u200b", "l\u2060s"];
  expect(hiding.filter(isWhole)).toEqual([]);
  expect(suggestionText({ ...WHOLE, command: "ls \u001b]; rm x\u0007" }, (_colour, text) => text)).toMatch(
    /^\$ ls \\u\{1b\}\]; rm x\\u\{7\}\n/,
  );
});
