import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Access, FileAccess, ResolvedAccess } from "../../core/index.js";
import { resolveAccesses } from "./resolve-accesses.js";
import { resolveHost } from "./resolve-host.js";
import { realPath } from "./resolve-path.js";

let root = "";

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-resolve-")));
  mkdirSync(join(root, "app/src"), { recursive: true });
  mkdirSync(join(root, "vault"));
  mkdirSync(join(root, "ann"));
  writeFileSync(join(root, "vault/key"), "");
  writeFileSync(join(root, "app/src/a.ts"), "");
  symlinkSync(join(root, "vault"), join(root, "app/out"));
  symlinkSync("../../vault/new", join(root, "app/src/dangling"));
  symlinkSync("loop", join(root, "app/loop"));
  symlinkSync(join(root, "app"), join(root, "alias"));
  mkdirSync(join(root, "odd"));
  symlinkSync("/proc/self/cwd", join(root, "odd/own"));
  symlinkSync("own", join(root, "odd/behind"));
  mkdirSync(join(root, "odd/sub"));
  symlinkSync("secret/token", join(root, "odd/sub/rel"));
  writeFileSync(join(root, "odd/sub/a.ts"), "");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function resolve(access: Access, cwd = "app"): ResolvedAccess | undefined {
  const context = { cwd: join(root, cwd), projectDir: join(root, cwd), homeDir: join(root, "ann") };
  return resolveAccesses([access], context)[0];
}

function file(path: string, cwd?: string): FileAccess {
  const resolved = resolve({ category: "Read", path }, cwd);
  if (resolved?.category !== "Read") throw new Error("not a file");
  return resolved;
}

/** The first that has a folder right below the root. */
function listedUser(): readonly string[] {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const fields = lines.map((line) => line.split(":")).find((line) => /^\/[^/]+$/.test(line[5] ?? ""));
  return [fields?.[0] ?? "", fields?.[5] ?? ""];
}

/** Without the folder of this test. */
function short(paths: readonly string[]): readonly string[] {
  return paths.map((path) => path.replace(root, ""));
}

describe("where a path leads", () => {
  test.each([
    ["src/a.ts", ["/app/src/a.ts"]],
    ["./src/../src/a.ts", ["/app/src/a.ts"]],
    ["src/new/deep.ts", ["/app/src/new/deep.ts"]],
    ["../vault/key", ["/vault/key"]],
    ["out/key", ["/vault/key"]],
    ["out/new/deep", ["/vault/new/deep"]],
    ["src/dangling", ["/vault/new"]],
    ["loop", ["/app/loop"]],
    ["~/notes", ["/ann/notes"]],
    ["~ann/notes", ["/ann/notes"]],
    ["src/", ["/app/src"]],
  ])("%s", (path, expected) => {
    expect(short(file(path).targets)).toEqual(expected);
  });

  test("by its letters and by the system, when these differ", () => {
    expect(short(file("out/../src/a.ts").targets)).toEqual(["/app/src/a.ts", "/src/a.ts"]);
  });

  test("through the folders that Linux shows of a process", () => {
    expect(short(file(`/proc/self/root${root}/vault/key`).targets)).toEqual(["/vault/key"]);
    expect(short(file("/proc/123/cwd/src/a.ts").targets)).toEqual(["/app/src/a.ts"]);
  });

  test("to the home folder of a user that the system lists", () => {
    const [name = "", home = ""] = listedUser();
    expect(file(`~${name}/..${root}/vault/key`).targets).toContain(join(home, `..${root}/vault/key`));
  });

  test.each([
    "~nobody-here/notes",
    "~nobody-here/../notes",
    "own/src/a.ts",
    "own/../src/a.ts",
    "behind/src/a.ts",
    "/proc/self/fd/../cwd/src/a.ts",
    "/dev/fd/../cwd/src/a.ts",
    "/proc/self/fd/3/src/a.ts",
  ])("anywhere: %s", (path) => {
    const { exact, targets, paths } = file(path, "odd");
    expect({ exact, targets, path: paths[0] }).toEqual({ exact: false, targets: [], path: "/**" });
  });

  test("where a pattern goes through the folder of a process, it is anywhere", () => {
    for (const command of ["cat own/*.ts", "cat ow*/src/a.ts"]) {
      const access = resolve({ category: "Shell", command, shell: "bash" }, "odd");
      expect(
        access?.category === "Shell" && access.files.flatMap(({ access: found }) => found.paths),
      ).toContain("/**");
    }
  });

  test("nowhere else, when it was opened under a number", () => {
    expect(file("/dev/stdin").targets).toEqual(["/dev/stdin"]);
    expect(file("/proc/self/fd/0").targets).toEqual(["/proc/self/fd/0"]);
  });

  test("nowhere, with a zero byte", () => {
    expect(file("a\0b").targets).toEqual([]);
  });
});

