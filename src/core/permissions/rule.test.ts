import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CATEGORIES } from "./access.js";
import { parseRule } from "./rule.js";

test.each([
  ["Shell(git status)", { category: "Shell", pattern: "git status" }],
  ["  Read(src/**) ", { category: "Read", pattern: "src/**" }],
  ["Shell", { category: "Shell", pattern: null }],
  ["Shell(echo \\))", { category: "Shell", pattern: "echo \\)" }],
  ["Shell(echo (a))", { category: "Shell", pattern: "echo (a)" }],
  ["Write(a{b,c}[d-f].ts)", { category: "Write", pattern: "a{b,c}[d-f].ts" }],
  ["Mcp(github/get_*)", { category: "Mcp", pattern: "github/get_*" }],
  ["Web(*.internal)", { category: "Web", pattern: "*.internal" }],
  ["Web([::1])", { category: "Web", pattern: "[::1]" }],
  ["Web(::1)", { category: "Web", pattern: "::1" }],
  ["Tool(TodoWrite)", { category: "Tool", pattern: "TodoWrite" }],
])("%s", (text, expected) => {
  expect(parseRule(text)).toEqual({ ok: true, ...expected });
});

describe("what is wrong is said, with what was expected", () => {
  test.each([
    ["", "a rule is empty; expected one of Read, Write, Shell, Mcp, Web, Tool, as in Shell(npm test *)"],
    ["shell(ls)", '"shell" is not a category; write Shell'],
    ["Shell (ls)", '"Shell " is not a category; write Shell'],
    [
      "Bash(ls)",
      '"Bash" is not a category; expected one of Read, Write, Shell, Mcp, Web, Tool, as in Shell(npm test *)',
    ],
    [
      "Sh\u0435ll(ls)",
      '"Sh\u0435ll" has letters that only look like those of a category; expected one of Read, Write, Shell, Mcp, Web, Tool, as in Shell(npm test *)',
    ],
    [
      "(ls)",
      '"(ls)" names no category; expected one of Read, Write, Shell, Mcp, Web, Tool, as in Shell(npm test *)',
    ],
    [
      "Shell(ls",
      '"Shell(ls": the parenthesis of the pattern is not closed; expected something like Shell(npm test *)',
    ],
    [
      "Shell(ls))",
      '"Shell(ls))": there is more after the parenthesis that closes the pattern; expected something like Shell(npm test *)',
    ],
    [
      "Shell(ls) and more",
      '"Shell(ls) and more": there is more after the parenthesis that closes the pattern; expected something like Shell(npm test *)',
    ],
    [
      "Shell( )",
      '"Shell( )": the pattern is empty; write Shell alone for everything; expected something like Shell(npm test *)',
    ],
    [
      "Shell(a && b)",
      '"Shell(a && b)": "&" parts commands, and a rule is about one: write a rule for each, or a backslash before it; expected something like Shell(npm test *)',
    ],
    ["Shell(a 'b)", "\"Shell(a 'b)\": the quote ' has no end; expected something like Shell(npm test *)"],
    [
      "Shell(l\u200bs)",
      '"Shell(l\u200bs)": the pattern has a character that cannot be seen; expected something like Shell(npm test *)',
    ],
    ["Read(a[b)", '"Read(a[b)": the class that begins with [ has no ]; expected something like Read(src/**)'],
    [
      "Mcp(github)",
      '"Mcp(github)": the pattern needs a server and a tool, with a slash between them; expected something like Mcp(github/get_*)',
    ],
    [
      "Web(https://a.b/)",
      '"Web(https://a.b/)": the pattern is a host, without a scheme and a path; expected something like Web(*.example.org)',
    ],
    [
      "Web(a.b:80)",
      '"Web(a.b:80)": the pattern is a host, without a port; expected something like Web(*.example.org)',
    ],
  ])("%s", (text, message) => {
    expect(parseRule(text)).toEqual({ ok: false, message });
  });
});

test.each(["\u3164", "\u2800", "\u034f", "\ufe0f", "\u115f", "\u202e", "\u{e0061}"])(
  "what cannot be seen is refused: %j",
  (letter) => {
    const message = expect.stringContaining("a character that cannot be seen") as string;
    expect(parseRule(`Shell(l${letter}s)`)).toEqual({ ok: false, message });
  },
);

test("any text is read or refused, never thrown", () => {
  const patterns = fc.oneof(fc.string({ unit: "binary" }), fc.string());
  const texts = fc.oneof(
    patterns,
    fc
      .tuple(fc.constantFrom(...CATEGORIES), patterns)
      .map(([category, pattern]) => `${category}(${pattern})`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseRule(text);
      if (!parsed.ok) expect(parsed.message).not.toBe("");
    }),
    { numRuns: 2_000 },
  );
});

test("braces that stand for too many patterns are refused, at once", () => {
  expect(parseRule(`Read(${"{a,b}".repeat(100)})`)).toEqual({
    ok: false,
    message: expect.stringContaining("its braces stand for more than 64 patterns") as string,
  });
});
