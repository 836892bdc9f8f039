import { describe, expect, test } from "vitest";
import { codexHarness } from "../../../src/harness/codex/codex-harness.js";
import { goldenFile, matchGolden } from "../golden.js";
import { play } from "../play.js";
import { recordedRuns } from "./codex-recording.js";

/** Codex 0.166.0 with a scripted model; see the README for what each shows. */
const RECORDINGS = [
  "app-server",
  "app-server-resume",
  "approvals",
  "background",
  "failures",
  "files",
  "interrupts",
  "mcp",
  "not-logged-in",
  "questions",
  "resume",
  "subagents",
  "thinking",
];

describe.each(RECORDINGS)("%s", (name) => {
  const runs = recordedRuns(goldenFile(`codex/recordings/${name}.jsonl`));

  test("comes out as it did", () => {
    expect(runs.length).toBeGreaterThan(0);
    const played = runs.map(({ start, moves }) => play(codexHarness, start, moves));
    matchGolden(`codex/${name}.txt`, played.join("\n"));
  });

  test("holds nothing that the codec does not know", () => {
    const played = runs.map(({ start, moves }) => play(codexHarness, start, moves)).join("\n");
    expect(played.split("\n").filter((line) => line.startsWith("  unknown "))).toEqual([]);
  });
});
