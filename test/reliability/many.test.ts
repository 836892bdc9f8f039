/** Many sessions and many clients at once, and one client that never reads. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestDaemon } from "../e2e/test-daemon.js";
import { RawFollower } from "./raw-follower.js";

const IS_LONG = process.env["SIGNALBOX_LONG"] === "1";
const SESSIONS = IS_LONG ? 1_000 : 60;
const CLIENTS = IS_LONG ? 1_000 : 60;
/** How many of the clients follow everything; each other follows one session. */
const WIDE_CLIENTS = 5;
const PIECES = 20;
const OPENED_AT_ONCE = 20;

const AGENT = new URL("./small-agent.sh", import.meta.url).pathname;

let folder: string;
let daemon: TestDaemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-many-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function openSessions(count: number, pieces: number): Promise<readonly string[]> {
  const ids: string[] = [];
  const openSome = async (): Promise<void> => {
    while (ids.length < count) {
      const index = ids.push("") - 1;
      const { id } = await daemon.client.createSession({
        harness: "script",
        cwd: folder,
        args: ["--program", AGENT],
        env: { PIECES: String(pieces) },
      });
      ids[index] = id;
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome));
  return ids;
}

async function allCompleted(ids: readonly string[]): Promise<void> {
  await expect
    .poll(
      async () => (await daemon.client.listSessions({ limit: 1_000, status: "completed" })).items.length,
      {
        timeout: 120_000,
        interval: 250,
      },
    )
    .toBe(ids.length);
}

const TEXT = Array.from({ length: PIECES }, (_, index) => `${index + 1} `).join("");

test("every client gets every event of its sessions, once and in order", async () => {
  const ids = await openSessions(SESSIONS, PIECES);
  await allCompleted(ids);
  const followers = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) =>
      RawFollower.open(daemon.ready, index < WIDE_CLIENTS ? null : (ids[index % ids.length] ?? null)),
    ),
  );
  await Promise.all(ids.map((id) => daemon.client.sendMessage(id, { text: "go" })));
  const expectedEnds = (follower: RawFollower): number => (follower.sessionId === null ? ids.length : 1);
  await expect
    .poll(() => followers.filter((follower) => follower.completedTurns < expectedEnds(follower)).length, {
      timeout: 240_000,
      interval: 250,
    })
    .toBe(0);
  for (const follower of followers) {
    expect(follower.faults).toEqual([]);
    const texts =
      follower.sessionId === null
        ? ids.map((id) => follower.textOf(id))
        : [follower.textOf(follower.sessionId)];
    expect(new Set(texts)).toEqual(new Set([TEXT]));
    follower.close();
  }
});

test("a client that never reads is cut off, and costs little", async () => {
  const ids = await openSessions(10, 2_000);
  await allCompleted(ids);
  const { hostname, port } = new URL(daemon.ready.url);
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(Number(port), hostname).pause();
    socket.write(
      `GET /v1/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${daemon.ready.token}\r\n\r\n`,
    );
    return socket;
  });
  const before = residentMib(daemon.ready.pid);
  const cutCount = async (): Promise<number> => {
    const metrics = await fetchMetrics();
    return sockets.length - Number(/^sse_clients (\d+)$/m.exec(metrics)?.[1]);
  };
  await expect.poll(cutCount).toBe(0);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(ids.map((id) => daemon.client.sendMessage(id, { text: "go" })));
    await sleep(100);
    await allCompleted(ids);
  }
  await expect.poll(cutCount).toBe(sockets.length);
  // 60,000 events of some 300 bytes to 20 clients would be 360 MiB.
  expect(residentMib(daemon.ready.pid) - before).toBeLessThan(150);
  for (const socket of sockets) socket.destroy();
});

async function fetchMetrics(): Promise<string> {
  const response = await fetch(`${daemon.ready.url}/metrics`, {
    headers: { authorization: `Bearer ${daemon.ready.token}` },
  });
  return response.text();
}

function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
