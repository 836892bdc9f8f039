import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STARTER_KINDS } from "../../protocol/api-permissions.js";
import { parseCall } from "../call-text.js";
import { Permissions } from "../permissions.js";
import { put, temporaryFolder } from "../temporary-folder.test.js";

function world() {
  const root = temporaryFolder();
  const repo = join(root, "home/repo");
  mkdirSync(join(repo, ".git"), { recursive: true });
  const permissions = new Permissions({
    configDir: join(root, "config"),
    dataDir: join(repo, "data"),
    homeDir: join(root, "home"),
    onProblem: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  const says = (text: string, cwd = repo) => {
    const call = parseCall(text);
    if (!call.ok) throw new Error(call.message);
    return permissions.decideAccess({ harness: "script", cwd, grants: [] }, call.access).verdict;
  };
  return { root, repo, permissions, says };
}

describe("reading in the project", () => {
  test("needs no rule; reading elsewhere, changing, and Signalbox's own do", () => {
    const { says } = world();
    const calls = [
      "Read(src/a.ts)",
      "Read(.)",
      "Read(../other)",
      "Read(/etc/hosts)",
      "Write(a)",
      "Read(data/token)",
    ];
    expect(calls.map((call) => says(call))).toEqual(["allow", "allow", "none", "none", "none", "deny"]);
  });

  test("is asked or denied where a rule says so, also one of a repository that nobody trusts", () => {
    const { repo, says } = world();
    put(join(repo, ".signalbox/permissions.toml"), '[permissions]\nask = ["Read(a)"]\ndeny = ["Read(b)"]\n');
    expect(["Read(a)", "Read(b)", "Read(c)"].map((call) => says(call))).toEqual(["ask", "deny", "allow"]);
  });

  test("does not make a project of the home folder, or of what holds it", () => {
    const { root, permissions, says } = world();
    for (const cwd of [join(root, "home"), root, "/"]) {
      expect([cwd, says("Read(x)", cwd)]).toEqual([cwd, "none"]);
      expect(permissions.init(null, cwd)).toMatchObject({ ok: false });
    }
  });

  test("is listed as built in", () => {
    const { repo, permissions } = world();
    const allows = permissions.report(repo).rules.filter(({ effect }) => effect === "allow");
    expect(allows).toMatchObject([{ text: "Read(**)", origin: { kind: "builtin" } }]);
  });
});

describe("a starter file", () => {
  test("is for what the project's files tell, counts at once, and is never written over", () => {
    const { root, repo, permissions, says } = world();
    put(join(repo, "package.json"), "{}");
    put(join(repo, "Makefile"), "");
    const written = permissions.init(null, repo);
    expect(written).toMatchObject({ ok: true, kinds: ["node", "make"] });
    const file = written.ok ? written.file : "";
    expect(file.startsWith(join(root, "config/projects/"))).toBe(true);
    const calls = [
      "Shell(npm test 2>&1 | tail -20)",
      "Shell(make test)",
      "Write(src/a.ts)",
      "Shell(git push origin main)",
      "Shell(npm publish)",
      "Shell(cargo test)",
      "Shell(npm install left-pad)",
      "Read(.env.local)",
      "Shell(cat deploy/server.key)",
    ];
    const expected = ["allow", "allow", "allow", "ask", "ask", "none", "none", "deny", "deny"];
    expect(calls.map((call) => says(call))).toEqual(expected);
    const text = readFileSync(file, "utf8");
    expect(permissions.init(null, repo)).toMatchObject({
      ok: false,
      message: expect.stringContaining("is there already, and is left as it is") as string,
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test.each(STARTER_KINDS)("for %s has no flaw, and no rule twice", (kind) => {
    const { repo, permissions } = world();
    expect(permissions.init([kind], repo)).toMatchObject({ ok: true, kinds: [kind] });
    const { rules, flaws } = permissions.report(repo);
    const texts = rules.filter(({ origin }) => origin.kind !== "builtin").map(({ text }) => text);
    expect([flaws, texts.length]).toEqual([[], new Set(texts).size]);
  });
});

describe("a rule is removed", () => {
  test("from the person's own file, and nothing else is", () => {
    const { root, repo, permissions } = world();
    const file = join(root, "config/permissions.toml");
    const text = '# mine\n[permissions]\nallow = ["Shell(a)"] # b\ngrants = ["Shell(a)", "Shell( c )"]\n';
    put(file, text);
    const remove = (rule: string, effect: "grant" | "deny" | null) =>
      permissions.remove(rule, effect, "always", repo);
    expect(remove("Shell(a)", null)).toEqual({
      ok: false,
      message: `${file} holds Shell(a) as allow and grant: say which is meant`,
    });
    expect(remove("Shell(a)", "deny")).toEqual({
      ok: false,
      message: `${file} does not hold deny Shell(a); it holds it as allow and grant`,
    });
    expect(remove("Shell(x)", null)).toMatchObject({ ok: false, message: `${file} does not hold Shell(x)` });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(remove("Shell(a)", "grant")).toEqual({ ok: true, file, effect: "grant" });
    expect(readFileSync(file, "utf8")).toBe(
      '# mine\n[permissions]\nallow = ["Shell(a)"] # b\ngrants = ["Shell( c )"]\n',
    );
  });

  test("not from a file that is not there, nor from one with a flaw", () => {
    const { root, repo, permissions } = world();
    expect(permissions.remove("Shell(a)", null, "project", repo)).toMatchObject({
      ok: false,
      message: expect.stringContaining("is not there") as string,
    });
    put(join(root, "config/permissions.toml"), '[permissions]\nallow = ["Shell(a)"]\noops = 1\n');
    expect(permissions.remove("Shell(a)", null, "always", repo)).toMatchObject({
      ok: false,
      message: expect.stringContaining("has a flaw and is left as it is, line 3") as string,
    });
  });
});
