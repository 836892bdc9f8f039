import { expect, test } from "vitest";
import { changesByPath, fileChanges, shownChanges } from "./items.js";

const add = (path: string, diff: string) => ({ path, kind: { type: "add" }, diff });

test("files that are added, deleted, changed and moved, in one unified diff", () => {
  const changes = [
    add("/proj/new", "a\nb\n"),
    add("/proj/empty", ""),
    { path: "/proj/gone", kind: { type: "delete" }, diff: "bye" },
    { path: "/proj/old", kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n-x\n+y\n" },
    {
      path: "/proj/from",
      kind: { type: "update", move_path: "/other/to" },
      diff: "@@ -1 +1 @@\n-x\n+y\n\n\nMoved to: /other/to",
    },
  ];
  expect(shownChanges(changes, "/proj").split("\n")).toEqual([
    "--- /dev/null",
    "+++ b/new",
    "@@ -0,0 +1,2 @@",
    "+a",
    "+b",
    "--- /dev/null",
    "+++ b/empty",
    "--- a/gone",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-bye",
    "\\ No newline at end of file",
    "--- a/old",
    "+++ b/old",
    "@@ -1 +1 @@",
    "-x",
    "+y",
    "--- a/from",
    "+++ b//other/to",
    "@@ -1 +1 @@",
    "-x",
    "+y",
    "",
  ]);
  expect(fileChanges(changes, "/proj").paths).toEqual([
    "/proj/new",
    "/proj/empty",
    "/proj/gone",
    "/proj/old",
    "/proj/from",
    "/other/to",
  ]);
});

test("a folder is not its neighbour", () => {
  expect(shownChanges([add("/project/a", "x\n")], "/proj")).toContain("+++ b//project/a\n");
});

test("a list that is not whole is none: what it lacks would pass unseen", () => {
  const many = Array.from({ length: 501 }, (_, n) => add(`/proj/${n}`, "x\n"));
  expect(fileChanges(many, "/proj").paths).toBeNull();
  expect(fileChanges(many.slice(1), "/proj").paths).toHaveLength(500);
  expect(fileChanges([add("/proj/a", "x\n"), { kind: {} }], "/proj").paths).toBeNull();
  expect(fileChanges([], "/proj")).toEqual({ paths: null, diff: "" });
  expect(fileChanges("junk", "/proj")).toEqual({ paths: null, diff: "" });
});

test("a long diff says how much of it is missing", () => {
  const { diff } = fileChanges([add("/proj/a", "x".repeat(70_000))], "/proj");
  expect(diff.length).toBeLessThan(60_100);
  expect(diff).toMatch(/\n… \d+ more characters are not shown$/);
});

test("the changes of older versions", () => {
  const older = {
    "/a": { type: "add", content: "x\n" },
    "/b": { type: "update", unified_diff: "@@ -1 +1 @@\n-x\n+y\n", move_path: "/c" },
  };
  expect(changesByPath(older)).toEqual([
    { path: "/a", kind: { type: "add", move_path: null }, diff: "x\n" },
    { path: "/b", kind: { type: "update", move_path: "/c" }, diff: "@@ -1 +1 @@\n-x\n+y\n" },
  ]);
});
