import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SPOOL_SEGMENT_BYTES, spoolSegmentName } from "../../protocol/keeper-format.js";
import { REPLAY_BYTES, replayStart } from "./replay-start.js";

const MIB = 1024 * 1024;

test("the newest output that there is, and no more than is needed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-replay-"));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }));
  expect(await replayStart(join(folder, "not there yet"), 0)).toBe(0);
  expect(await replayStart(folder, 10)).toBe(10);
  await writeFile(join(folder, spoolSegmentName(0)), "");
  expect(await replayStart(folder, 10)).toBe(0);
  expect(await replayStart(folder, 3 * MIB)).toBe(3 * MIB - REPLAY_BYTES);
  await rm(join(folder, spoolSegmentName(0)));
  await writeFile(join(folder, spoolSegmentName(SPOOL_SEGMENT_BYTES)), "");
  expect(await replayStart(folder, SPOOL_SEGMENT_BYTES + 10)).toBe(SPOOL_SEGMENT_BYTES);
});
