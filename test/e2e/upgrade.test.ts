/** `signalbox up` with an older daemon, as a service, and with two agents in one folder. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../src/client/index.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-up-"));
});
afterEach(async () => {
  await runSignalbox(["down", "--all", "--data-dir", join(folder, "data")]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A real daemon that thinks it is of another version. */
function daemonOf(version: string): Promise<TestDaemon> {
  const code = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const read = fs.readFileSync;
fs.readFileSync = (path, ...rest) => {
  const text = read(path, ...rest);
  return String(path).endsWith("/package.json") ? String(text).replace(/"version": *"[^"]*"/, '"version":"${version}"') : text;
};
syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`;
  return TestDaemon.start({ dataDir: join(folder, "data"), env: { NODE_OPTIONS } });
}

test("an older daemon is replaced where it was, and its agents go on", async () => {
  const old = await daemonOf("0.0.1");
  expect((await old.client.health()).version).toBe("0.0.1");
  const args = ["/bin/sh", "-c", "echo $$; sleep 1000"];
  const { id } = await old.client.createSession({ harness: "terminal", cwd: folder, args });
  await expect.poll(async () => (await old.client.getSession(id)).state.alive).toBe(true);
  const { code, stdout, stderr } = await runSignalbox(["up", "--json", "--data-dir", old.dataDir]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/the daemon was 0\.0\.1 and is now \d/)]);
  await old.exited;
  const ready = JSON.parse(stdout) as { url: string; token: string; pid: number };
  expect(ready).toMatchObject({ url: old.ready.url, token: old.ready.token });
  const client = createClient(ready);
  expect((await client.health()).version).not.toBe("0.0.1");
  const { state, run } = await client.getSession(id);
  expect([state.alive, run]).toEqual([true, 1]);
  const again = await runSignalbox(["up", "--json", "--data-dir", old.dataDir]);
  expect([JSON.parse(again.stdout), again.stderr]).toEqual([ready, ""]);
});

test("a newer daemon stays", async () => {
  const newer = await daemonOf("99.0.0");
  const { code, stdout, stderr } = await runSignalbox(["up", "--json", "--data-dir", newer.dataDir]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("the daemon is newer (99.0.0)")]);
  expect(JSON.parse(stdout)).toMatchObject({ pid: newer.ready.pid });
});

test.runIf(process.platform === "linux")(
  "a service is written and removed; without systemd that is said",
  async () => {
    const env = {
      XDG_CONFIG_HOME: join(folder, "config"),
      DBUS_SESSION_BUS_ADDRESS: "",
      XDG_RUNTIME_DIR: folder,
    };
    const unit = join(folder, "config", "systemd", "user", "signalbox.service");
    const dataDir = join(folder, "data 100%");
    const installed = await runSignalbox(
      ["up", "--install", "--port", "4999", "--data-dir", dataDir],
      "",
      env,
    );
    expect([installed.code, installed.stderr]).toEqual([0, ""]);
    expect(installed.stdout).toBe(
      `wrote ${unit}\nsystemctl is not available here, so the daemon was not started. It starts when you next log in where it is.\n`,
    );
    const text = await readFile(unit, "utf8");
    expect(text).toContain("\nKillMode=process\n");
    expect(text).toMatch(/\nExecStart="[^"]*node[^"]*" .*"--data-dir" "[^"]*\/data 100%%" "--port" "4999"\n/);
    // What the daemon says on stdout has the token in it, which the journal of the system must not have.
    expect(text).toContain(`\nStandardOutput=null\nStandardError=append:${dataDir}%/daemon.log\n`);
    const removed = await runSignalbox(["up", "--uninstall"], "", env);
    expect([removed.code, removed.stdout.split(";")[0]]).toEqual([0, `removed ${unit}`]);
    await expect(readFile(unit)).rejects.toThrow("ENOENT");
  },
);

test("who starts a second agent in a folder is warned", async () => {
  const words = ["--cwd", folder, "--data-dir", join(folder, "data")];
  await runSignalbox(["up", "--port", "0", "--data-dir", join(folder, "data")]);
  const first = await runSignalbox(["new", "terminal", "--arg", "cat", "--title", "One", ...words]);
  expect([first.code, first.stderr]).toEqual([0, ""]);
  const script = ["--arg=--script", `--arg=${join(process.cwd(), "docs/examples/slow-agent.json")}`];
  const second = await runSignalbox(["new", "script", "Count", ...script, "--title", "Two", ...words]);
  await runSignalbox([
    "wait",
    second.stdout.trim(),
    "--for",
    "streaming",
    "--data-dir",
    join(folder, "data"),
  ]);
  const third = await runSignalbox(["new", "script", "Hello", ...words]);
  expect(third.stderr).toMatch(/^signalbox: \S+ \(.*\).* works? in this folder too; --workspace gives each/);
});
