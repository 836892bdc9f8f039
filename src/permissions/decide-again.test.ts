/** A call that was decided before is decided by what the disk says now. */
import {
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Permissions } from "./permissions.js";
import { realPath, type RealPaths } from "./resolve/resolve-path.js";
import { put, temporaryFolder } from "./temporary-folder.test.js";

function project() {
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
  const permissions = new Permissions({ dataDir: join(root, "data"), configDir, homeDir: home, onProblem });
  const verdict = (command: string, grants: readonly string[] = []) =>
    permissions.decide({ harness: "claude", cwd, grants }, { name: "Bash", input: { command } }).verdict;
  return { home, cwd, configDir, rules, verdict };
}

test("a file that became a link", () => {
  const { home, cwd, verdict } = project();
  expect([verdict("cat notes/key"), verdict("cat notes/key")]).toEqual(["allow", "allow"]);
  rmSync(join(cwd, "notes/key"));
  symlinkSync(join(home, "vault/key"), join(cwd, "notes/key"));
  expect([verdict("cat notes/key"), verdict("cat notes/key")]).toEqual(["deny", "deny"]);
  rmSync(join(cwd, "notes/key"));
  expect(verdict("cat notes/key")).toBe("allow");
});

test("a folder that became a link", () => {
  const { home, cwd, verdict } = project();
  expect(verdict("cat notes/key")).toBe("allow");
  renameSync(join(cwd, "notes"), join(cwd, "moved"));
  symlinkSync(join(home, "vault"), join(cwd, "notes"));
  expect(verdict("cat notes/key")).toBe("deny");
});

test("a name that was nothing, and leads somewhere now", () => {
  const { home, cwd, verdict } = project();
  expect([verdict("echo x > out/new"), verdict("cat later")]).toEqual(["allow", "allow"]);
  symlinkSync(join(home, "elsewhere"), join(cwd, "out/new"));
  symlinkSync(join(home, "vault/none"), join(cwd, "later"));
  expect([verdict("echo x > out/new"), verdict("cat later")]).toEqual(["none", "deny"]);
});

test("the same links in another order of looking", () => {
  const { home, cwd, verdict } = project();
  symlinkSync(join(cwd, "notes"), join(cwd, "door"));
  expect(verdict("cat door/key door/../notes/key")).toBe("allow");
  rmSync(join(cwd, "door"));
  symlinkSync(join(home, "vault"), join(cwd, "door"));
  expect(verdict("cat door/key door/../notes/key")).toBe("deny");
});

test("rules and grants that changed", () => {
  const { cwd, configDir, rules, verdict } = project();
  expect([verdict("ls"), verdict("ls", ["Shell(ls)"]), verdict("ls"), verdict("cat x")]).toEqual([
    "none",
    "allow",
    "none",
    "allow",
  ]);
  writeFileSync(join(configDir, "permissions.toml"), rules.replace("Shell(cat *)", "Shell(cut *)"));
  expect(verdict("cat x")).toBe("none");
  writeFileSync(join(configDir, "permissions.toml"), rules);
  expect(verdict("cat x")).toBe("allow");
  put(join(cwd, ".signalbox/permissions.toml"), '[permissions]\ndeny = ["Shell(cat *)"]\n');
  expect(verdict("cat x")).toBe("deny");
  writeFileSync(join(configDir, "permissions.toml"), "[permissions");
  expect([verdict("cat x"), verdict("echo x")]).toEqual(["deny", "ask"]);
});

/** Name by name, asking the system for nothing but what a link says. */
function slowRealPath(path: string, links = 0): string {
  if (path === "/" || path === "") return "/";
  if (links > 40) return normalize(path);
  try {
    return realpathSync.native(path);
  } catch {
    const folder = slowRealPath(dirname(path), links);
    const place = join(folder, path.slice(path.lastIndexOf("/") + 1));
    try {
      const link = readlinkSync(place);
      return slowRealPath(link.startsWith("/") ? link : `${folder}/${link}`, links + 1);
    } catch {
      return place;
    }
  }
}

test("where paths lead does not depend on which was looked at first", () => {
  const name = fc.constantFrom("a", "b", "c");
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  const step = fc.record({ path, target: fc.option(path), isAbsolute: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), fc.array(path, { maxLength: 6 }), (steps, asked) => {
      const root = realpathSync(temporaryFolder());
      for (const { path: place, target, isAbsolute } of steps) {
        try {
          if (target === null) mkdirSync(join(root, place), { recursive: true });
          else symlinkSync(isAbsolute ? join(root, target) : target, join(root, place));
        } catch {
          // Something is there already, or nothing that it could be in: then it is left out.
        }
      }
      const seen: RealPaths = new Map();
      const paths = asked.map((each) => join(root, each));
      expect(paths.map((each) => realPath(each, seen))).toEqual(paths.map((each) => slowRealPath(each)));
      rmSync(root, { recursive: true });
    }),
    { numRuns: 150 },
  );
});
