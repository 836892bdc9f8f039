/** Recorded conversations of real agents through the codec and the session machine: the whole of what comes of each. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { ACP_AGENTS } from "../../../src/harness/acp/acp-agents.js";
import { acpHarness } from "../../../src/harness/acp/acp-harness.js";
import { goldenFile, matchGolden } from "../golden.js";
import { play } from "../play.js";
import { recordedRuns } from "./recorded-runs.js";
import { flawsOf } from "./sent-messages.js";

const FOLDER = new URL("./recordings/", import.meta.url);
const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.slice(0, -".jsonl".length));

function harnessOf(recording: string) {
  const agents = ACP_AGENTS.filter(({ name }) => recording === name || recording.startsWith(`${name}-`));
  // `codex-acp` is no `codex`: the longest name is meant.
  const agent = agents.sort((a, b) => b.name.length - a.name.length)[0];
  if (!agent) throw new Error(`no agent is called as ${recording} begins`);
  return acpHarness(agent);
}

test("each agent of the registry is recorded", () => {
  expect(new Set(NAMES.map((name) => harnessOf(name).name))).toEqual(
    new Set(ACP_AGENTS.map(({ name }) => name)),
  );
});

test.each(NAMES)("%s", (name) => {
  const harness = harnessOf(name);
  const runs = recordedRuns(harness, goldenFile(`acp/recordings/${name}.jsonl`));
  matchGolden(`acp/${name}.txt`, runs.map(({ start, moves }) => play(harness, start, moves)).join("\n"));
});

test.each(NAMES)("whatever is said to the agent of %s is as the protocol has it", (name) => {
  const runs = recordedRuns(harnessOf(name), goldenFile(`acp/recordings/${name}.jsonl`));
  const told = runs.flatMap((run) => run.told);
  expect(told.length).toBeGreaterThan(4);
  expect(flawsOf(told)).toEqual([]);
});
