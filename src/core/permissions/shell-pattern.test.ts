import { describe, expect, test } from "vitest";
import { PatternError } from "./path-glob.js";
import type { SimpleCommand } from "./shell-analysis.js";
import { patternCovers } from "./shell-cover.js";
import { escapeWords, parseShellPattern } from "./shell-pattern.js";
import { patternReaches } from "./shell-reach.js";

/** `?` in front of a word: the shell computes it. */
function command(...words: readonly string[]): SimpleCommand {
  return {
    words: words.map((word) => word.replace(/^\?/, "")),
    unknown: words.flatMap((word, index) => (word.startsWith("?") ? [index] : [])),
    assignments: [],
    text: words.join(" "),
    dynamic: words.some((word) => word.startsWith("?")),
    wrappers: [],
    outer: null,
    needsAllow: true,
    elsewhere: [],
  };
}

test("a pattern is a list of words", () => {
  expect(parseShellPattern(`git commit -m "a b" c\\ d e'f g'h *`)).toEqual({
    words: [
      { isAny: false, glob: ["git"] },
      { isAny: false, glob: ["commit"] },
      { isAny: false, glob: ["-m"] },
      { isAny: false, glob: ["a b"] },
      { isAny: false, glob: ["c d"] },
      { isAny: false, glob: ["ef gh"] },
      { isAny: true, glob: ["", ""] },
    ],
    program: ["git"],
    isOpen: false,
    isExact: false,
  });
});

test.each([
  ["ls*", { isOpen: true, isExact: false }],
  ["ls *", { isOpen: false, isExact: false }],
  ['ls "a*"', { isOpen: false, isExact: false }],
  ["ls a\\*", { isOpen: false, isExact: true }],
  ["ls *a", { isOpen: false, isExact: false }],
])("%s", (pattern, expected) => {
  const { isOpen, isExact } = parseShellPattern(pattern);
  expect({ isOpen, isExact }).toEqual(expected);
});

test.each(["a; b", "a | b", "a > b", "a `b`", "a $(b)", "a 'b", "a \\", " "])(
  "%s is no pattern",
  (pattern) => {
    expect(() => parseShellPattern(pattern)).toThrow(PatternError);
  },
);

describe("an allow covers", () => {
  test.each([
    ["ls", ["ls"], true],
    ["ls", ["ls", "-l"], false],
    ["ls *", ["ls"], true],
    ["ls *", ["ls", "-l", "a"], true],
    ["ls *", ["lsof"], false],
    ["ls*", ["lsof", "-i"], true],
    ["ls*", ["ls", "-i"], true],
    ["ls a*", ["ls", "ab", "c"], true],
    ["ls a*", ["ls", "b"], false],
    ["git * --dry-run", ["git", "push", "--dry-run"], true],
    ["git * --dry-run", ["git", "--dry-run"], true],
    ["git * --dry-run", ["git", "push"], false],
    ["git * a * b", ["git", "x", "a", "a", "y", "b"], true],
    ["git log a/* c", ["git", "log", "a/b", "c"], true],
    ["ls *", ["ls", "?$X"], true],
    ["ls a", ["ls", "?a"], false],
    ["ls a*", ["ls", "?a$X"], false],
    ["ls a*", ["ls", "a", "?$X"], true],
    ["git * b", ["git", "?$X", "b"], true],
    ["RM *", ["rm"], false],
    ["rm *", ["/bin/rm", "a"], false],
    ["rm -rf *", ["rm", "-fr", "a"], false],
  ])("%s: %j %s", (pattern, words, expected) => {
    expect(patternCovers(parseShellPattern(pattern), command(...words))).toBe(expected);
  });

  test("a command with assignments only by naming them", () => {
    const assigned = { ...command("npm", "test"), assignments: ["A=b"] };
    expect(patternCovers(parseShellPattern("npm test"), assigned)).toBe(false);
    expect(patternCovers(parseShellPattern("A=b npm test"), assigned)).toBe(true);
    expect(patternCovers(parseShellPattern("* npm test"), assigned)).toBe(true);
  });
});

describe("a deny or an ask is about", () => {
  test.each([
    ["rm", ["rm"], "yes"],
    ["rm", ["rm", "a"], "yes"],
    ["rm", ["rmdir"], "no"],
    ["rm*", ["rmdir"], "yes"],
    ["rm", ["/bin/rm", "a"], "yes"],
    ["/bin/rm", ["rm", "a"], "yes"],
    ["./deploy.sh", ["deploy.sh"], "yes"],
    ["rm", ["RM"], "yes"],
    ["rm -rf *", ["rm", "-rf", "/"], "yes"],
    ["rm -rf *", ["rm", "-fr", "/"], "yes"],
    ["rm -rf *", ["rm", "/", "-f", "-r"], "yes"],
    ["rm -rf *", ["rm", "--force", "--recursive", "/"], "yes"],
    ["rm -rf *", ["rm", "-r", "/"], "no"],
    ["rm -rf /", ["rm", "-rf", "a"], "no"],
    ["rm -rf /", ["rm", "-rf", "/"], "yes"],
    ["rm -rf /*", ["rm", "-rf", "/etc"], "yes"],
    ["git push", ["git", "push", "origin"], "yes"],
    ["git push", ["git", "-C", "x", "push"], "yes"],
    ["git push", ["git", "--no-pager", "push"], "yes"],
    ["git push", ["git", "commit", "-m", "push"], "no"],
    ["git push --force", ["git", "push", "-f"], "yes"],
    ["git push --force", ["git", "push", "--force-with-lease"], "no"],
    ["git push --force", ["git", "push", "--forc"], "yes"],
    ["git * --force", ["git", "push", "a", "--force"], "yes"],
    ["git * main", ["git", "push", "origin", "main"], "yes"],
    ["git * main", ["git", "push", "origin"], "no"],
    ["find * -delete", ["find", ".", "-delete"], "yes"],
    ["find * -delete", ["find", ".", "-empty", "-type", "d", "-links", "1"], "no"],
    ["npm --registry=x", ["npm", "--registry=y"], "no"],
    ["npm --registry=x", ["npm", "--registry=x"], "yes"],
    ["* --danger", ["anything", "--danger"], "yes"],
    ["rm -rf", ["rm", "?$X"], "maybe"],
    ["rm", ["rm", "?$X"], "yes"],
    ["rm", ["?$X"], "maybe"],
    ["git push", ["git", "commit", "?$X"], "no"],
    ["git push", ["git", "?$X"], "maybe"],
  ] as const)("%s: %j %s", (pattern, words, expected) => {
    const { words: values, unknown } = command(...words);
    expect(patternReaches(parseShellPattern(pattern), values, unknown)).toBe(expected);
  });
});

test("what is escaped covers these words and no others", () => {
  const words = ["git", "commit", "-m", "a (b) *c* 'd' \"e\" \\f;g&h|i<j>k`l$m", "", "n o"];
  const pattern = parseShellPattern(escapeWords(words));
  expect(pattern.isExact).toBe(true);
  expect(patternCovers(pattern, command(...words))).toBe(true);
  expect(patternCovers(pattern, command(...words, "p"))).toBe(false);
});
