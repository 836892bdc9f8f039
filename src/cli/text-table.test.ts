import { expect, test } from "vitest";
import { textTable } from "./text-table.js";

const plain = (_colour: string, text: string) => text;
const marked = (colour: string, text: string) => `<${colour} ${text}>`;

test("columns are as wide as their widest cell, and the last one has no end", () => {
  const rows = [
    ["s1", "streaming", "one"],
    ["s22", "error", "two\nlines\u001b[1m"],
  ];
  expect(textTable(["ID", "STATUS", "TITLE"], rows, { paint: plain })).toEqual([
    "ID   STATUS     TITLE",
    "s1   streaming  one",
    "s22  error      two lines",
  ]);
});

test("colours go around padded cells, and a line is cut to the width", () => {
  const rows = [["s1", { text: "error", colour: "red" as const }, "a long title"]];
  expect(textTable(["ID", "STATUS", "TITLE"], rows, { paint: marked, widthMax: 16 })).toEqual([
    "<dim ID>  <dim STATUS>  <dim TIT…>",
    "s1  <red error >  a l…",
  ]);
});

test("without rows there is only the header", () => {
  expect(textTable(["ID"], [], { paint: plain })).toEqual(["ID"]);
});

test.each([1, 3, 9, 14, 20, 40])("no line is wider than %d columns", (widthMax) => {
  const lines = textTable(["ID", "STATUS", "TITLE"], [["abcdefgh", "streaming", "A long title"]], {
    paint: (_colour, text) => text,
    widthMax,
  });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(widthMax);
});
