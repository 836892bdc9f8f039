import { expect, test } from "vitest";
import type { FileChangeItem } from "../protocol/changes.js";
import { INSTRUCTIONS, isSameChange, readReview, reviewText } from "./review-text.js";

const OLD = "1111111".padEnd(40, "a");
const NEW = "2222222".padEnd(40, "b");
const LINES = [
  "diff --git a/a.ts b/a.ts",
  "index 1111111..2222222 100644",
  "--- a/a.ts",
  "+++ b/a.ts",
  "@@ -1,3 +1,3 @@",
  " one",
  "-two",
  "+2",
  " three ",
];
const FILE: FileChangeItem = {
  ...{ path: "a.ts", oldPath: null, status: "modified", added: 1, removed: 1 },
  ...{ oldBlob: OLD, newBlob: NEW, isSubmodule: false },
};

function read(after: Readonly<Record<string, readonly string[]>>) {
  const text = [...(after[""] ?? []), ...LINES.flatMap((line) => [line, ...(after[line] ?? [])])].join("\n");
  return readReview(text, LINES, [FILE]);
}

test("without a comment there is none", () => {
  expect(readReview(reviewText(LINES, 2), LINES, [FILE])).toEqual({ text: null, comments: [] });
  expect(reviewText([], 0)).toBe(`${INSTRUCTIONS.join("\n")}\n\n`);
});

test("comments are about the lines above them, on their side", () => {
  const file = { path: "a.ts" };
  expect(
    read({
      "": ["# a note", "> Nearly.", ">"],
      "-two": ["> Why not", ">  keep it?"],
      "+2": [">3 All of these.", "> 4 words here too", ">1 And this one."],
      " three ": [">"],
    }),
  ).toEqual({
    text: "Nearly.",
    comments: [
      { ...file, side: "old", startLine: 2, endLine: 2, blob: OLD, text: "Why not\n keep it?" },
      { ...file, side: "new", startLine: 1, endLine: 2, blob: NEW, text: "All of these.\n4 words here too" },
      { ...file, side: "new", startLine: 2, endLine: 2, blob: NEW, text: "And this one." },
    ],
  });
});

test("a diff that was changed is refused, and so is a comment on no code", () => {
  expect(() => readReview(LINES.join("\n").replace("+2", "+3"), LINES, [FILE])).toThrow("line 8");
  expect(() => readReview(LINES.slice(0, -1).join("\n"), LINES, [FILE])).toThrow("missing");
  expect(() => readReview([...LINES, "more"].join("\n"), LINES, [FILE])).toThrow("line 10");
  expect(() => read({ "@@ -1,3 +1,3 @@": ["> What?"] })).toThrow("line 6: a comment is about lines of code");
  expect(() => read({ " one": [">2 What?"] })).toThrow("line 7");
  // What an editor takes away at the ends of lines is no change.
  expect(readReview(LINES.map((line) => line.trimEnd()).join("\r\n"), LINES, [FILE]).comments).toEqual([]);
});

test("a list that tells of other contents than the diff is noticed", () => {
  expect(isSameChange(LINES, [FILE])).toBe(true);
  expect(isSameChange(LINES, [{ ...FILE, newBlob: OLD }])).toBe(false);
  expect(isSameChange(LINES, [FILE, FILE])).toBe(false);
});
