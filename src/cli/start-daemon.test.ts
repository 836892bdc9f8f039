import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandFailure } from "./command.js";
import { isAlive } from "./daemon-files.js";
import { findDaemon } from "./daemon-process.js";
import { daemonArguments, startDaemon } from "./start-daemon.js";
import { stopDaemon } from "./stop-daemon.js";

/** Does what the daemon promises to those who start it, and no more. */
const PROGRAM = `
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
const [, dataDir, , mode = "ready"] = process.argv.slice(2);
const { pid } = process;
if (mode === "fails") {
  console.error("first line\\n\\u001b[31mconfig.toml:3: expected a number");
  process.exit(2);
}
if (mode === "second") {
  console.error(dataDir + "/journal.db is open in another process.");
  process.exit(70);
}
if (mode === "taken") {
  console.log(JSON.stringify({ waiting: "the keeper is busy" }));
  console.log(JSON.stringify({ failed: { message: "another program listens at 127.0.0.1:4747", hint: "Choose another." } }));
  process.exit(70);
}
if (mode === "strange") console.log("hello");
else {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ ok: true, version: "1", pid, uptimeMs: 1, argv: process.argv }));
  });
  server.listen(0, "127.0.0.1", () => {
    const url = "http://127.0.0.1:" + server.address().port;
    writeFileSync(dataDir + "/token", "secret");
    writeFileSync(dataDir + "/daemon.json", JSON.stringify({ url, pid, version: "1", startedAtMs: 0 }));
    console.error("listening");
    console.log(JSON.stringify({ url, token: "secret", pid, dataDir }));
  });
  process.on("SIGTERM", () => process.exit(0));
}
setTimeout(() => process.exit(9), 30_000);
`;

let folder = "";
let program = "";
let dataDir = "";
const pids: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-start-"));
  program = join(folder, "daemon.mjs");
  dataDir = join(folder, "data");
  writeFileSync(program, PROGRAM);
});
afterEach(() => {
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

async function start(mode: string) {
  const daemon = await startDaemon(dataDir, ["--port", mode], program);
  pids.push(daemon.pid);
  return daemon;
}

test("starts a daemon, which is found from then on, and stops it", async () => {
  expect(await findDaemon(dataDir)).toBe(null);
  const daemon = await start("ready");
  expect(daemon).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
    token: "secret",
    pid: daemon.pid,
    dataDir,
  });
  const found = await findDaemon(dataDir);
  expect(found).toMatchObject({ ...daemon, health: { ok: true, pid: daemon.pid } });
  expect(readFileSync(join(dataDir, "daemon.log"), "utf8")).toBe("listening\n");
  expect([dataDir, join(dataDir, "daemon.log")].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o700, 0o600,
  ]);
  expect(await stopDaemon(dataDir)).toBe(true);
  expect(isAlive(daemon.pid)).toBe(false);
  expect(await findDaemon(dataDir)).toBe(null);
  expect(await stopDaemon(dataDir)).toBe(false);
});

describe("is not taken for the daemon, and gets no token:", () => {
  test("a server that is another process", async () => {
    const daemon = await start("ready");
    const file = { url: daemon.url, pid: process.pid, version: "1", startedAtMs: 0 };
    writeFileSync(join(dataDir, "daemon.json"), JSON.stringify(file));
    expect(await findDaemon(dataDir)).toBe(null);
  });

  test.each(["", "{", "[]", '{"url":"http://x"}', '{"url":"http://x","pid":"1"}', '{"url":"x","pid":-1}'])(
    "what the file %j names",
    async (text) => {
      const daemon = await start("ready");
      writeFileSync(join(dataDir, "daemon.json"), text);
      expect(await findDaemon(dataDir)).toBe(null);
      expect(isAlive(daemon.pid)).toBe(true);
    },
  );
});

test("a daemon that does not start is quoted", async () => {
  const error: unknown = await start("fails").catch((thrown: unknown) => thrown);
  expect(error).toEqual(
    new CommandFailure(
      "the daemon did not start; it said:\nfirst line\nconfig.toml:3: expected a number",
      `Its log is ${join(dataDir, "daemon.log")}.`,
      69,
    ),
  );
});

test("a port that another program has is told, with what to do about it", async () => {
  const error: unknown = await start("taken").catch((thrown: unknown) => thrown);
  expect(error).toEqual(
    new CommandFailure(
      "the daemon did not start: another program listens at 127.0.0.1:4747",
      "Choose another.",
      69,
    ),
  );
});

test("a data folder that is none is told, with what to do about it", async () => {
  writeFileSync(dataDir, "a file");
  const hint = "Name another one with --data-dir or SIGNALBOX_DATA_DIR, or make it yours.";
  const why = (how: string) =>
    new CommandFailure(`the data folder ${dataDir} cannot be used: ${how}`, hint, 69);
  const started: unknown = await start("ready").catch((thrown: unknown) => thrown);
  expect(started).toEqual(why(`EEXIST: file already exists, mkdir '${dataDir}'`));
  const found: unknown = await findDaemon(dataDir).catch((thrown: unknown) => thrown);
  expect(found).toEqual(why(`ENOTDIR: not a directory, open '${join(dataDir, "daemon.json")}'`));
});

test("a daemon that says something strange is not trusted", async () => {
  await expect(start("strange")).rejects.toThrow("the daemon said something strange: hello");
});

test("of two that start at once, the second is served by the first", async () => {
  const second = start("second");
  const first = await start("ready");
  expect(await second).toMatchObject({ pid: first.pid, url: first.url, token: "secret" });
});

test("the daemon's command line is what was asked for", () => {
  expect(daemonArguments({ port: "0" })).toEqual(["--port", "0"]);
  const args = daemonArguments({
    port: "80",
    host: "0.0.0.0",
    "tls-cert": "/c.pem",
    "tls-key": "/k.pem",
    "behind-proxy": true,
    "retention-days": "30",
    "log-level": "debug",
    "log-payloads": true,
  });
  expect(args.join(" ")).toBe(
    "--port 80 --host 0.0.0.0 --tls-cert /c.pem --tls-key /k.pem --behind-proxy --retention-days 30 --log-level debug --log-payloads",
  );
  expect(() => daemonArguments({ port: "70000" })).toThrow("not a port: 70000");
  expect(() => daemonArguments({ port: "-1" })).toThrow("not a port: -1");
});
