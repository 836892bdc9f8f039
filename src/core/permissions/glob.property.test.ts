/** The matchers against the plainest ones that can be written, over few letters, so that much matches. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { globsMeet, matchesPathGlob, parsePathGlob } from "./path-glob.js";
import { matchesTextGlob, parseTextGlob } from "./text-glob.js";

function naiveText(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern.startsWith("*"))
    return naiveText(pattern.slice(1), text) || (text !== "" && naiveText(pattern, text.slice(1)));
  return text !== "" && text.startsWith(pattern.slice(0, 1)) && naiveText(pattern.slice(1), text.slice(1));
}

function naiveName(pattern: string, name: string): boolean {
  if (pattern === "") return name === "";
  const [sign = ""] = pattern;
  const rest = pattern.slice(1);
  if (sign === "*") return naiveName(rest, name) || (name !== "" && naiveName(pattern, name.slice(1)));
  return name !== "" && (sign === "?" || sign === name[0]) && naiveName(rest, name.slice(1));
}

function naivePath(pattern: readonly string[], names: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return names.length === 0;
  if (first === "**")
    return naivePath(rest, names) || (names.length > 0 && naivePath(pattern, names.slice(1)));
  const [name, ...more] = names;
  return name !== undefined && naiveName(first, name) && naivePath(rest, more);
}

const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 });
const names = fc.array(name, { maxLength: 4 });
const segment = fc.oneof(
  fc.constant("**"),
  fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 4 }),
);
const segments = fc.array(segment, { minLength: 1, maxLength: 4 });

test("patterns over texts", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 7 });
  fc.assert(
    fc.property(pattern, text, (glob, value) => {
      expect(matchesTextGlob(parseTextGlob(glob), value)).toBe(naiveText(glob, value));
    }),
    { numRuns: 5_000 },
  );
});

test("patterns over paths", () => {
  fc.assert(
    fc.property(segments, names, (glob, path) => {
      expect(matchesPathGlob(parsePathGlob(glob.join("/")), path)).toBe(naivePath(glob, path));
    }),
    { numRuns: 5_000 },
  );
});

test("what fits two patterns makes them meet", () => {
  let count = 0;
  fc.assert(
    fc.property(segments, segments, names, (one, other, path) => {
      if (!naivePath(one, path) || !naivePath(other, path)) return;
      count += 1;
      expect(globsMeet(parsePathGlob(one.join("/")), parsePathGlob(other.join("/")))).toBe(true);
    }),
    { numRuns: 10_000 },
  );
  expect(count).toBeGreaterThan(100);
});

test("patterns that are made to take long do not", () => {
  const long = "a".repeat(2_000);
  expect(matchesPathGlob(parsePathGlob(`${"*a".repeat(50)}b`), [long])).toBe(false);
  expect(
    matchesPathGlob(
      parsePathGlob(`${"**/a/".repeat(50)}b`),
      Array.from({ length: 500 }, () => "a"),
    ),
  ).toBe(false);
  expect(matchesTextGlob(parseTextGlob(`${"*a".repeat(500)}b`), long)).toBe(false);
  expect(globsMeet(parsePathGlob(`${"*a".repeat(50)}b`), parsePathGlob(`${"a*".repeat(50)}c`))).toBe(false);
});
