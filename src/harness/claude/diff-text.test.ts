import { expect, test } from "vitest";
import { diffOfResult, replacementText } from "./diff-text.js";

test("a changed file", () => {
  const hunk = {
    oldStart: 1,
    oldLines: 2,
    newStart: 1,
    newLines: 2,
    lines: ["-hello", "+goodbye", " world"],
  };
  expect(diffOfResult({ filePath: "/a.txt", structuredPatch: [hunk, hunk] })).toBe(
    "--- /a.txt\n+++ /a.txt\n@@ -1,2 +1,2 @@\n-hello\n+goodbye\n world\n@@ -1,2 +1,2 @@\n-hello\n+goodbye\n world",
  );
});

test("a new file", () => {
  const created = { type: "create", filePath: "/a.txt", content: "one\ntwo\n", structuredPatch: [] };
  expect(diffOfResult(created)).toBe("--- /dev/null\n+++ /a.txt\n@@ -0,0 +1,2 @@\n+one\n+two");
});

test("no change", () => {
  expect(diffOfResult({ stdout: "" })).toBeNull();
  expect(diffOfResult({ filePath: "/a.txt", structuredPatch: [] })).toBeNull();
  expect(diffOfResult({ filePath: "/a.txt", structuredPatch: [{ lines: [1] }] })).toBe(
    "--- /a.txt\n+++ /a.txt\n@@ -0,0 +0,0 @@",
  );
});

test.each([
  ["a", "b", "-a\n+b"],
  ["", "b", "+b"],
  ["a", "", "-a"],
  ["a\nb", "a\nb\nc", " a\n b\n+c"],
  ["x\nb", "a\nx\nb", "+a\n x\n b"],
  ["a\na", "a", " a\n-a"],
  ["same", "same", " same"],
])("from %j to %j", (before, after, text) => {
  expect(replacementText(before, after)).toBe(text);
});
