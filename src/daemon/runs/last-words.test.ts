import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRedact } from "../log/redact.js";
import { lastWords } from "./last-words.js";

const redact = createRedact({ MY_API_KEY: "abcdefgh12345678" });

function wordsOf(stderr: string | null): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-words-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (stderr !== null) writeFileSync(join(folder, "err"), stderr);
  return lastWords(folder, redact);
}

test.each<[string, string | null, string | null]>([
  ["nothing at all", null, null],
  ["blank lines", "\n \n", null],
  ["a line", "error: unknown option '--x'\n", "error: unknown option '--x'"],
  [
    "the last of many lines",
    Array.from({ length: 9 }, (_, n) => `line ${n}\n`).join(""),
    "line 4\nline 5\nline 6\nline 7\nline 8",
  ],
  ["colours and bells", "\x1b[31mred\x1b[0m\x07 \x1b]0;title\x07end\r\n", "red end"],
  ["a secret of the environment", "key abcdefgh12345678 is wrong", "key [redacted] is wrong"],
  ["a secret by its form", "Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [redacted]"],
  ["a long line", "x".repeat(2_000), `…${"x".repeat(600)}`],
])("%s", async (_name, stderr, words) => {
  expect(await wordsOf(stderr)).toBe(words);
});

test("of a line that is cut off, nothing is told", async () => {
  expect(await wordsOf(`abcdefgh12345678${"y".repeat(8 * 1024)}\nend\n`)).toBe("end");
});
