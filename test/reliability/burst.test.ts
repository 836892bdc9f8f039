/** Many sessions started at once, and the daemon killed in the middle of it: each gets its turn, and none is given up. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "../../src/client/index.js";
import { TestDaemon } from "../e2e/test-daemon.js";

const SESSIONS = process.env["SIGNALBOX_LONG"] === "1" ? 2_000 : 300;
const OPENED_AT_ONCE = 50;
const PAGE = 1_000;

let folder: string;
let daemon: TestDaemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-burst-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open({ client }: TestDaemon, count: number): Promise<void> {
  let left = count;
  const openSome = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const args = ["sh", "-c", "echo here; exec cat"];
      await client.createSession({ harness: "terminal", cwd: folder, args });
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome));
}

/** How many sessions there are of each status, and what went wrong. */
async function count(client: Client): Promise<Readonly<Record<string, number>>> {
  const counted: Record<string, number> = {};
  let cursor: string | undefined;
  do {
    const page = await client.listSessions({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { status, error } of page.items) {
      const name = error ? `${status}: ${error.message}` : status;
      counted[name] = (counted[name] ?? 0) + 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return counted;
}

test(`${SESSIONS} terminals at once, the daemon killed after the last was accepted`, async () => {
  await open(daemon, SESSIONS);
  await daemon.kill("SIGKILL");
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  await expect
    .poll(async () => (await count(daemon.client))["creating"] ?? 0, { timeout: 300_000, interval: 500 })
    .toBe(0);
  const counted = await count(daemon.client);
  expect(Object.keys(counted).filter((name) => name.includes(":"))).toEqual([]);
  expect(Object.values(counted).reduce((sum, number) => sum + number, 0)).toBe(SESSIONS);
}, 600_000);
