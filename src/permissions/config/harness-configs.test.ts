import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { put, temporaryFolder } from "../temporary-folder.test.js";
import { TrustStore } from "../trust/trust-store.js";
import { ConfigError, HarnessConfigs } from "./harness-configs.js";

function folders() {
  const home = temporaryFolder();
  const configDir = join(home, ".config/signalbox");
  const outer = join(home, "code");
  const inner = join(outer, "app");
  put(join(configDir, "config.toml"), '[harness.claude]\nmodel = "own"\nenv = { A = "own", B = "own" }\n');
  put(join(outer, ".signalbox/config.toml"), '[harness.claude]\nargs = ["outer"]\nenv = { B = "outer" }\n');
  const innerFile = put(join(inner, ".signalbox/config.toml"), '[harness.claude]\nargs = ["inner"]\n');
  const trust = new TrustStore(configDir);
  const pin = (folder: string) => {
    const { content } = trust.trustOf(folder, null);
    trust.pin(folder, content.type === "content" ? content.hash : "", 1);
  };
  return {
    configDir,
    outer,
    inner,
    innerFile,
    pin,
    configs: new HarnessConfigs({ configDir, homeDir: home }, trust),
  };
}

const OWN = { model: "own", env: { A: "own", B: "own" } };

test("what a project says counts when its folder is trusted, and what is nearer goes before", () => {
  const { configs, outer, inner, innerFile, pin } = folders();
  const outerFile = join(outer, ".signalbox/config.toml");
  const ignored = [outerFile, innerFile].map((file) => ({ file, harnesses: ["claude"] }));
  expect(configs.configFor(inner)).toEqual({ harnesses: { claude: OWN }, ignored });
  pin(outer);
  expect(configs.configFor(inner)).toEqual({
    harnesses: { claude: { model: "own", env: { A: "own", B: "outer" }, args: ["outer"] } },
    ignored: ignored.slice(1),
  });
  pin(inner);
  expect(configs.configFor(inner)).toEqual({
    harnesses: { claude: { model: "own", env: { A: "own", B: "outer" }, args: ["inner"] } },
    ignored: [],
  });
  expect(configs.own()).toEqual({ claude: OWN });
});

test("other bytes than the trusted ones do not count", () => {
  const { configs, inner, innerFile, pin } = folders();
  pin(inner);
  expect(configs.configFor(inner).harnesses["claude"]?.args).toEqual(["inner"]);
  writeFileSync(innerFile, '[harness.claude]\ncommand = "evil"\n');
  expect(configs.configFor(inner).harnesses).toEqual({ claude: OWN });
});

test("a broken file is an error when it counts, and nothing else when it does not", () => {
  const { configs, configDir, inner, innerFile, pin } = folders();
  writeFileSync(innerFile, "[harness.claude]\nargs = 1\n");
  expect(configs.configFor(inner).ignored.at(-1)).toEqual({ file: innerFile, harnesses: [] });
  pin(inner);
  expect(() => configs.configFor(inner)).toThrow(
    new ConfigError(`${innerFile}:2:1: "harness.claude.args": expected a list`),
  );
  writeFileSync(join(configDir, "config.toml"), "[harness.claude]\nx = 1\n");
  expect(() => configs.own()).toThrow(/config\.toml:2:1: "harness\.claude\.x" is not known/);
});

test("whoever is to trust a folder sees what it would run", () => {
  const { configs, outer } = folders();
  expect(configs.linesOf(outer)).toEqual([
    '[harness.claude] args = ["outer"]',
    '[harness.claude] env = {"B":"outer"}',
  ]);
});

test("when idle agents are ended is the person's own to say, and for one agent a project's too", () => {
  const { configs, configDir, inner, innerFile, pin } = folders();
  expect(configs.idleAfter()).toBeNull();
  put(join(configDir, "config.toml"), '[idle]\nafter = "2h"\n[harness.claude]\nidle_after = "off"\n');
  writeFileSync(innerFile, '[idle]\nafter = "1s"\n[harness.claude]\nidle_after = "5m"\n');
  expect([configs.idleAfter(), configs.configFor(inner).harnesses["claude"]?.idle_after]).toEqual([
    "2h",
    "off",
  ]);
  pin(inner);
  expect([configs.idleAfter(), configs.configFor(inner).harnesses["claude"]?.idle_after]).toEqual([
    "2h",
    "5m",
  ]);
});

test("a project's file makes the network narrower, and lists nothing", () => {
  const { configs, configDir, inner, innerFile } = folders();
  const own = (network: string) =>
    put(join(configDir, "config.toml"), `[wall]\nnetwork = "${network}"\nservices = ["127.0.0.1:5432"]\n`);
  const theirs = (network: string) =>
    writeFileSync(
      innerFile,
      `[wall]\nnetwork = "${network}"\nhosts = ["*.example.org"]\npresets = ["npm"]\n`,
    );
  const found = (mine: string, other: string) => {
    own(mine);
    theirs(other);
    return configs.wallFor(inner);
  };
  const services = ["127.0.0.1:5432"];
  expect(found("listed", "open")).toEqual({ network: "listed", services });
  expect(found("listed", "closed")).toEqual({ network: "closed", services });
  expect(found("open", "listed")).toEqual({ network: "listed", services });
  expect(found("closed", "listed")).toEqual({ network: "closed", services });
  expect(found("open", "open")).toEqual({ network: "open", services });
  // Where nobody has chosen, hosts are listed, and no project opens them.
  put(join(configDir, "config.toml"), "[wall]\n");
  expect(configs.wallFor(inner)).toEqual({ network: "listed" });
});

test.each([
  ["hosts", "https://example.org"],
  ["hosts", "*"],
  ["hosts", "example.org/path"],
  ["services", "127.0.0.1"],
  ["services", "5432"],
  ["presets", "everything"],
])("[wall] %s takes no %j", (key, value) => {
  const { configs, configDir } = folders();
  put(join(configDir, "config.toml"), `[wall]\n${key} = ["${value}"]\n`);
  expect(() => configs.ownWall()).toThrow(ConfigError);
});
