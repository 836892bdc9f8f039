import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Permissions } from "../../../permissions/permissions.js";
import { call, codeOf, flawsIn, openServer, post, temporaryFolder, valueOf } from "../test-server.test.js";

/** A server whose rules are in a folder of their own, and a project with a .signalbox. */
async function opened() {
  const root = temporaryFolder();
  const project = join(root, "home/project");
  mkdirSync(join(project, ".signalbox"), { recursive: true });
  const permissions = new Permissions({
    configDir: join(root, "config"),
    dataDir: join(root, "data"),
    homeDir: join(root, "home"),
    onProblem: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  const file = join(project, ".signalbox/permissions.toml");
  writeFileSync(file, '[permissions]\nallow = ["Tool(a)"]\ndeny = ["Tool(b)"]\n');
  return { server: await openServer({ permissions }), root, project, file };
}

test("the rules are listed with their places, and whether they count", async () => {
  const { server, project, file } = await opened();
  const path = `/v1/permissions?cwd=${encodeURIComponent(project)}`;
  const report = valueOf("getPermissions", await call(server, "GET", path)) as { rules: { kind: string }[] };
  expect({ ...report, rules: report.rules.filter(({ kind }) => kind !== "builtin") }).toEqual({
    cwd: project,
    project,
    rules: [
      { effect: "deny", rule: "Tool(b)", file, line: 3, kind: "project", counts: true },
      { effect: "allow", rule: "Tool(a)", file, line: 2, kind: "project", counts: false },
    ],
    trust: [
      {
        folder: project,
        state: "untrusted",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        files: ["permissions.toml"],
        allows: ["Tool(a)"],
        problem: null,
      },
    ],
    flaws: [],
  });
});

test("flaws are listed with line and column", async () => {
  const { server, project, file } = await opened();
  writeFileSync(file, "[permissions]\nallow = 3\n");
  const path = `/v1/permissions?cwd=${encodeURIComponent(project)}`;
  expect(valueOf("getPermissions", await call(server, "GET", path))).toMatchObject({
    flaws: [{ file, line: 2, column: 1, message: expect.stringContaining("expected a list") as string }],
  });
});

describe("a call is judged", () => {
  test("by the rules", async () => {
    const { server, project, file } = await opened();
    const answer = await post(server, "/v1/permissions/test", { call: "Tool(b)", cwd: project });
    expect(valueOf("testPermission", answer)).toEqual({
      decision: "deny",
      rule: "Tool(b)",
      file,
      because: expect.stringContaining("Tool(b)") as string,
    });
  });

  test("but not by them when it was read from a screen", async () => {
    const { server, project } = await opened();
    const body = { call: "Tool(b)", cwd: project, harness: "terminal" };
    expect(valueOf("testPermission", await post(server, "/v1/permissions/test", body))).toMatchObject({
      decision: "ask",
      rule: null,
    });
  });

  test.each([
    [{ call: "rm x" }, "call"],
    [{ call: "Shell()" }, "call"],
    [{ cwd: "relative" }, "cwd"],
    [{ cwd: "/not/there" }, "cwd"],
    [{ cwd: "/\0" }, "cwd"],
    [{ harness: "" }, "harness"],
  ])("not %j", async (fields, path) => {
    const { server, project } = await opened();
    const body = { call: "Tool(b)", cwd: project, ...fields };
    expect(flawsIn(await post(server, "/v1/permissions/test", body))).toEqual([path]);
  });
});

describe("a rule is added", () => {
  test("to the person's own files, once, also by two at the same time", async () => {
    const { server, root, project } = await opened();
    const body = { rule: "Tool(x)", effect: "ask", scope: "project", cwd: project };
    const answers = await Promise.all([1, 2].map(() => post(server, "/v1/permissions/rules", body)));
    const added = answers.map((answer) => valueOf("addRule", answer) as { file: string; isNew: boolean });
    expect(added.map(({ isNew }) => isNew).toSorted()).toEqual([false, true]);
    const file = added[0]?.file ?? "";
    expect(file.startsWith(join(root, "config/projects/"))).toBe(true);
    expect(readFileSync(file, "utf8").match(/Tool\(x\)/g)).toEqual(["Tool(x)"]);
    const global = await post(server, "/v1/permissions/rules", { ...body, scope: "always" });
    expect(valueOf("addRule", global)).toEqual({ file: join(root, "config/permissions.toml"), isNew: true });
  });

  test("unless it is none", async () => {
    const { server, project } = await opened();
    const body = { rule: "Bash(x)", effect: "ask", scope: "project", cwd: project };
    expect(flawsIn(await post(server, "/v1/permissions/rules", body))).toEqual(["rule"]);
  });

  test("unless the file has a flaw", async () => {
    const { server, root, project } = await opened();
    mkdirSync(join(root, "config"));
    writeFileSync(join(root, "config/permissions.toml"), "oops");
    const body = { rule: "Tool(x)", effect: "deny", scope: "always", cwd: project };
    const answer = await post(server, "/v1/permissions/rules", body);
    expect([answer.status, codeOf(answer)]).toEqual([409, "conflict"]);
    expect(readFileSync(join(root, "config/permissions.toml"), "utf8")).toBe("oops");
  });
});

test("a rule is removed, once; a first file is written, once", async () => {
  const { server, root, project } = await opened();
  const at = { scope: "project", cwd: project };
  const written = await post(server, "/v1/permissions/init", { cwd: project, kinds: ["go", "go"] });
  const { file, kinds } = valueOf("initPermissions", written) as { file: string; kinds: string[] };
  expect([file.startsWith(join(root, "config/projects/")), kinds]).toEqual([true, ["go"]]);
  const again = await post(server, "/v1/permissions/init", { cwd: project });
  expect([again.status, codeOf(again)]).toEqual([409, "conflict"]);
  const remove = (rule: string) => post(server, "/v1/permissions/rules/remove", { rule, ...at });
  expect(valueOf("removeRule", await remove("Shell(go vet *)"))).toEqual({ file, effect: "allow" });
  const gone = await remove("Shell(go vet *)");
  expect([gone.status, codeOf(gone)]).toEqual([409, "conflict"]);
  expect(flawsIn(await remove("Bash(x)"))).toEqual(["rule"]);
  expect(flawsIn(await post(server, "/v1/permissions/init", { cwd: "x" }))).toEqual(["cwd"]);
  expect(flawsIn(await post(server, "/v1/permissions/init", { cwd: project, kinds: ["cobol"] }))).toEqual([
    "kinds[0]",
  ]);
});

describe("a folder is trusted", () => {
  test("as it is, and not any more when asked", async () => {
    const { server, project } = await opened();
    const trusted = await post(server, "/v1/permissions/trust", { dir: project });
    expect(valueOf("trustFolder", trusted)).toMatchObject({
      folder: project,
      state: "trusted",
      allows: ["Tool(a)"],
    });
    const body = { call: "Tool(a)", cwd: project };
    const allowed = valueOf("testPermission", await post(server, "/v1/permissions/test", body));
    expect(allowed).toMatchObject({ decision: "allow" });
    const revoked = await post(server, "/v1/permissions/trust", { dir: project, revoke: true });
    expect(valueOf("trustFolder", revoked)).toMatchObject({ state: "untrusted" });
  });

  test("not when it is another than was seen, nor when there is nothing to trust", async () => {
    const { server, root, project } = await opened();
    const other = await post(server, "/v1/permissions/trust", { dir: project, hash: "0".repeat(64) });
    expect([other.status, codeOf(other)]).toEqual([409, "conflict"]);
    expect(flawsIn(await post(server, "/v1/permissions/trust", { dir: root }))).toEqual(["dir"]);
    expect(flawsIn(await post(server, "/v1/permissions/trust", { dir: "x" }))).toEqual(["dir"]);
  });
});
