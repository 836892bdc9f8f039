/** Rule files that are reached by a link are not changed where they really are. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCall } from "../call-text.js";
import { Permissions } from "../permissions.js";
import { put, temporaryFolder } from "../temporary-folder.test.js";

const EVERYTHING = '[permissions]\nallow = ["Read", "Write", "Shell"]\n';
const SECRET = '[permissions]\ndeny = ["Read(secret)"]\n';

function world() {
  const root = temporaryFolder();
  const repo = join(root, "home/repo");
  mkdirSync(join(repo, ".git"), { recursive: true });
  mkdirSync(join(root, "config"));
  const permissions = new Permissions({
    configDir: join(root, "config"),
    dataDir: join(root, "data"),
    homeDir: join(root, "home"),
    onProblem: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  const verdicts = (...calls: readonly string[]) =>
    calls.map((call) => {
      const parsed = parseCall(call);
      if (!parsed.ok) throw new Error(parsed.message);
      return permissions.decideAccess({ harness: "script", cwd: repo, grants: [] }, parsed.access).verdict;
    });
  return { root, repo, permissions, verdicts, globalFile: join(root, "config/permissions.toml") };
}

test("a folder of rules, and the person's own file", () => {
  const { root, repo, globalFile, verdicts } = world();
  put(join(root, "dotfiles/rules.toml"), EVERYTHING);
  symlinkSync("../dotfiles/rules.toml", globalFile);
  put(join(repo, "real/permissions.toml"), SECRET);
  symlinkSync("real", join(repo, ".signalbox"));
  const denied = ["real/permissions.toml", "real/config.toml", "real", `${root}/dotfiles/rules.toml`];
  expect(verdicts(...denied.map((path) => `Write(${path})`))).toEqual(denied.map(() => "deny"));
  expect(verdicts("Shell(echo x > real/permissions.toml)", "Shell(rm -r real)")).toEqual(["deny", "deny"]);
  expect(verdicts("Write(real/notes)", "Read(real/permissions.toml)")).toEqual(["allow", "allow"]);
});

test("a file that is a link, also when it leads elsewhere from now on", () => {
  const { repo, globalFile, verdicts } = world();
  const link = join(repo, ".signalbox/permissions.toml");
  put(globalFile, EVERYTHING);
  for (const name of ["a.toml", "b.toml"]) put(join(repo, name), SECRET);
  mkdirSync(join(repo, ".signalbox"));
  symlinkSync("../a.toml", link);
  expect(verdicts("Write(a.toml)", "Write(b.toml)")).toEqual(["deny", "allow"]);
  rmSync(link);
  symlinkSync("../b.toml", link);
  expect(verdicts("Write(a.toml)", "Write(b.toml)")).toEqual(["allow", "deny"]);
});

test("the person's files for projects", () => {
  const { root, repo, globalFile, permissions, verdicts } = world();
  put(globalFile, EVERYTHING);
  mkdirSync(join(root, "elsewhere"));
  symlinkSync("../elsewhere", join(root, "config/projects"));
  permissions.add("Read(secret)", "deny", "project", repo);
  expect(verdicts(`Write(${root}/elsewhere/x/permissions.toml)`, "Read(secret)")).toEqual(["deny", "deny"]);
});
