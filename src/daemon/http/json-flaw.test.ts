import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonFlawPosition } from "./json-flaw.js";

test.each([
  ["", 0],
  ["  ", 2],
  ["[1,]", 3],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ["{x", 1],
  ['"abc', 4],
  ['"\\x"', 2],
  ['"\\u12g4"', 5],
  ['"a\nb"', 2],
  ["trux", 3],
  ["-", 1],
  ["1.", 2],
  ["1e+", 3],
  ["01", 1],
  ["[[[]]", 5],
  ["[}", 1],
  ["{}}", 2],
  ["constructor", 0],
])("%j breaks at %i", (text, position) => {
  expect(jsonFlawPosition(text)).toBe(position);
});

test("nesting as deep as the text is long", () => {
  expect(jsonFlawPosition("[".repeat(500_000))).toBe(500_000);
});

test("agrees with JSON.parse wherever that says a position, and whole texts have no flaw", () => {
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", "}", "]", ",", '"', "x", "\\", "1", "-", ":", "{", "\u0001"),
    )
    .map(([json, at, char]) => {
      const index = at % (json.length + 1);
      return json.slice(0, index) + char + json.slice(index + (at % 2));
    });
  let compared = 0;
  fc.assert(
    fc.property(broken, (text) => {
      const message = parseError(text);
      if (message === null) {
        expect(jsonFlawPosition(text)).toBe(text.length);
        return;
      }
      const said = /at position (\d+)/.exec(message)?.[1];
      if (said === undefined) return;
      compared += 1;
      expect(jsonFlawPosition(text)).toBe(Number(said));
    }),
    { numRuns: 2_000 },
  );
  expect(compared).toBeGreaterThan(200);
});

function parseError(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : null;
  }
}
