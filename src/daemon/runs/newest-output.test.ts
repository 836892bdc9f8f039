import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { spoolSegmentName } from "../../protocol/keeper-format.js";
import { newestOutput, wholeCharacters } from "./newest-output.js";

function spooled(segments: Readonly<Record<number, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-output-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [start, text] of Object.entries(segments))
    writeFileSync(join(folder, spoolSegmentName(Number(start))), text);
  return folder;
}

test("the end of it, over as many files as it takes", async () => {
  const folder = spooled({ 4: "efgh", 8: "ijk" });
  expect(await newestOutput(folder, 5, true)).toEqual({ text: "ghijk", truncated: true });
  expect(await newestOutput(folder, 0, true)).toEqual({ text: "", truncated: true });
  expect(await newestOutput(spooled({ 0: "abc" }), 3, true)).toEqual({ text: "abc", truncated: false });
  expect(await newestOutput(spooled({}), 3, false)).toEqual({ text: "", truncated: false });
});

test("it is cut between characters, wherever that is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(), fc.nat(), (text, from, length) => {
      const bytes = Buffer.from(text);
      const start = from % (bytes.length + 1);
      const piece = bytes.subarray(start, start + length);
      const isCutAfter = start + length < bytes.length;
      const whole = wholeCharacters(piece, start > 0, isCutAfter);
      expect(text).toContain(whole);
      expect(piece.length - Buffer.byteLength(whole)).toBeLessThanOrEqual(6);
    }),
  );
});

test("what is no text is shown as such, not dropped", () => {
  expect(wholeCharacters(Buffer.from([0x80, 0x41]), false, false)).toBe("\ufffdA");
  expect(wholeCharacters(Buffer.from([0x41, 0xe2, 0x82]), false, false)).toBe("A\ufffd");
  expect(wholeCharacters(Buffer.from([0x41, 0xe2, 0x82]), false, true)).toBe("A");
});
