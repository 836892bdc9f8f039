import { expect, test } from "vitest";
import { isCursorReport, withoutReplies } from "./program-replies.js";

test.each([
  ["what kind it is", "\x1b[?1;2c"],
  ["what kind it is, again", "\x1b[>0;276;0c"],
  ["a mode", "\x1b[?2026;2$y"],
  ["that it works", "\x1b[0n"],
  ["its size", "\x1b[8;24;80t"],
  ["how it takes keys", "\x1b[?0u"],
  ["its name", "\x1bP>|xterm.js(6.0.0)\x1b\\"],
  ["a setting", "\x1bP1$r0m\x1b\\"],
  ["its background", "\x1b]11;rgb:0000/0000/0000\x1b\\"],
  ["a colour", "\x1b]4;1;rgb:cdcd/0000/0000\x07"],
])("%s is a reply, and nothing around it is", (_name, reply) => {
  expect(withoutReplies(reply, false)).toBe("");
  expect(withoutReplies(`a${reply}\x1b[A${reply}b`, false)).toBe("a\x1b[Ab");
});

test.each([
  ["arrows and other keys", "\x1b[A\x1bOB\x1b[3~\x1b[1;5C\x1bb\x1b[15~\x1b\x1b"],
  ["a click", "\x1b[<0;10;20M"],
  ["that it has the focus", "\x1b[I"],
  ["a paste", "\x1b[200~[?1;2c\x1b[201~"],
  ["F3 with Ctrl", "\x1b[1;5R"],
])("%s are typed", (_name, keys) => {
  expect(withoutReplies(keys, false)).toBe(keys);
});

test("where the cursor is, is a reply only to a question", () => {
  expect(isCursorReport("\x1b[1;5R")).toBe(true);
  expect(withoutReplies("x\x1b[1;5R", true)).toBe("x");
});
