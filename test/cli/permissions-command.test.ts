import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FolderTrustItem, PermissionReport } from "../../src/protocol/api-permissions.js";
import { FakeDaemon, type Answers } from "./fake-daemon.js";
import { problem } from "./scripted-server.js";
import { buildSignalbox } from "./signalbox.js";

beforeAll(buildSignalbox);

let daemon: FakeDaemon | undefined;
afterEach(() => daemon?.close());

async function daemonWith(answers: Answers): Promise<FakeDaemon> {
  daemon = await FakeDaemon.start(answers);
  return daemon;
}

const CWD = process.cwd();
const DENIED = {
  decision: "deny",
  rule: "Shell(rm *)",
  file: "/p/.signalbox/permissions.toml",
  because: "Shell(rm *) denies\u001b[2J rm x.",
};

describe("test", () => {
  test("says what the rules say, and why, plainly", async () => {
    const fake = await daemonWith({ "POST /v1/permissions/test": [200, DENIED] });
    expect(await fake.run(["permissions", "test", "Shell(git status && rm x)"])).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "deny: Shell(rm *) denies rm x.",
        "rule: Shell(rm *)",
        "file: /p/.signalbox/permissions.toml",
        "",
      ].join("\n"),
    });
    expect(fake.asked).toEqual([
      ["POST /v1/permissions/test", { call: "Shell(git status && rm x)", cwd: CWD }],
    ]);
  });

  test("--json is one value; --cwd and --harness are handed on", async () => {
    const fake = await daemonWith({ "POST /v1/permissions/test": [200, DENIED] });
    const args = ["permissions", "test", "--json", "--cwd", "/p", "--harness", "terminal", "Read(a)"];
    expect((await fake.run(args)).stdout).toBe(`${JSON.stringify(DENIED)}\n`);
    expect(fake.asked.at(-1)?.[1]).toEqual({ call: "Read(a)", cwd: "/p", harness: "terminal" });
  });

  test("a call that is none is an error that says what was expected", async () => {
    const refusal = problem(400, "event_invalid", 'call: "rm x" is no call: expected Shell(git status)');
    const fake = await daemonWith({ "POST /v1/permissions/test": refusal });
    const { code, stderr, stdout } = await fake.run(["permissions", "test", "rm x"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("expected Shell(git status)");
  });
});

const FOLDER: FolderTrustItem = {
  folder: "/p",
  state: "untrusted",
  hash: "abc",
  files: ["hooks/post.sh", "permissions.toml"],
  allows: ["Shell(make *)"],
  problem: null,
};

const REPORT: PermissionReport = {
  cwd: "/p",
  project: "/p",
  rules: [
    { effect: "deny", rule: "Read(/d/**)", file: null, line: null, kind: "builtin", counts: true },
    {
      effect: "allow",
      rule: "Shell(ls)",
      file: "/c/permissions.toml",
      line: 2,
      kind: "global",
      counts: true,
    },
    { effect: "deny", rule: "Web(*.x)", file: "/c/permissions.toml", line: 4, kind: "global", counts: true },
    { effect: "allow", rule: "Read(**)", file: null, line: null, kind: "builtin", counts: true },
    { effect: "allow", rule: "Shell(make *)", file: "/p/x.toml", line: 3, kind: "project", counts: false },
  ],
  trust: [FOLDER],
  flaws: [{ file: "/q/x.toml", line: 3, column: 9, message: "not valid TOML: it ends" }],
};

test("ls shows flaws, trust and rules, those that win first", async () => {
  const fake = await daemonWith({ "GET /v1/permissions": [200, REPORT] });
  expect((await fake.run(["permissions", "ls", "--cwd", "/p"])).stdout).toBe(
    [
      "project /p",
      "/q/x.toml:3:9: not valid TOML: it ends; until it is corrected, everything is asked",
      "/p is not trusted: what it permits does not count",
      "EFFECT  RULE           WHERE",
      "deny    Web(*.x)       /c/permissions.toml:4",
      "allow   Shell(ls)      /c/permissions.toml:2",
      "allow   Read(**)       built in",
      "allow   Shell(make *)  /p/x.toml:3 (does not count: not trusted)",
      "and 1 built-in denies, which keep agents from Signalbox's own files and commands",
      "",
    ].join("\n"),
  );
  expect(fake.asked).toEqual([["GET /v1/permissions?cwd=%2Fp"]]);
  expect((await fake.run(["permissions", "ls", "--json"])).stdout).toBe(`${JSON.stringify(REPORT)}\n`);
});

test.each([
  [[], {}, "project"],
  [["--grant", "--global"], { effect: "grant" }, "always"],
])("rm %j", async (options, effect, scope) => {
  const answers: Answers = {
    "POST /v1/permissions/rules/remove": [200, { file: "/c/x.toml", effect: "grant" }],
  };
  const fake = await daemonWith(answers);
  expect(await fake.run(["permissions", "rm", ...options, "Shell(ls)"])).toEqual({
    code: 0,
    stderr: "",
    stdout: "removed grant Shell(ls) from /c/x.toml\n",
  });
  expect(fake.asked).toEqual([
    ["POST /v1/permissions/rules/remove", { rule: "Shell(ls)", scope, cwd: CWD, ...effect }],
  ]);
});

