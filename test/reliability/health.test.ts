/** What is wrong with the daemon is said where people look: in the API, in the stream of events, in `status`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HealthReport } from "../../src/protocol/api-schemas.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { SmallDisk } from "./small-disk.js";

let folder: string;
const listening: AbortController[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-health-"));
});

afterEach(async () => {
  for (const abort of listening.splice(0)) abort.abort();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** What the stream of events has said of the daemon's health, as the names of what is wrong. */
function listen({ client }: TestDaemon): readonly string[] {
  const told: string[] = [];
  const abort = new AbortController();
  listening.push(abort);
  const onHealth = ({ checks }: HealthReport): void => {
    told.push(checks.map(({ name }) => name).join(" "));
  };
  void (async () => {
    for await (const _item of client.events({ signal: abort.signal, onHealth })) {
      // Only the health matters here.
    }
  })();
  return told;
}

async function statusLines(dataDir: string): Promise<readonly string[]> {
  const { stdout } = await runSignalbox(["status", "--data-dir", dataDir]);
  return stdout.split("\n").filter((line) => line.startsWith("PROBLEM"));
}

async function wrongOf({ client }: TestDaemon): Promise<readonly string[]> {
  const { checks } = await client.getHealth();
  return checks.filter(({ ok }) => !ok).map(({ name, detail, remedy }) => `${name}: ${detail}. ${remedy}`);
}

test("a full disk, and that there is room again", async (context) => {
  const disk = SmallDisk.mount(join(folder, "data"), 300);
  if (!disk) return context.skip("this user may not mount a file system");
  const daemon = await TestDaemon.start({ dataDir: disk.folder });
  try {
    const told = listen(daemon);
    await expect.poll(() => told).toEqual([""]);
    disk.fill();
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(["", "disk"]);
    expect(await wrongOf(daemon)).toEqual([
      `disk: there is no room left on the disk of ${disk.folder}: agents wait, and nothing can be changed. Make room there. Nothing is lost, and no restart is needed.`,
    ]);
    expect(await statusLines(disk.folder)).toEqual([
      `PROBLEM   The disk is full: there is no room left on the disk of ${disk.folder}: agents wait, and nothing can be changed. Make room there. Nothing is lost, and no restart is needed.`,
    ]);
    disk.free();
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(["", "disk", ""]);
    expect(await wrongOf(daemon)).toEqual([]);
  } finally {
    disk.free();
    await daemon.client.shutdown({ agents: true });
    await daemon.exited;
    disk.unmount();
  }
});

test("a keeper that does not answer, and that it answers again", async () => {
  const daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  const keeperPid = await daemon.keeperPid();
  try {
    const told = listen(daemon);
    await expect.poll(() => told).toEqual([""]);
    process.kill(keeperPid, "SIGSTOP");
    await expect.poll(() => told, { timeout: 30_000 }).toEqual(["", "keeper"]);
    expect(await statusLines(daemon.dataDir)).toEqual([
      "PROBLEM   Agents cannot be reached: the keeper, which holds the agents, does not answer. Agents go on; what you send them waits. Should it stay so, signalbox down --all ends the keeper and its agents.",
    ]);
    process.kill(keeperPid, "SIGCONT");
    await expect.poll(() => told, { timeout: 30_000 }).toEqual(["", "keeper", ""]);
  } finally {
    process.kill(keeperPid, "SIGCONT");
    await daemon.end();
  }
});
