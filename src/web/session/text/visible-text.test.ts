import { expect, test } from "vitest";
import { diffLines, looksLikeDiff } from "./diff-lines.js";
import { exactText, outputText, proseText } from "./visible-text.js";

test("output is what a terminal would have left, without its colours", () => {
  expect(outputText("\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\nbell\u0007 \u001b]0;title\u0007end")).toBe(
    "red\n100%\nbell␇ end",
  );
  expect(outputText("a\u001b]52;c;c2VjcmV0\u001b\\b\u001bPq#0\u001b\\c\u001b(Bd")).toBe("abcd");
});

test("what is to be run shows every character", () => {
  expect(exactText("rm -rf /\u202e# safe\u200b\u001b[8m\u0000\ttab\n")).toBe(
    "rm -rf /⟨U+202E⟩# safe⟨U+200B⟩␛[8m␀\ttab\n",
  );
});

test("prose may be written from right to left, but not reordered", () => {
  expect(proseText("שלום\u200f \u202eevil\u202c")).toBe("שלום\u200f ⟨U+202E⟩evil⟨U+202C⟩");
});

test("a diff reads without colours", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n--- not a head\n";
  expect(diffLines(diff).map(({ type, sign, text }) => `${type}|${sign}|${text}`)).toEqual([
    "file||--- a/x",
    "file||+++ b/x",
    "hunk||@@ -1,2 +1,2 @@",
    "context| |same",
    "removed|-|old",
    "added|+|new",
    "removed|-|-- not a head",
  ]);
  expect(
    [diff, "/a/b.ts\n-old\n+new", "rm -rf x\n(in /tmp)", "ls -la", "git log --- x"].map(looksLikeDiff),
  ).toEqual([...[true, true, false, false, false]]);
});
