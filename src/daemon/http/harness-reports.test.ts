import { Writable } from "node:stream";
import { expect, test } from "vitest";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import { Log } from "../log/log.js";
import { HarnessReports } from "./harness-reports.js";

const log = new Log({
  ...{ level: "error", payloads: false, redact: (text) => text },
  stream: new Writable({ write: (_chunk, _encoding, done) => done() }),
});

const report = (name: string, version: string): HarnessReport => ({
  ...{ name, installed: true, version, path: `/bin/${name}`, login: "unknown", problems: [], hint: null },
});

test("what is known is told at once, and a slow program is asked behind it", async () => {
  let nowMs = 0;
  const answers: ((version: string) => void)[] = [];
  const quick = { name: "quick", probe: () => Promise.resolve(report("quick", "1.0")) };
  const slow = {
    name: "slow",
    probe: () =>
      new Promise<HarnessReport>((resolve) => {
        answers.push((version) => resolve(report("slow", version)));
      }),
  };
  const board = { harnesses: () => [quick, slow] as unknown as readonly Harness[] };
  const reports = new HarnessReports(board, log, () => nowMs, 10);
  const read = async () => (await reports.read()).map(({ version, note }) => version ?? note);
  expect(await read()).toEqual(["1.0", "it has not told its version yet; ask again"]);
  answers[0]?.("2.0");
  expect(await read()).toEqual(["1.0", "2.0"]);
  nowMs = 20_000;
  expect(await read()).toEqual(["1.0", "2.0"]);
  answers[1]?.("2.1");
  expect(await read()).toEqual(["1.0", "2.1"]);
  expect(answers).toHaveLength(2);
});
