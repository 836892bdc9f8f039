import { expect, test } from "vitest";
import { OptionError, parseOptions } from "./options.js";

const DEFAULTS = {
  dataDir: "/state/signalbox",
  host: "127.0.0.1",
  port: 4747,
  orFreePort: false,
  hosts: [],
  tls: null,
  behindProxy: false,
  retentionMs: null,
  openFilesMax: null,
  wallMode: null,
  logLevel: "info",
  logPayloads: false,
  logToFile: false,
  crash: null,
};
const STATE = { XDG_STATE_HOME: "/state" };

test("flags come before the environment, and that before what is usual", () => {
  expect(parseOptions([], STATE)).toEqual(DEFAULTS);
  const atHome = { ...DEFAULTS, dataDir: "/h/.local/state/signalbox" };
  for (const path of ["", "state"])
    expect(parseOptions([], { HOME: "/h", XDG_STATE_HOME: path })).toEqual(atHome);
  const environment = {
    SIGNALBOX_DATA_DIR: "/data",
    SIGNALBOX_PORT: "1",
    SIGNALBOX_LOG_LEVEL: "warn",
    SIGNALBOX_RETENTION_DAYS: "7",
    SIGNALBOX_WALL: "require",
    SIGNALBOX_CRASH_AT: "before_commit:3",
  };
  const given = {
    ...DEFAULTS,
    dataDir: "/data",
    port: 1,
    wallMode: "require",
    logLevel: "warn",
    retentionMs: 604_800_000,
    crash: { point: "before_commit", passing: 3 },
  };
  expect(parseOptions([], environment)).toEqual(given);
  const flags = ["--data-dir", "/flag", "--port", "0", "--log-level", "debug", "--retention-days", "0.5"];
  expect(parseOptions([...flags, "--log-payloads", "--allowed-host", "box.example"], environment)).toEqual({
    ...given,
    dataDir: "/flag",
    port: 0,
    logLevel: "debug",
    logPayloads: true,
    logToFile: false,
    retentionMs: 43_200_000,
    hosts: ["box.example"],
  });
});

test("listening where others can reach it needs TLS, or somebody who does it", () => {
  expect(() => parseOptions(["--host", "0.0.0.0"], STATE)).toThrow(OptionError);
  expect(parseOptions(["--host", "0.0.0.0", "--behind-proxy"], STATE)).toEqual({
    ...DEFAULTS,
    host: "0.0.0.0",
    hosts: ["0.0.0.0"],
    behindProxy: true,
  });
  expect(parseOptions(["--host", "box", "--tls-cert", "c", "--tls-key", "k"], STATE)).toEqual({
    ...DEFAULTS,
    host: "box",
    hosts: ["box"],
    tls: { certFile: "c", keyFile: "k" },
  });
});

test.each([
  ["--port", "x"],
  ["--port", "65536"],
  ["--log-level", "loud"],
  ["--retention-days", "0"],
  ["--tls-cert", "only"],
])("%s %s is refused", (flag, value) => {
  expect(() => parseOptions([flag, value], STATE)).toThrow(OptionError);
});

test("a crash point that does not exist is refused", () => {
  expect(() => parseOptions([], { ...STATE, SIGNALBOX_CRASH_AT: "nowhere" })).toThrow(OptionError);
});