test("all names of a file: as given, real, and in the project", () => {
  expect(file("out/key")).toEqual({
    category: "Read",
    path: "out/key",
    paths: [`${root}/app/out/key`, `${root}/vault/key`],
    targets: [`${root}/vault/key`],
    exact: true,
    project: `${root}/app`,
    home: `${root}/ann`,
  });
  expect(file("src/a.ts").paths).toEqual([`${root}/app/src/a.ts`, "src/a.ts"]);
});

test("a project behind a link is its real folder", () => {
  const { project, paths } = file("src/a.ts", "alias");
  expect(project).toBe(`${root}/app`);
  expect(short(paths)).toEqual(["/alias/src/a.ts", "/app/src/a.ts", "src/a.ts"]);
});

test("a path of any length is followed, or not", () => {
  expect(realPath(`/${"a/".repeat(5_000)}b`)).toBe(`/${"a/".repeat(5_000)}b`);
  expect(realPath("/")).toBe("/");
});

describe("a command", () => {
  test("runs where it says", () => {
    const access = resolve({ category: "Shell", command: "echo > x", shell: "bash", cwd: "src" });
    expect(
      access?.category === "Shell" && access.files.map(({ access: found }) => short(found.targets)),
    ).toEqual([["/app/src/x"]]);
  });

  test("writes where its links lead", () => {
    const access = resolve({ category: "Shell", command: "echo > out/x", shell: "bash" });
    expect(
      access?.category === "Shell" && access.files.map(({ access: found }) => short(found.targets)),
    ).toEqual([["/vault/x"]]);
  });

  test("with a computed name gives a pattern", () => {
    const access = resolve({ category: "Shell", command: "cat *.ts", shell: "bash" });
    const [found] = access?.category === "Shell" ? access.files : [];
    expect(found && { ...found.access, paths: short(found.access.paths) }).toEqual({
      category: "Read",
      path: `${root}/app/*.ts`,
      paths: ["/app/*.ts"],
      targets: [],
      exact: false,
      project: `${root}/app`,
      home: `${root}/ann`,
    });
  });
});

test.each([
  ["example.org", ["example.org"]],
  ["EXAMPLE.org.", ["example.org"]],
  ["https://user:pass@example.org:8443/path?x#y", ["example.org"]],
  ["example.org:80", ["example.org"]],
  ["bücher.example", ["xn--bcher-kva.example", "bücher.example"]],
  ["xn--bcher-kva.example", ["xn--bcher-kva.example", "bücher.example"]],
  ["0x7f.1", ["127.0.0.1"]],
  ["2130706433", ["127.0.0.1"]],
  ["[::1]", ["::1"]],
  ["::1", ["::1"]],
  ["[::ffff:127.0.0.1]", ["127.0.0.1", "::ffff:7f00:1"]],
  ["ftp://example.org/x", ["example.org"]],
  ["not a host", ["not a host"]],
])("the names of %s", (host, hosts) => {
  expect(resolveHost(host)).toEqual({ category: "Web", host: hosts[0], hosts });
});

test("what needs no following stays as it is", () => {
  const mcp = { category: "Mcp", server: "a", tool: "b" } as const;
  const tool = { category: "Tool", name: "x" } as const;
  expect([resolve(mcp), resolve(tool)]).toEqual([mcp, tool]);
});

describe("the files that a pattern stands for", () => {
  function paths(word: string): readonly string[] {
    const resolved = resolve({ category: "Shell", command: `cat ${word}`, shell: "bash" });
    if (resolved?.category !== "Shell") throw new Error("no line");
    return short(resolved.files.flatMap(({ access }) => access.paths));
  }

  test.each([
    ["src/*.ts", ["/app/src/*.ts"]],
    ["./src/.././src/*.ts", ["/app/src/*.ts"]],
    // A link before the pattern, one that fits it, and one behind a name that fits.
    ["out/*", ["/app/out/*", "/vault/*"]],
    ["src/d*", ["/app/src/d*", "/vault/new"]],
    ["o*/key", ["/app/o*/key", "/vault/key"]],
    ["*/dangling", ["/app/*/dangling", "/app/loop/dangling", "/vault/dangling", "/vault/new"]],
    ["s*/../out/key", ["/**"]],
    ["none/*", ["/app/none/*"]],
  ])("%s", (word, expected) => {
    expect(paths(word).toSorted()).toEqual(expected);
  });

  test("again, when a link has come", () => {
    expect(paths("src/later*")).toEqual(["/app/src/later*"]);
    symlinkSync(join(root, "vault/key"), join(root, "app/src/later"));
    expect(paths("src/later*")).toEqual(["/app/src/later*", "/vault/key"]);
    rmSync(join(root, "app/src/later"));
    expect(paths("src/later*")).toEqual(["/app/src/later*"]);
  });

  test("anywhere, when there are too many to look at", () => {
    const many = join(root, "app/many");
    mkdirSync(many);
    for (let at = 0; at < 2_100; at += 1) writeFileSync(join(many, `${at}`), "");
    expect(paths("many/*")).toEqual(["/app/many/*", "/**"]);
  });
});
