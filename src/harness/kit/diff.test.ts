import { expect, test } from "vitest";
import { replacedLines, unifiedDiff } from "./diff.js";

const LINES = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
const MISSING = "\\ No newline at end of file";

function changed(...at: readonly string[]): string {
  return LINES.map((line) => (at.includes(line.trim()) ? `new ${line}` : line)).join("");
}

test.each([
  ["nothing changed", "a\n", "a\n", ""],
  ["a new file", null, "a\nb\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"],
  ["an empty file is filled", "", "a", `--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n${MISSING}\n`],
  ["a file is emptied", "a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n"],
  [
    "a line in the middle, with what stands around it",
    LINES.join(""),
    changed("5"),
    "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+new 5\n 6\n 7\n 8\n",
  ],
  [
    "two places, each of its own",
    LINES.join(""),
    changed("1", "20"),
    "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-1\n+new 1\n 2\n 3\n 4\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+new 20\n",
  ],
  ["a line is added at the end", "a\nb\n", "a\nb\nc\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n b\n+c\n"],
  ["a line is repeated", "a\na\n", "a\na\na\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n"],
])("%s", (_name, before, after, diff) => {
  expect(unifiedDiff("f", before, after)).toBe(diff);
});

test("of texts that have too little in common, all of the one goes and all of the other comes", () => {
  const [before, after] = ["a", "b"].map((sign) =>
    Array.from({ length: 600 }, (_, index) => `${sign}${index}\n`).join(""),
  );
  const lines = unifiedDiff("f", before ?? "", after ?? "").split("\n");
  expect(lines.slice(0, 4)).toEqual(["--- f", "+++ f", "@@ -1,600 +1,600 @@", "-a0"]);
  expect(lines.slice(602, 604)).toEqual(["-a599", "+b0"]);
});

test.each([
  ["a", "b", "-a\n+b"],
  ["", "b", "+b"],
  ["a", "", "-a"],
  ["a\nb", "a\nb\nc", " a\n b\n+c"],
  ["x\nb", "a\nx\nb", "+a\n x\n b"],
  ["a\na", "a", " a\n-a"],
  ["same", "same", " same"],
])("a part is replaced: from %j to %j", (before, after, text) => {
  expect(replacedLines(before, after)).toBe(text);
});
