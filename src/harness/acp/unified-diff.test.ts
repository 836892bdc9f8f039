import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.js";

const LINES = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

test.each([
  ["nothing changed", "a\n", "a\n", ""],
  ["a new file", null, "a\nb\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"],
  ["an empty file is filled", "", "a", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"],
  ["a file is emptied", "a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n"],
  [
    "a line in the middle, with what stands around it",
    LINES.join("\n"),
    LINES.map((line) => (line === "5" ? "five" : line)).join("\n"),
    "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  ],
  ["a line is added at the end", "a\nb\n", "a\nb\nc\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n b\n+c\n"],
  ["a line is repeated", "a\na\n", "a\na\na\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n"],
])("%s", (_name, before, after, diff) => {
  expect(unifiedDiff("f", before, after)).toBe(diff);
});
