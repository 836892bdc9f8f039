import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter, type Line } from "./line-splitter.js";

function split(chunks: readonly (string | Buffer)[], lineSizeMaxBytes = 1_000): readonly Line[] {
  const splitter = new LineSplitter(lineSizeMaxBytes);
  const lines = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  return [...lines, ...splitter.end()];
}

const texts = (...lines: string[]): readonly Line[] => lines.map((text) => ({ type: "text", text }));

test("cuts at newlines, keeps blank lines and the last line without one", () => {
  expect(split(["a\n\nb"])).toEqual(texts("a", "", "b"));
  expect(split(["a\n"])).toEqual(texts("a"));
  expect(split([])).toEqual([]);
});

test("takes one carriage return off the end of a line", () => {
  expect(split(["a\r\n\r\nb\rc\r"])).toEqual(texts("a", "", "b\rc"));
});

test("joins what chunks cut, even inside a character", () => {
  const bytes = Buffer.from("grün\nblau\n");
  expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(texts("grün", "blau"));
});

test("says which line is not UTF-8, and goes on", () => {
  expect(split([Buffer.from([0x61, 0x0a, 0xff, 0x0a, 0x62])])).toEqual([
    ...texts("a"),
    { type: "unreadable", why: "not UTF-8" },
    ...texts("b"),
  ]);
});

test("gives up a line of more bytes than allowed, once, and goes on after its newline", () => {
  const tooLong: Line = { type: "unreadable", why: "longer than 4 bytes" };
  expect(split(["abcd\nabcde\nab\n"], 4)).toEqual([...texts("abcd"), tooLong, ...texts("ab")]);
  expect(split(["abc", "de", "fgh", "\nab"], 4)).toEqual([tooLong, ...texts("ab")]);
  expect(split(["abc", "de"], 4)).toEqual([tooLong]);
});

test("gives the same lines however the bytes arrive", () => {
  const line = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ""));
  const run = fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 })), (lines, sizes) => {
    const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
    const chunks: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 3;
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    expect(split(chunks)).toEqual(split([bytes]));
    expect(split(chunks)).toHaveLength(lines.length);
  });
  fc.assert(run);
});
