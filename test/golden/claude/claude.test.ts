/** Real conversations with Claude Code 2.1.325, played through its codec and the session machine. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { claudeHarness } from "../../../src/harness/claude/claude-harness.js";
import { goldenFile, matchGolden } from "../golden.js";
import { play } from "../play.js";
import { claudeRecording } from "./claude-recording.js";

const RECORDINGS = readdirSync(fileURLToPath(new URL("./recordings/", import.meta.url)))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(".jsonl", ""));

test("there are recordings", () => {
  expect(RECORDINGS.length).toBeGreaterThan(10);
});

test.each(RECORDINGS)("%s", (name) => {
  const { start, moves } = claudeRecording(goldenFile(`claude/recordings/${name}.jsonl`));
  const played = play(claudeHarness, start, moves);
  expect(played).not.toContain("  unknown ");
  matchGolden(`claude/${name}.txt`, played);
});
