/** Timers that became due while no daemon ran: what agents said meanwhile comes first. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database } from "../../src/journal/sqlite/database.js";
import type { CreateSession } from "../../src/protocol/api-schemas.js";
import { TestDaemon } from "../e2e/test-daemon.js";

const REQUEST = { emit: { type: "request" } };
const DONE = { emit: { type: "done" } };

let folder: string;
let daemon: TestDaemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-late-"));
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A session whose daemon dies with the first word of its agent, and then stays away until every timer is due. */
async function leftAlone(turns: readonly unknown[]): Promise<string> {
  return leftAloneWith({ harness: "script", prompt: "go", args: ["--inline", JSON.stringify({ turns })] });
}

async function leftAloneWith(agent: Omit<CreateSession, "cwd">): Promise<string> {
  const dataDir = join(folder, "data");
  daemon = await TestDaemon.start({ dataDir, env: { SIGNALBOX_CRASH_AT: "after_spool_write:1" } });
  const { id } = await daemon.client.createSession({ ...agent, cwd: folder });
  await daemon.exited;
  const journal = new Database(join(dataDir, "journal.db"), { busyTimeoutMs: 5_000 });
  expect(journal.prepare("UPDATE timers SET due_at_ms = 1").run([])).toBeGreaterThan(0);
  journal.close();
  return id;
}

/** Changes of the status; a phase is none. */
async function changesOf(id: string): Promise<readonly string[]> {
  const { items } = await daemon.client.listEvents(id, { limit: 1_000 });
  return items.flatMap((entry) => {
    if (entry.kind !== "state" || entry.event.payload.type !== "state_changed") return [];
    const { from, to } = entry.event.payload;
    return from === to ? [] : [`${from} ${to}`];
  });
}

test("an agent that got ready while no daemon ran is not ended for being late", async () => {
  const id = await leftAlone([[REQUEST, DONE]]);
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  expect(await changesOf(id)).toEqual(["idle creating", "creating streaming", "streaming completed"]);
});

test("a terminal whose screen was not read while no daemon ran is not ended for being late", async () => {
  const id = await leftAloneWith({ harness: "terminal", args: ["sh", "-c", "echo here; exec cat"] });
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).not.toBe("creating");
  expect((await changesOf(id)).filter((change) => change.endsWith("error"))).toEqual([]);
});

test("an agent that was lost with its keeper is interrupted, not late", async () => {
  const id = await leftAlone([[REQUEST, DONE]]);
  process.kill(await daemon.keeperPid(), "SIGKILL");
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).not.toBe("creating");
  expect((await changesOf(id)).filter((change) => change.endsWith("error"))).toEqual([]);
});
