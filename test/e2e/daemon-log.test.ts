/** The daemon's log in a file, as a command or a service starts it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../src/client/index.js";
import { builtProgram } from "../built-program.js";

const MAIN = builtProgram("daemon/main.js");

let dataDir = "";

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "signalbox-log-"));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

/** Starts a daemon that logs to this file, and ends it when it is up. Gives its exit code. */
async function upAndDown(logPath: string): Promise<number | null> {
  const fd = openSync(logPath, "a");
  const args = [MAIN, "--data-dir", dataDir, "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", fd] });
  closeSync(fd);
  const { stdout } = child;
  if (!stdout) throw new Error("it has no stdout");
  const exited = once(child, "exit");
  const first = await Promise.race([once(createInterface({ input: stdout }), "line"), exited]);
  if (typeof first[0] === "string") {
    const { url, token } = JSON.parse(first[0]) as { readonly url: string; readonly token: string };
    await createClient({ url, token }).shutdown({ agents: true });
  }
  const [code] = (await exited) as [number | null];
  return code;
}

test("has a bound", async () => {
  const path = join(dataDir, "daemon.log");
  const before = "an older line\n".repeat(600_000);
  writeFileSync(path, before);
  expect(await upAndDown(path)).toBe(0);
  expect(readFileSync(`${path}.old`, "utf8") === before).toBe(true);
  expect(readFileSync(path, "utf8")).toContain('"msg":"listening"');
  expect(statSync(path).size).toBeLessThan(100_000);
});

test.runIf(process.platform === "linux")("on a full disk is no reason to end", async () => {
  expect(await upAndDown("/dev/full")).toBe(0);
});
