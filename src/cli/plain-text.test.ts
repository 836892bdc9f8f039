import fc from "fast-check";
import { expect, test } from "vitest";
import { clipped, oneLine, plainText, visibleLine, visibleText } from "./plain-text.js";

test.each([
  ["colours", "a\u001b[31mred\u001b[0mb", "aredb"],
  ["a cleared screen", "\u001b[2J\u001b[Hgone", "gone"],
  ["a title", "\u001b]0;evil\u0007text", "text"],
  ["a link", "\u001b]8;;http://x\u001b\\click\u001b]8;;\u001b\\", "click"],
  ["a device control string", "\u001bPq#0\u001b\\x", "x"],
  ["C1 controls", "\u009b31mred\u009d0;t\u009c", "red0;t"],
  ["a sequence without its end", "a\u001b[31", "a31"],
  ["an escape alone", "a\u001b", "a"],
  ["backspaces and bells", "ab\b\u0007c", "abc"],
  ["a carriage return", "safe\rrm -rf", "saferm -rf"],
  ["lines as Windows ends them, and tabs", "a\r\n\tb\n", "a\n\tb\n"],
  ["turned text", "a\u202egnp.exe\u2066", "agnp.exe"],
  ["letters and emoji", "Grüße – 日本 👍🏽", "Grüße – 日本 👍🏽"],
])("%s", (_name, text, plain) => {
  expect(plainText(text)).toBe(plain);
});

test("whatever comes in, no control character but newline and tab comes out", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("\u001b", "[", "]", "m", "\u0007", "\\", "\u009b", "x", "\n") }),
      (text) => {
        expect(plainText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("one line has no breaks, and may be clipped", () => {
  expect(oneLine("  a\n\n b\tc \u001b[1m")).toBe("a b c");
  expect([clipped("abcdef", 6), clipped("abcdefg", 6), clipped("abcd👍", 6)]).toEqual([
    "abcdef",
    "abcde…",
    "abcd👍",
  ]);
  expect(clipped("abcd👍ef", 6)).toBe("abcd…");
});

test("what cannot be seen can be shown", () => {
  expect(visibleLine('command = "x\u009b2J\u202eabc\n\u3164é"')).toBe(
    'command = "x\\u{9b}2J\\u{202e}abc\\u{a}\\u{3164}é"',
  );
  expect(visibleText("ls \u001b]; rm -rf ~ #\u0007\n\ta\u200bb\u2060\r")).toBe(
    "ls \\u{1b}]; rm -rf ~ #\\u{7}\n\ta\\u{200b}b\\u{2060}\\u{d}",
  );
});
