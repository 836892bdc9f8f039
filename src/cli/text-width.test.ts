import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenLine, columnsOf, leading, padded } from "./text-width.js";

test.each([
  ["abc", 3],
  ["Grüße", 5],
  ["Gru\u0308ße", 5],
  ["日本", 4],
  ["한국어", 6],
  ["ok 👍", 5],
  ["❤\ufe0f", 1],
  ["", 0],
])("%s takes %i columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test("the beginning that fits has no half letters, and keeps the marks of its last one", () => {
  expect([leading("日本語", 4), leading("日本語", 5), leading("u\u0308x", 1), leading("👍", 1)]).toEqual([
    "日本",
    "日本",
    "u\u0308",
    "",
  ]);
  expect(padded("日", 4)).toBe("日  ");
});

test("between words, unless one is longer than a line", () => {
  const broken = (line: string) => brokenLine(line, 10, "words");
  expect(broken("one two three four")).toEqual(["one two", "three four"]);
  expect(broken("  indented by two")).toEqual(["  indented", "by two"]);
  expect(broken("a veryverylongword")).toEqual(["a", "veryverylo", "ngword"]);
  expect(broken("日本語 日本語")).toEqual(["日本語", "日本語"]);
});

test("nothing of a line is lost between letters, and no piece is too wide", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", " ", "日", "👍", "u\u0308", "\u200d") });
  fc.assert(
    fc.property(letters, fc.integer({ min: 2, max: 12 }), (line, columns) => {
      const pieces = brokenLine(line, columns, "letters");
      expect(pieces.join("")).toBe(line);
      expect(pieces.filter((piece) => columnsOf(piece) > columns)).toEqual([]);
      const words = brokenLine(line, columns, "words");
      expect(words.join("").replaceAll(/\s/g, "")).toBe(line.replaceAll(/\s/g, ""));
      expect(words.filter((piece) => columnsOf(piece) > columns)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
