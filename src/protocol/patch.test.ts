import { expect, test } from "vitest";
import { PatchReader } from "./patch.js";

test("every line of a diff is read, also those that look like heads", () => {
  const reader = new PatchReader();
  const lines = [
    "diff --git a/a.txt b/a.txt",
    "index 1111111..2222222 100644",
    "--- a/a.txt",
    "+++ b/a.txt",
    "@@ -3,3 +3,2 @@ export function a()",
    " same",
    "--- was a line",
    "-diff --git too",
    "+++ is a line",
    "\\ No newline at end of file",
    "@@ -9 +8,0 @@",
    "-gone",
    "diff --git a/b.bin b/b.bin",
    "Binary files a/b.bin and b/b.bin differ",
  ];
  expect(lines.map((line) => reader.read(line))).toEqual([
    { type: "file", text: "diff --git a/a.txt b/a.txt" },
    { type: "head", text: "index 1111111..2222222 100644" },
    { type: "head", text: "--- a/a.txt" },
    { type: "head", text: "+++ b/a.txt" },
    {
      type: "hunk",
      text: "@@ -3,3 +3,2 @@ export function a()",
      where: "3,2",
      within: "export function a()",
    },
    { type: "context", text: "same", oldLine: 3, newLine: 3 },
    { type: "removed", text: "-- was a line", oldLine: 4 },
    { type: "removed", text: "diff --git too", oldLine: 5 },
    { type: "added", text: "++ is a line", newLine: 4 },
    { type: "note", text: "No newline at end of file" },
    { type: "hunk", text: "@@ -9 +8,0 @@", where: "8,0", within: "" },
    { type: "removed", text: "gone", oldLine: 9 },
    { type: "file", text: "diff --git a/b.bin b/b.bin" },
    { type: "head", text: "Binary files a/b.bin and b/b.bin differ" },
  ]);
});
