/** Many runs at once: what they cost, and that none of them suffers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildKeeper, KEEPER } from "../../../test/reliability/built-keeper.js";
import { until } from "../../../test/reliability/until.js";
import { runFolder } from "../../keeper/paths.js";
import { KeeperClient } from "./keeper-client.js";
import { SpoolReader } from "./spool-reader.js";

let dataDir = "";
let keeperPid = 0;

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-load-")));
});

afterEach(async () => {
  const { client } = await connect(() => undefined);
  await client.shutdown();
  client.close();
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function connect(onOutput: (runId: string, end: number) => void) {
  const connection = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    onNotice: (notice) => {
      if (notice.type !== "foreground") onOutput(notice.runId, notice.end);
    },
    onClosed: () => undefined,
  });
  ({ keeperPid } = connection);
  return connection;
}

function keeperKiB(): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(keeperPid)], { encoding: "utf8" }));
}

test.each([
  ["pipes", 200, {}],
  ["terminals", 50, { pty: { cols: 80, rows: 24 } }],
])("%s: %d runs of cat at once", async (kind, count, how) => {
  const ends = new Map<string, number>();
  const { client } = await connect((runId, end) => ends.set(runId, end));
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const cat = { effectId: "1.0", command: "cat", args: [], cwd: dataDir, env, hooks: false, ...how };
  // The first brings what is loaded once.
  await client.spawn({ ...cat, runId: "first.1" });
  await sleep(300);
  const idleKiB = keeperKiB();
  const runIds = Array.from({ length: count }, (_, index) => `s${index}.1`);
  const pids = await Promise.all(runIds.map((runId) => client.spawn({ ...cat, runId })));
  expect(new Set(pids).size).toBe(count);
  await sleep(300);
  const perRunKiB = (keeperKiB() - idleKiB) / count;
  console.log(`keeper with one run: ${idleKiB} KiB; per run with ${kind}: ${perRunKiB.toFixed(1)} KiB`);
  expect(perRunKiB).toBeLessThan(200);

  const text = (runId: string) => `hello, ${runId}\n`;
  await Promise.all(
    runIds.map((runId) => client.input({ runId, effectId: "2.0", data: text(runId), encoding: "utf8" })),
  );
  await until(() => runIds.every((runId) => (ends.get(runId) ?? 0) >= text(runId).length));
  const first = async (runId: string) => {
    const reader = new SpoolReader(runFolder(dataDir, runId));
    const piece = await reader.read(0, 1_000);
    await reader.close();
    // A terminal echoes what is typed.
    return piece.toString().split(/\r?\n/)[0];
  };
  expect(await Promise.all(runIds.map(first))).toEqual(runIds.map((runId) => text(runId).trim()));
  client.close();
});
