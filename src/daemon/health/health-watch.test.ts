import { expect, test, vi } from "vitest";
import type { HealthCheck, HealthReport } from "../../protocol/api-schemas.js";
import { ok, wrong } from "./checks.js";
import { HealthWatch } from "./health-watch.js";

const FULL = wrong("disk", { heading: "Full", detail: "it is full", remedy: "Make room." });

function watchOver(checks: () => Promise<readonly HealthCheck[]>) {
  const told: HealthReport[] = [];
  const problems: string[] = [];
  const watch = new HealthWatch({
    onChange: (report) => told.push(report),
    onProblem: (what) => problems.push(what),
  });
  watch.start({ liveChecks: checks, isReadOnly: false });
  return { watch, told, problems };
}

test("tells what is wrong when it comes and when it goes, and nothing else", async () => {
  let disk = ok("disk", "9 MiB free");
  const { watch, told } = watchOver(() => Promise.resolve([ok("keeper", "it answers"), disk]));
  await watch.close();
  expect(told).toEqual([]);
  watch.start({ liveChecks: () => Promise.resolve([ok("keeper", "it answers"), disk]), isReadOnly: false });
  disk = FULL;
  watch.look();
  await vi.waitFor(() => expect(told).toEqual([{ ok: false, readOnly: false, checks: [FULL] }]));
  watch.look();
  disk = ok("disk", "8 MiB free");
  watch.look();
  await vi.waitFor(() => expect(told).toHaveLength(2));
  expect(told[1]).toEqual({ ok: true, readOnly: false, checks: [] });
  expect(watch.report).toEqual(told[1]);
  await watch.close();
});

test("what changes while it looks is looked at again, and a look that fails is no end", async () => {
  const answers = [
    () => Promise.reject(new Error("no such folder")),
    () => {
      watch.look();
      return Promise.resolve([ok("disk", "9 MiB free")]);
    },
    () => Promise.resolve([FULL]),
  ];
  const { watch, told, problems } = watchOver(() => answers.shift()?.() ?? Promise.resolve([FULL]));
  await vi.waitFor(() => expect(problems).toHaveLength(1));
  watch.look();
  await vi.waitFor(() => expect(told).toEqual([{ ok: false, readOnly: false, checks: [FULL] }]));
  await watch.close();
});