test("init writes a first file, for the kinds that are named", async () => {
  const written = { file: "/c/x.toml", kinds: ["node", "go"], ruleCount: 90 };
  const fake = await daemonWith({ "POST /v1/permissions/init": [200, written] });
  const { stdout } = await fake.run(["permissions", "init", "node", "go"]);
  expect(stdout).toBe("wrote 90 rules (node, go) to /c/x.toml\n");
  expect((await fake.run(["permissions", "init", "--json"])).stdout).toBe(`${JSON.stringify(written)}\n`);
  const { code, stderr } = await fake.run(["permissions", "init", "cobol"]);
  expect([code, stderr.split("\n")[0]]).toEqual([2, 'signalbox: unknown kind of project "cobol"']);
  expect(fake.asked).toEqual([
    ["POST /v1/permissions/init", { cwd: CWD, kinds: ["node", "go"] }],
    ["POST /v1/permissions/init", { cwd: CWD }],
  ]);
});

describe("add", () => {
  const added: Answers = { "POST /v1/permissions/rules": [200, { file: "/c/x.toml", isNew: true }] };

  test.each([
    [[], { effect: "allow", scope: "project" }],
    [["--deny"], { effect: "deny", scope: "project" }],
    [["--ask", "--global"], { effect: "ask", scope: "always" }],
    [["--allow", "--project"], { effect: "allow", scope: "project" }],
  ])("%j", async (options, body) => {
    const fake = await daemonWith(added);
    expect(await fake.run(["permissions", "add", ...options, "Shell(ls)"])).toEqual({
      code: 0,
      stderr: "",
      stdout: `added ${body.effect} Shell(ls) in /c/x.toml\n`,
    });
    expect(fake.asked).toEqual([["POST /v1/permissions/rules", { rule: "Shell(ls)", cwd: CWD, ...body }]]);
  });

  test("what excludes each other is refused before anything is asked", async () => {
    const fake = await daemonWith(added);
    const { code, stderr } = await fake.run(["permissions", "add", "--deny", "--allow", "Shell(ls)"]);
    expect([code, stderr.split("\n")[0]]).toEqual([2, "signalbox: --allow and --deny exclude each other"]);
    expect(fake.asked).toEqual([]);
  });

  test("a file that cannot be added to is named", async () => {
    const refusal = problem(409, "conflict", "/c/x.toml has a flaw and is left as it is, line 3, column 1");
    const fake = await daemonWith({ "POST /v1/permissions/rules": refusal });
    const { code, stderr } = await fake.run(["permissions", "add", "Shell(ls)"]);
    expect(code).toBe(1);
    expect(stderr).toContain("/c/x.toml has a flaw and is left as it is, line 3, column 1");
  });
});

describe("trust", () => {
  const answers: Answers = {
    "GET /v1/permissions": [200, REPORT],
    "POST /v1/permissions/trust": [200, { ...FOLDER, state: "trusted" }],
  };

  test("shows what will count, and trusts exactly that", async () => {
    const fake = await daemonWith(answers);
    expect(await fake.run(["permissions", "trust", "--yes", "/p"])).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "/p permits:",
        "  Shell(make *)",
        "and these of its files count, as they are now:",
        "  .signalbox/hooks/post.sh",
        "  .signalbox/permissions.toml",
        "/p is trusted, as it is now",
        "",
      ].join("\n"),
    });
    expect(fake.asked.at(-1)).toEqual(["POST /v1/permissions/trust", { dir: "/p", hash: "abc" }]);
  });

  test.each([[[]], [["--json"]]])("%j without a terminal and --yes trusts nothing", async (options) => {
    const fake = await daemonWith(answers);
    const { code, stderr } = await fake.run(["permissions", "trust", "/p", ...options]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "signalbox: nothing was trusted: nobody is at a terminal to be asked\n" +
        "Look at what it permits with signalbox permissions ls --cwd DIR; --yes trusts it without asking.\n",
    });
    expect(fake.asked.map(([line]) => line)).toEqual(["GET /v1/permissions?cwd=%2Fp"]);
  });

  test("--revoke asks for nothing else", async () => {
    const fake = await daemonWith({ "POST /v1/permissions/trust": [200, FOLDER] });
    expect((await fake.run(["permissions", "trust", "--revoke", "/p"])).stdout).toBe(
      "/p is not trusted: what it permits does not count\n",
    );
    expect(fake.asked).toEqual([["POST /v1/permissions/trust", { dir: "/p", revoke: true }]]);
  });
});

test.each([
  [
    [],
    "permissions of what kind?\nOne of ls, test, add, rm, init, wall, trust. See signalbox permissions --help.",
  ],
  [["tests"], 'unknown "tests"\nDid you mean test? See signalbox permissions --help.'],
  [["test"], "CALL is missing\nSee signalbox permissions test --help."],
])("permissions %j is not understood", async (words, message) => {
  const fake = await daemonWith({});
  expect(await fake.run(["permissions", ...words])).toEqual({
    code: 2,
    stdout: "",
    stderr: `signalbox: ${message}\n`,
  });
});
