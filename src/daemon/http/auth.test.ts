import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { ACTING_FOR_HEADER } from "../../protocol/acting-for.js";
import { Log } from "../log/log.js";
import { createRedact } from "../log/redact.js";
import { Auth, loadOrCreateToken } from "./auth.js";
import { deviceName } from "./device-name.js";
import { Devices } from "./devices.js";
import { silentLog, temporaryFolder, TOKEN } from "./test-server.test.js";

test("the token is made once, has 256 bits, and only its owner may read it", async () => {
  const folder = temporaryFolder();
  const token = await loadOrCreateToken(folder, silentLog);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect(await loadOrCreateToken(folder, silentLog)).toBe(token);
  expect(statSync(join(folder, "token")).mode & 0o777).toBe(0o600);
  expect(await loadOrCreateToken(temporaryFolder(), silentLog)).not.toBe(token);
});

test("a token that others may read is closed to them, and the log says so", async () => {
  const folder = temporaryFolder();
  const token = await loadOrCreateToken(folder, silentLog);
  const path = join(folder, "token");
  chmodSync(path, 0o644);
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = new Log({ level: "warn", redact: createRedact({}), stream });
  expect(await loadOrCreateToken(folder, log)).toBe(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "warn", path, mode: "644" },
  ]);
});

test.each(["", "short", `${"t".repeat(43)}\nmore`, "t".repeat(44)])(
  "a file with %j holds no token",
  async (text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "token"), text, { mode: 0o600 });
    await expect(loadOrCreateToken(folder, silentLog)).rejects.toThrow("holds no token");
  },
);

test("no more than a hundred devices are kept; the one that was not used for the longest goes", async () => {
  const folder = temporaryFolder();
  let nowMs = 0;
  const devices = await Devices.load(folder, silentLog, () => nowMs);
  const secrets: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    nowMs += 1;
    secrets.push(await devices.add(`d${index}`, "own"));
  }
  nowMs += 3_600_001;
  expect(devices.find(secrets[0] ?? "")?.name).toBe("d0");
  await devices.add("one more", "own");
  expect(devices.list()).toHaveLength(100);
  expect(devices.find(secrets[0] ?? "")?.name).toBe("d0");
  expect(devices.find(secrets[1] ?? "")).toBeNull();
  const reloaded = await Devices.load(folder, silentLog, () => nowMs);
  expect(reloaded.list()).toEqual(devices.list());
});

test("a list of devices that cannot be read lets nobody in, and is not fatal", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "devices.json");
  for (const text of ["{", '{"devices":[{"id":1}]}', "null"]) {
    writeFileSync(path, text, { mode: 0o600 });
    const auth = await Auth.load(folder, TOKEN, silentLog);
    expect(auth.devices.list()).toEqual([]);
  }
  const auth = await Auth.load(folder, TOKEN, silentLog);
  await auth.devices.add("new", "own");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ devices: [{ name: "new" }] });
});

test("a device that could not be written down is not let in", async () => {
  const folder = join(temporaryFolder(), "not-there");
  const devices = await Devices.load(folder, silentLog, Date.now);
  await expect(devices.add("x", "own")).rejects.toThrow("ENOENT");
  expect(devices.list()).toEqual([]);
});

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 CriOS/130 Safari/604",
    "Chrome on iPhone",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0",
    "Edge on Windows",
  ],
  ["curl/8", "Browser"],
  ["", "Browser"],
])("%s is called %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});

test("whoever shows the token is the token, unless they say that they act for an agent", async () => {
  const auth = await Auth.load(temporaryFolder(), TOKEN, silentLog);
  const by = (actingFor?: string) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return auth.identify(actingFor === undefined ? headers : { ...headers, [ACTING_FOR_HEADER]: actingFor })
      ?.principal;
  };
  expect(by()).toEqual({ kind: "token", id: "token", name: "the token" });
  expect(by("mcp")).toEqual({ kind: "mcp", id: "mcp", name: "an MCP client" });
  expect(by("agent:s1")).toEqual({ kind: "agent", id: "s1", name: "the agent of session s1" });
  // Nothing that is said there gives rights.
  expect(["token", "device:d", "", "agent:a b", "host:h"].map((said) => by(said)?.kind)).toEqual(
    Array.from({ length: 5 }, () => "mcp"),
  );
});
