/** The disk is full: requests fail with a clear error, agents wait, nothing is lost, and it goes on without a restart. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/index.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { Follower } from "./follower.js";
import { Load } from "./load.js";
import { SmallDisk } from "./small-disk.js";

const SESSIONS = 3;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-full-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("a full disk loses nothing", async (context) => {
  const disk = SmallDisk.mount(join(folder, "data"), 16);
  if (!disk) return context.skip("this user may not mount a file system");
  const daemon = await TestDaemon.start({ dataDir: disk.folder });
  const follower = new Follower();
  try {
    follower.attach(daemon.client);
    const load = new Load(folder, () => daemon.client);
    await load.open(SESSIONS);
    await load.speak();

    disk.fill();
    const refusals = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        await sleep(index * 200);
        return daemon.client.sendMessage(load.sessions[0]?.id ?? "", { text: "lost?" }).catch(describe);
      }),
    );
    expect(new Set(refusals)).toEqual(new Set(["507 internal"]));
    // What can be read is still read, and the agents are still there.
    const { items } = await daemon.client.listSessions({});
    expect(items.map(({ id }) => id).toSorted()).toEqual(load.sessions.map(({ id }) => id).toSorted());

    disk.free();
    await load.speak();
    await load.settle(60_000);
    await expect
      .poll(() => load.sessions.map(({ id }) => follower.textOf(id)))
      .toEqual(load.sessions.map((session) => Load.expectedText(session)));
    expect(follower.faults).toEqual([]);
    for (const session of load.sessions) {
      const { faults, heard } = await Load.report(session);
      expect(faults).toEqual([]);
      expect(heard).toEqual(Load.expectedHeard(session));
    }
  } finally {
    disk.free();
    await follower.detach();
    await daemon.client.shutdown({ agents: true });
    await daemon.exited;
    disk.unmount();
  }
});

function describe(error: unknown): string {
  return error instanceof SignalboxError ? `${error.status} ${error.code}` : String(error);
}
