import { expect, test } from "vitest";
import { expandBraces } from "./expand-braces.js";
import { escapePath, globsMeet, matchesPathGlob, parsePathGlob, PatternError } from "./path-glob.js";

function matches(pattern: string, path: string): boolean {
  return matchesPathGlob(
    parsePathGlob(pattern),
    path.split("/").filter((name) => name !== ""),
  );
}

test.each([
  ["a/b", "a/b", true],
  ["a/b", "a/b/c", false],
  ["a/*", "a/b", true],
  ["a/*", "a/b/c", false],
  ["a/*", "a/.b", true],
  ["a/**", "a/b/c", true],
  ["a/**", "a", true],
  ["a/", "a/b/c", true],
  ["**/b", "b", true],
  ["**/b", "a/c/b", true],
  ["**/.env*", "a/.env.local", true],
  ["a/**/d", "a/b/c/d", true],
  ["a/**/d", "a/d", true],
  ["a**b", "axxb", true],
  ["a**b", "a/b", false],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[^a-c]x", "dx", true],
  ["[]]x", "]x", true],
  ["[a-]x", "-x", true],
  ["{a,b}.ts", "b.ts", true],
  ["{a,b{c,d}}.ts", "bd.ts", true],
  ["{a}.ts", "{a}.ts", true],
  ["\\*.ts", "*.ts", true],
  ["\\*.ts", "a.ts", false],
  ["\\{a,b}", "{a,b}", true],
  ["é?", "é𝄞", true],
])("%s on %s", (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test.each(["a[b", "a\\"])("%s is no pattern", (pattern) => {
  expect(() => parsePathGlob(pattern)).toThrow(PatternError);
});

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "a.js", false],
  [".e*", "**/.env*", true],
  ["*", "**/.env*", false],
  ["/**", "**/.env*", true],
  ["/**/{,.}*env", "**/.env", true],
  ["/**/readme", "**/.env*", false],
  ["a/*", "b/*", false],
])("%s and %s", (computed, pattern, expected) => {
  expect(globsMeet(parsePathGlob(computed), parsePathGlob(pattern))).toBe(expected);
});

test("what is escaped stands for itself alone", () => {
  const path = "~a*b?c[d]{e,f}(g)\\h";
  expect(matches(escapePath(path), path)).toBe(true);
  expect(escapePath("~/x")).toBe("\\~/x");
});

test.each([
  ["a", ["a"]],
  ["{a,b}", ["a", "b"]],
  ["{,a}b", ["b", "ab"]],
  ["x{a,b}{c,d}", ["xac", "xad", "xbc", "xbd"]],
  ["{a,{b,c}}", ["a", "b", "c"]],
  ["{a}", ["{a}"]],
  ["{a,b", ["{a,b"]],
  ["\\{a,b}", ["\\{a,b}"]],
  ["{a,b}{c}", ["a{c}", "b{c}"]],
])("the braces of %s", (text, expected) => {
  expect(expandBraces(text, 64)).toEqual(expected);
});

test("too many braces", () => {
  expect(expandBraces("{a,b}".repeat(1_000), 64)).toBe(null);
});
