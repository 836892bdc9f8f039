/** A daemon with TLS, or elsewhere than on loopback: commands of the same machine reach it by a socket in its folder. */
import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { mkdirSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSignalbox, type Ended } from "../cli/signalbox.js";

let folder = "";
let dataDir = "";
let ready: { readonly url: string; readonly token: string; readonly pid: number };

/** Long enough that a socket in it would have too long a path. */
const LONG = "a-folder-with-a-rather-long-name-".repeat(3);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-tls-"));
  dataDir = join(folder, LONG);
  mkdirSync(dataDir, { mode: 0o700 });
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...made, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const args = ["--port", "0", "--host", "0.0.0.0", "--tls-cert", cert, "--tls-key", key];
  const { code, stdout, stderr } = await run("up", "--json", ...args);
  expect([code, stderr]).toEqual([0, ""]);
  ready = JSON.parse(stdout) as typeof ready;
});

afterAll(async () => {
  await run("down", "--all");
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function run(command: string, ...args: readonly string[]): Promise<Ended> {
  return runSignalbox([command, ...args, "--data-dir", dataDir]);
}

/** The status of a call at the socket. */
async function statusAt(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const file = JSON.parse(await readFile(join(dataDir, "daemon.json"), "utf8")) as { socket: string };
  return new Promise((resolve, reject) => {
    request({ socketPath: file.socket, path, headers, agent: false })
      .on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", reject)
      .end();
  });
}

test("status, ls, run and open work, and no second daemon is started", async () => {
  const status = await run("status", "--json");
  expect([status.code, status.stderr]).toEqual([0, ""]);
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, url: ready.url, pid: ready.pid });
  expect(ready.url).toMatch(/^https:\/\/0\.0\.0\.0:\d+$/);
  expect(await run("ls", "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  const created = await run("new", "terminal", "--json", "--arg=/bin/sh");
  expect([created.code, created.stderr]).toEqual([0, ""]);
  const link = JSON.parse((await run("open", "--json")).stdout) as { url: string };
  expect(link.url).toMatch(/^https:\/\/localhost:\d+\/login\?code=/);
  const again = await run("up", "--json");
  expect([again.code, (JSON.parse(again.stdout) as typeof ready).pid]).toEqual([0, ready.pid]);
});

test("the socket is ours alone, wants the token, minds no Host, and lets no browser in", async () => {
  const { socket } = JSON.parse(await readFile(join(dataDir, "daemon.json"), "utf8")) as { socket: string };
  const { mode } = await stat(socket);
  expect((mode & 0o777).toString(8)).toBe("600");
  const token = { authorization: `Bearer ${ready.token}` };
  const statuses = {
    bare: await statusAt("/v1/sessions", {}),
    wrong: await statusAt("/v1/sessions", { authorization: `Bearer ${"x".repeat(43)}` }),
    good: await statusAt("/v1/sessions", token),
    otherHost: await statusAt("/v1/sessions", { ...token, host: "example.com" }),
    origin: await statusAt("/v1/sessions", { ...token, origin: ready.url }),
    nullOrigin: await statusAt("/healthz", { origin: "null" }),
    fetched: await statusAt("/v1/sessions", { ...token, "sec-fetch-site": "same-origin" }),
    mode: await statusAt("/v1/sessions", { ...token, "sec-fetch-mode": "cors" }),
  };
  expect(statuses).toEqual({
    bare: 401,
    wrong: 401,
    good: 200,
    otherHost: 200,
    origin: 403,
    nullOrigin: 403,
    fetched: 403,
    mode: 403,
  });
});
