/** `up --foreground` is the daemon's own process: a supervisor that kills it has killed the daemon. */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../src/client/index.js";
import { runSignalbox, startSignalbox } from "../cli/signalbox.js";

let folder = "";
let dataDir = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-foreground-"));
  dataDir = join(folder, "data");
});

afterEach(async () => {
  await runSignalbox(["down", "--all", "--data-dir", dataDir]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startForeground() {
  const child = startSignalbox(["up", "--foreground", "--json", "--port", "0", "--data-dir", dataDir]);
  child.stderr.resume();
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const ready = JSON.parse(line) as { url: string; token: string; pid: number; dataDir: string };
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, ready, exited };
}

test("what is started is what serves, and kill -9 of it leaves no daemon", async () => {
  const { child, ready, exited } = await startForeground();
  expect(ready).toMatchObject({ pid: child.pid, dataDir });
  const client = createClient(ready);
  expect((await client.health()).pid).toBe(child.pid);
  const agent = ["/bin/sh", "-c", "exec sleep 1000"];
  const { id } = await client.createSession({ harness: "terminal", cwd: folder, args: agent });
  await expect.poll(async () => (await client.getSession(id)).state.alive).toBe(true);
  child.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
  await expect(client.health()).rejects.toThrow();
  const status = await runSignalbox(["status", "--json", "--data-dir", dataDir]);
  expect(JSON.parse(status.stdout)).toEqual({ running: false, dataDir });
  // Its agents were never its own.
  const again = await startForeground();
  expect((await createClient(again.ready).getSession(id)).state.alive).toBe(true);
  again.child.kill("SIGTERM");
  expect(await again.exited).toEqual([0, null]);
});

test("it ends as the daemon does when asked to, and one that cannot start says why", async () => {
  const { ready, exited } = await startForeground();
  const second = await runSignalbox(["up", "--foreground", "--data-dir", dataDir]);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("the daemon runs already at")]);
  await createClient(ready).shutdown({ agents: true });
  expect(await exited).toEqual([0, null]);
  await expect(readFile(join(dataDir, "daemon.json"))).rejects.toThrow("ENOENT");
  const options = ["--host", "0.0.0.0", "--data-dir", dataDir];
  const refused = await runSignalbox(["up", "--foreground", ...options]);
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    2,
    "",
    expect.stringContaining("--host 0.0.0.0 is reachable by others"),
  ]);
});
