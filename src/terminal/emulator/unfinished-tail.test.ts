import { expect, test } from "vitest";
import { UnfinishedTail } from "./unfinished-tail.js";

/** The tail after all of these, one chunk after the other. */
function tailOf(...chunks: readonly string[]): string {
  const tail = new UnfinishedTail();
  for (const chunk of chunks) tail.push(Buffer.from(chunk, "latin1"));
  return tail.bytes.toString("latin1");
}

test.each([
  ["text", ""],
  ["a\x1b", "\x1b"],
  ["a\x1b[3", "\x1b[3"],
  ["a\x1b[31m", ""],
  ["a\x1b[31mb\x1b[?2", "\x1b[?2"],
  ["a\x1b(", "\x1b("],
  ["a\x1b(0", ""],
  ["\x1b]0;title", "\x1b]0;title"],
  ["\x1b]0;title\x07", ""],
  ["\x1b]0;t\xc3\xadtle", "\x1b]0;t\xc3\xadtle"],
  ["\x1b]0;title\x1b", "\x1b"],
  ["\x1b]0;title\x1b\\", ""],
  ["\x1bPq\x07", "\x1bPq\x07"],
  ["\x1bPq\x07\x1b\\", ""],
  ["\x1b[3\x18", ""],
  ["\x1b[3\x1b[4", "\x1b[4"],
  ["\x1b[3\n", "\x1b[3\n"],
  ["\xc3", "\xc3"],
  ["\xc3\xa9", ""],
  ["\xe6\x97", "\xe6\x97"],
  ["\xf0\x9f\x98", "\xf0\x9f\x98"],
  ["\xf0\x9f\x98\x80", ""],
  ["\xe6\xe6\x97", "\xe6\x97"],
  ["\xe6a", ""],
  ["\x80\xff", ""],
])("%j ends with %j", (output, expected) => {
  expect(tailOf(output)).toBe(expected);
  expect(tailOf(...Array.from(output))).toBe(expected);
  expect(tailOf("\x1b]8", ";;\x07", output)).toBe(expected);
});

test("a sequence that is too long is left out whole, and what follows it is not", () => {
  const part = "x".repeat(40_000);
  expect(tailOf("\x1b]52;", part)).toBe(`\x1b]52;${part}`);
  expect(tailOf("\x1b]52;", part, part)).toBe("");
  expect(tailOf("\x1b]52;", part, part, "y")).toBe("");
  expect(tailOf("\x1b]52;", part, part, "\x07\x1b[")).toBe("\x1b[");
});
