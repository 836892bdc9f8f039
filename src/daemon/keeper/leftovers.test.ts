/** What is left when a keeper is killed, and how it is ended without harm to others. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildKeeper, isDead, KEEPER } from "../../../test/reliability/built-keeper.js";
import { until } from "../../../test/reliability/until.js";
import { readStartMark } from "../../keeper/process-table.js";
import { runFolder } from "../../keeper/paths.js";
import { KeeperClient } from "./keeper-client.js";
import { endLeftovers, listLeftovers } from "./leftovers.js";
import { SpoolReader } from "./spool-reader.js";

const LINUX = process.platform === "linux";

let dataDir = "";
const started: number[] = [];

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-leftovers-")));
});

afterEach(() => {
  for (const pid of started.splice(0)) if (!isDead(pid)) process.kill(pid, "SIGKILL");
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

/** Runs these scripts, kills their keeper when each has printed a line, and gives what they printed. */
async function runAndKill(scripts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  let closed = false;
  const ends = new Map<string, number>();
  const { client, keeperPid } = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    onNotice: (notice) => {
      if (notice.type !== "foreground") ends.set(notice.runId, notice.end);
    },
    onClosed: () => (closed = true),
  });
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  for (const [runId, script] of Object.entries(scripts)) {
    const command = { command: "sh", args: ["-c", script] };
    started.push(await client.spawn({ runId, effectId: "1.0", ...command, cwd: dataDir, env, hooks: false }));
  }
  await until(() => ends.size === Object.keys(scripts).length);
  process.kill(keeperPid, "SIGKILL");
  await until(() => closed);
  const printed = Object.keys(scripts).map(async (runId) => {
    const reader = new SpoolReader(runFolder(dataDir, runId));
    const text = (await reader.read(0, await reader.end())).toString();
    await reader.close();
    return [runId, text] as const;
  });
  return Object.fromEntries(await Promise.all(printed));
}

test("everything in the groups of a dead keeper's runs is ended, also without their leaders", async () => {
  const deaf = "trap '' TERM HUP PIPE";
  const printed = await runAndKill({
    "plain.1": "sleep 1000 & echo $!; sleep 1000; wait",
    "deaf.1": `${deaf}; echo deaf; while :; do sleep 0.1; done`,
    "orphan.1": `(${deaf}; while :; do sleep 0.1; done) & echo $!; read line; exit 0`,
    "over.1": "echo over; read line; exit 0",
  });
  const child = Number(printed["plain.1"]);
  const orphan = Number(printed["orphan.1"]);
  started.push(child, orphan);
  const [plain = 0, deafPid = 0, orphanLeader = 0, over = 0] = started;
  await until(() => isDead(orphanLeader) && isDead(over));
  expect([plain, child, deafPid, orphan].map(isDead)).toEqual([false, false, false, false]);

  const { metas, problems } = await listLeftovers(dataDir);
  expect(problems).toEqual([]);
  expect(await endLeftovers(metas)).toEqual([
    { runId: "deaf.1", outcome: "ended" },
    { runId: "orphan.1", outcome: LINUX ? "ended" : "gone" },
    { runId: "over.1", outcome: "gone" },
    { runId: "plain.1", outcome: "ended" },
  ]);
  expect([plain, child, deafPid].map(isDead)).toEqual([true, true, true]);
  expect(isDead(orphan)).toBe(LINUX);
  expect((await endLeftovers(metas)).map(({ outcome }) => outcome)).toEqual(["gone", "gone", "gone", "gone"]);
});

test("a process that only has the same pid is left alone", async () => {
  const stranger = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  const pid = stranger.pid ?? 0;
  started.push(pid);
  const startMark = await readStartMark(pid);
  const [ticks = "", boot = ""] = startMark.split("@");
  const meta = { runId: "s.1", pid, startedAtMs: 0 };
  const others = LINUX
    ? [`${Number(ticks) - 1}@${boot}`, `${ticks}@another-boot`, ticks, ""]
    : ["", "yesterday"];
  for (const other of others) {
    expect(await endLeftovers([{ ...meta, startMark: other }])).toEqual([{ runId: "s.1", outcome: "gone" }]);
  }
  expect(isDead(pid)).toBe(false);
  expect(await endLeftovers([{ ...meta, startMark }])).toEqual([{ runId: "s.1", outcome: "ended" }]);
  expect(isDead(pid)).toBe(true);
});

test("folders that do not say what ran are reported", async () => {
  expect(await listLeftovers(join(dataDir, "none"))).toEqual({ metas: [], problems: [] });
  const meta = { runId: "good.1", pid: 1, startMark: "x", startedAtMs: 5 };
  const files: Readonly<Record<string, string | null>> = {
    "good.1": JSON.stringify(meta),
    "half.1": JSON.stringify(meta).slice(0, 20),
    "empty.1": null,
    "wrong.1": JSON.stringify({ ...meta, pid: "1" }),
    "moved.1": JSON.stringify(meta),
  };
  for (const [runId, text] of Object.entries(files)) {
    mkdirSync(runFolder(dataDir, runId), { recursive: true });
    if (text !== null) writeFileSync(join(runFolder(dataDir, runId), "meta.json"), text);
  }
  appendFileSync(join(dataDir, "runs", "stray"), "");
  const found = await listLeftovers(dataDir);
  expect(found.metas).toEqual([meta]);
  expect(found.problems.map(({ folder, reason }) => [folder, reason.slice(0, 11)])).toEqual(
    ["empty.1", "half.1", "moved.1", "stray", "wrong.1"].map((name) => [
      runFolder(dataDir, name),
      "meta.json: ",
    ]),
  );
  expect(readFileSync(join(runFolder(dataDir, "good.1"), "meta.json"), "utf8")).toBe(files["good.1"]);
});
