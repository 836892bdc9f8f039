import fc from "fast-check";
import { expect, test } from "vitest";
import { LineFramer, type FramedLine } from "./line-framer.js";

const LINE_BYTES_MAX = 8;

/** Newlines are common, so that there are lines; some lines are too long, and some are not text. */
const bytes = fc
  .array(fc.oneof(fc.constant(0x0a), fc.integer({ min: 0, max: 255 }), fc.constant(0x61)), { maxLength: 80 })
  .map((values) => Buffer.from(values));

/** What the lines are, by the definition. */
function linesOf(all: Buffer): FramedLine[] {
  const lines: FramedLine[] = [];
  let start = 0;
  for (let end = all.indexOf(0x0a); end >= 0; end = all.indexOf(0x0a, start)) {
    lines.push(lineOf(all.subarray(start, end), end + 1));
    start = end + 1;
  }
  if (start < all.length) lines.push(lineOf(all.subarray(start), all.length));
  return lines;
}

function lineOf(line: Buffer, endOffset: number): FramedLine {
  return { text: line.length > LINE_BYTES_MAX ? null : line.toString("utf8"), endOffset };
}

function cut(all: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    chunks.push(all.subarray(start, start + size));
    start += size;
  }
  return [...chunks, all.subarray(start)];
}

const sizes = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 });

test("the lines and their ends are the same, however the bytes are cut", () => {
  fc.assert(
    fc.property(bytes, sizes, (all, pieces) => {
      const framer = new LineFramer(0, false, LINE_BYTES_MAX);
      const lines = cut(all, pieces).flatMap((chunk) => framer.push(chunk));
      expect(framer.nextOffset).toBe(all.length);
      expect([...lines, ...framer.finish()]).toEqual(linesOf(all));
      expect(framer.finish()).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("after a crash at any byte it goes on from the cursor, also in the middle of a line that is too long", () => {
  fc.assert(
    fc.property(bytes, sizes, fc.nat(80), (all, pieces, crashAt) => {
      const first = new LineFramer(0, false, LINE_BYTES_MAX);
      const before = cut(all.subarray(0, crashAt), pieces).flatMap((chunk) => first.push(chunk));
      const { offset, skipping } = first.skipped;
      const cursor = skipping ? offset : (before.at(-1)?.endOffset ?? 0);
      const second = new LineFramer(cursor, skipping, LINE_BYTES_MAX);
      expect(second.nextOffset).toBe(cursor);
      const after = second.push(all.subarray(second.nextOffset));
      expect([...before, ...after, ...second.finish()]).toEqual(linesOf(all));
    }),
    { numRuns: 2_000 },
  );
});

test("a line of exactly the bound is a line, one byte more is not", () => {
  const framer = new LineFramer(100, false, 4);
  expect(framer.push(Buffer.from("abcd\nabcde\nab"))).toEqual([
    { text: "abcd", endOffset: 105 },
    { text: null, endOffset: 111 },
  ]);
  expect(framer.nextOffset).toBe(113);
  expect(framer.skipped).toEqual({ offset: 111, skipping: false });
});

test("what is skipped is not held", () => {
  const framer = new LineFramer(0, false, 4);
  expect(framer.push(Buffer.from("abc"))).toEqual([]);
  expect(framer.skipped).toEqual({ offset: 0, skipping: false });
  expect(framer.push(Buffer.from("def"))).toEqual([]);
  expect(framer.skipped).toEqual({ offset: 6, skipping: true });
  expect(framer.push(Buffer.from("ghi"))).toEqual([]);
  expect(framer.skipped).toEqual({ offset: 9, skipping: true });
  expect(framer.push(Buffer.from("j\nk\n"))).toEqual([
    { text: null, endOffset: 11 },
    { text: "k", endOffset: 13 },
  ]);
});

test("it keeps no chunk alive", () => {
  const chunk = Buffer.from("abc");
  const framer = new LineFramer(0, false);
  framer.push(chunk);
  chunk.fill("x");
  expect(framer.push(Buffer.from("\n"))).toEqual([{ text: "abc", endOffset: 4 }]);
});
