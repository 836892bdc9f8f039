import fc from "fast-check";
import { expect, test } from "vitest";
import { SseParser, type SseBlock } from "./sse-parser.js";

function parseAll(pieces: readonly Uint8Array[]): readonly SseBlock[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

function parse(text: string): readonly SseBlock[] {
  return parseAll([new TextEncoder().encode(text)]);
}

test.each([
  ["an event", "event: a\nid: 7\ndata: x\n\n", [{ event: "a", id: "7", data: "x" }]],
  ["no space after the colon, and two", "data:x\ndata:  y\n\n", [{ event: "", id: null, data: "x\n y" }]],
  ["several lines of data", "data: x\ndata\ndata: y\n\n", [{ event: "", id: null, data: "x\n\ny" }]],
  ["an event without data", "event: reset\n\n", [{ event: "reset", id: null, data: null }]],
  ["an id alone", "id: 12\n\n", [{ event: "", id: "12", data: null }]],
  ["a comment", ": heartbeat\n\n", []],
  ["a comment inside", "data: x\n: y\ndata: z\n\n", [{ event: "", id: null, data: "x\nz" }]],
  ["a field of no meaning", "retry: 5\nfoo: 1\ndata: x\n\n", [{ event: "", id: null, data: "x" }]],
  ["an id with a zero byte", "id: 1\0\ndata: x\n\n", [{ event: "", id: null, data: "x" }]],
  ["a byte order mark", "\uFEFFdata: x\n\n", [{ event: "", id: null, data: "x" }]],
  ["carriage returns", "data: x\r\rdata: y\r\r", ["x", "y"].map((data) => ({ event: "", id: null, data }))],
  ["both", "data: x\r\n\r\ndata: y\r\n\n", ["x", "y"].map((data) => ({ event: "", id: null, data }))],
  ["blank lines in a row", "\n\n\ndata: x\n\n\n\n", [{ event: "", id: null, data: "x" }]],
  ["an event without its end", "data: x\n", []],
])("%s", (_name, text, blocks) => {
  expect(parse(text)).toEqual(blocks);
});

const lineText = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replace(/[\r\n\0]/g, ""));
const block = fc.record({
  event: lineText,
  id: fc.option(lineText),
  data: fc.option(fc.array(lineText, { minLength: 1, maxLength: 4 })),
  ending: fc.constantFrom("\n", "\r", "\r\n"),
  comments: fc.array(lineText, { maxLength: 2 }),
});

test("blocks come out as they went in, however lines end and wherever the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 40 }), (sent, cuts) => {
      const text = sent.map(({ event, id, data, ending, comments }) =>
        [
          ...comments.map((comment) => `:${comment}`),
          ...(event === "" ? [] : [`event: ${event}`]),
          ...(id === null ? [] : [`id: ${id}`]),
          ...(data ?? []).map((line) => `data: ${line}`),
          "",
          "",
        ].join(ending),
      );
      const bytes = new TextEncoder().encode(text.join(""));
      const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
      const expected = sent
        .map(({ event, id, data }) => ({ event, id, data: data === null ? null : data.join("\n") }))
        .filter(({ event, id, data }) => event !== "" || id !== null || data !== null);
      expect(parseAll(pieces)).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

test("a line or a block that is too long is refused, wherever it is cut", () => {
  const encoder = new TextEncoder();
  const line = new SseParser(10);
  expect(line.push(encoder.encode("data: 1234"))).toEqual([]);
  expect(() => line.push(encoder.encode("5"))).toThrow(new RangeError("longer than 10 characters"));
  const data = new SseParser(10);
  expect(() => data.push(encoder.encode("data:12345\ndata:12345\n"))).toThrow(RangeError);
});
