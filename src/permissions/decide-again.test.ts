/** A call that was decided before is decided by what the disk says now. */
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { Permissions } from "./permissions.js";
import { put, temporaryFolder } from "./temporary-folder.test.js";

/** Longer than the clock of a file system needs to tell two changes apart. */
const TICK_MS = 30;
/** What was changed just now is looked at each time; what has lasted for a while, only when its folder has changed. */
const CLOCKS = [
  ["just now", Date.now],
  ["a while ago", () => Date.now() + 60_000],
] as const;

function project(nowMs: () => number) {
  const root = realpathSync(temporaryFolder());
  const home = join(root, "ann");
  const cwd = join(home, "app");
  const configDir = join(home, ".config/signalbox");
  const rules =
    '[permissions]\nallow = ["Shell(cat *)", "Shell(echo *)", "Write(out/**)"]\ndeny = ["Read(~/vault/**)"]\n';
  put(join(configDir, "permissions.toml"), rules);
  put(join(home, "vault/key"), "");
  put(join(cwd, "notes/key"), "");
  mkdirSync(join(cwd, "out"));
  const onProblem = (what: string, error: unknown) => {
    throw new Error(what, { cause: error });
  };
  const permissions = new Permissions({
    dataDir: join(root, "data"),
    configDir,
    homeDir: home,
    onProblem,
    nowMs,
  });
  const verdict = (command: string, grants: readonly string[] = []) =>
    permissions.decide({ harness: "claude", cwd, grants }, { name: "Bash", input: { command } }).verdict;
  return { home, cwd, configDir, rules, verdict };
}

test.each(CLOCKS)("a file that became a link, written %s", async (_when, nowMs) => {
  const { home, cwd, verdict } = project(nowMs);
  expect([verdict("cat notes/key"), verdict("cat notes/key")]).toEqual(["allow", "allow"]);
  await pause(TICK_MS);
  rmSync(join(cwd, "notes/key"));
  symlinkSync(join(home, "vault/key"), join(cwd, "notes/key"));
  expect([verdict("cat notes/key"), verdict("cat notes/key")]).toEqual(["deny", "deny"]);
  await pause(TICK_MS);
  rmSync(join(cwd, "notes/key"));
  expect(verdict("cat notes/key")).toBe("allow");
});

test.each(CLOCKS)("a folder that became a link, written %s", async (_when, nowMs) => {
  const { home, cwd, verdict } = project(nowMs);
  expect(verdict("cat notes/key")).toBe("allow");
  await pause(TICK_MS);
  renameSync(join(cwd, "notes"), join(cwd, "moved"));
  symlinkSync(join(home, "vault"), join(cwd, "notes"));
  expect(verdict("cat notes/key")).toBe("deny");
});

test.each(CLOCKS)("a name that was nothing, and leads somewhere now, written %s", async (_when, nowMs) => {
  const { home, cwd, verdict } = project(nowMs);
  expect([verdict("echo x > out/new"), verdict("cat later")]).toEqual(["allow", "allow"]);
  await pause(TICK_MS);
  symlinkSync(join(home, "elsewhere"), join(cwd, "out/new"));
  symlinkSync(join(home, "vault/none"), join(cwd, "later"));
  expect([verdict("echo x > out/new"), verdict("cat later")]).toEqual(["none", "deny"]);
});

test.each(CLOCKS)("the same links in another order of looking, written %s", async (_when, nowMs) => {
  const { home, cwd, verdict } = project(nowMs);
  await pause(TICK_MS);
  symlinkSync(join(cwd, "notes"), join(cwd, "door"));
  expect(verdict("cat door/key door/../notes/key")).toBe("allow");
  await pause(TICK_MS);
  rmSync(join(cwd, "door"));
  symlinkSync(join(home, "vault"), join(cwd, "door"));
  expect(verdict("cat door/key door/../notes/key")).toBe("deny");
});

test.each(CLOCKS)("rules and grants that changed, written %s", async (_when, nowMs) => {
  const { cwd, configDir, rules, verdict } = project(nowMs);
  expect([verdict("ls"), verdict("ls", ["Shell(ls)"]), verdict("ls"), verdict("cat x")]).toEqual([
    "none",
    "allow",
    "none",
    "allow",
  ]);
  await pause(TICK_MS);
  writeFileSync(join(configDir, "permissions.toml"), rules.replace("Shell(cat *)", "Shell(cut *)"));
  expect(verdict("cat x")).toBe("none");
  await pause(TICK_MS);
  writeFileSync(join(configDir, "permissions.toml"), rules);
  expect(verdict("cat x")).toBe("allow");
  await pause(TICK_MS);
  put(join(cwd, ".signalbox/permissions.toml"), '[permissions]\ndeny = ["Shell(cat *)"]\n');
  expect(verdict("cat x")).toBe("deny");
  await pause(TICK_MS);
  writeFileSync(join(configDir, "permissions.toml"), "[permissions");
  expect([verdict("cat x"), verdict("echo x")]).toEqual(["deny", "ask"]);
});

test.each(CLOCKS)(
  "rules of folders above and of a person that come and go, written %s",
  async (_when, nowMs) => {
    const { home, cwd, configDir, verdict } = project(nowMs);
    const forbidding = '[permissions]\ndeny = ["Shell(cat *)"]\n';
    mkdirSync(join(configDir, "projects"));
    const personal = new Permissions({
      dataDir: join(home, "data"),
      configDir,
      homeDir: home,
      onProblem: () => undefined,
    });
    expect([verdict("cat x"), verdict("cat x")]).toEqual(["allow", "allow"]);
    for (const folder of [cwd, home]) {
      await pause(TICK_MS);
      put(join(folder, ".signalbox/permissions.toml"), forbidding);
      expect([verdict("cat x"), verdict("cat x")]).toEqual(["deny", "deny"]);
      await pause(TICK_MS);
      rmSync(join(folder, ".signalbox/permissions.toml"));
      expect([verdict("cat x"), verdict("cat x")]).toEqual(["allow", "allow"]);
      await pause(TICK_MS);
      // Its folder, which holds the name already, does not change.
      put(join(folder, ".signalbox/permissions.toml"), forbidding);
      expect(verdict("cat x")).toBe("deny");
      await pause(TICK_MS);
      rmSync(join(folder, ".signalbox"), { recursive: true });
      expect(verdict("cat x")).toBe("allow");
      await pause(TICK_MS);
      symlinkSync(join(home, "later"), join(folder, ".signalbox"));
      expect(verdict("cat x")).toBe("allow");
      put(join(home, "later/permissions.toml"), forbidding);
      expect(verdict("cat x")).toBe("deny");
      await pause(TICK_MS);
      rmSync(join(folder, ".signalbox"));
      rmSync(join(home, "later"), { recursive: true });
      expect(verdict("cat x")).toBe("allow");
    }
    await pause(TICK_MS);
    personal.add("Shell(cat *)", "deny", "project", cwd);
    expect([verdict("cat x"), verdict("cat x")]).toEqual(["deny", "deny"]);
    await pause(TICK_MS);
    rmSync(join(configDir, "projects"), { recursive: true });
    expect([verdict("cat x"), verdict("cat x")]).toEqual(["allow", "allow"]);
  },
);
