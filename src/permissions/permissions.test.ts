import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Access, AskedTool, Decision, Verdict } from "../core/index.js";
import { parseCall } from "./call-text.js";
import { Permissions } from "./permissions.js";
import { put, temporaryFolder } from "./temporary-folder.test.js";

interface World {
  readonly root: string;
  readonly repo: string;
  readonly globalFile: string;
  readonly repoFile: string;
  readonly permissions: Permissions;
  /** What the rules say of a call in the repository. */
  readonly says: (
    call: string,
    more?: { readonly cwd?: string; readonly grants?: readonly string[] },
  ) => Decision;
}

function world(): World {
  const root = temporaryFolder();
  const repo = join(root, "home", "repo");
  mkdirSync(join(repo, ".git"), { recursive: true });
  const permissions = new Permissions({
    configDir: join(root, "config"),
    dataDir: join(root, "data"),
    homeDir: join(root, "home"),
    onProblem: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  const says: World["says"] = (call, { cwd = repo, grants = [] } = {}) =>
    permissions.decideAccess({ harness: "script", cwd, grants }, accessOf(call));
  const globalFile = join(root, "config", "permissions.toml");
  return { root, repo, globalFile, repoFile: join(repo, ".signalbox/permissions.toml"), permissions, says };
}

function accessOf(call: string): Access {
  const parsed = parseCall(call);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.access;
}

function rules(lists: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(lists).map(([name, texts]) => `${name} = ${JSON.stringify(texts)}`);
  return ["[permissions]", ...lines, ""].join("\n");
}

function verdicts(says: World["says"], ...calls: readonly string[]): readonly Verdict[] {
  return calls.map((call) => says(call).verdict);
}

describe("which rule wins, over all files", () => {
  test("deny, then a grant, then ask, then allow, then nothing", () => {
    const { globalFile, repoFile, says } = world();
    const all = ["Tool(a)", "Tool(b)", "Tool(c)", "Tool(d)"];
    put(globalFile, rules({ allow: all, ask: all.slice(0, 3), grants: all.slice(0, 2) }));
    put(repoFile, rules({ deny: ["Tool(a)"] }));
    expect(verdicts(says, ...all, "Tool(e)")).toEqual(["deny", "allow", "ask", "allow", "none"]);
  });

  test("the decision names its rule and file", () => {
    const { globalFile, says } = world();
    put(globalFile, rules({ deny: ["Shell(rm *)"] }));
    expect(says("Shell(git status && rm x)")).toEqual({
      verdict: "deny",
      rule: "Shell(rm *)",
      file: globalFile,
      because: expect.stringContaining("Shell(rm *)") as string,
    });
    expect(says("Tool(x)")).toMatchObject({ verdict: "none", rule: null, file: null });
  });

  test("every .signalbox from the working directory up has its say", () => {
    const { root, repo, says } = world();
    put(join(root, "home/.signalbox/permissions.toml"), rules({ deny: ["Tool(home)"] }));
    put(join(root, "home/repo/.signalbox/permissions.toml"), rules({ deny: ["Tool(repo)"] }));
    put(join(root, "home/repo/sub/.signalbox/permissions.toml"), rules({ ask: ["Tool(sub)"] }));
    put(join(root, "home/other/.signalbox/permissions.toml"), rules({ deny: ["Tool(other)"] }));
    const inSub = (call: string) => says(call, { cwd: join(repo, "sub") }).verdict;
    expect(["Tool(home)", "Tool(repo)", "Tool(sub)", "Tool(other)"].map(inSub)).toEqual([
      "deny",
      "deny",
      "ask",
      "none",
    ]);
    expect(says("Tool(sub)").verdict).toBe("none");
  });

  test("relative paths start from the folder of their file", () => {
    const { globalFile, repo, repoFile, says } = world();
    put(globalFile, rules({ allow: ["Write(docs/**)"] }));
    put(repoFile, rules({ deny: ["Read(secret/**)"] }));
    mkdirSync(join(repo, "sub"));
    const inSub = (call: string) => says(call, { cwd: join(repo, "sub") }).verdict;
    const calls = ["Write(../docs/a)", "Write(docs/a)", "Read(../secret/a)"];
    expect(calls.map(inSub)).toEqual(["allow", "none", "deny"]);
  });
});

describe("what Signalbox keeps is out of an agent's reach", () => {
  test.each(["Read", "Write"])("%s", (category) => {
    const { root, globalFile, says } = world();
    put(globalFile, rules({ allow: ["Read", "Write", "Shell"], grants: ["Read", "Write", "Shell"] }));
    expect(says(`${category}(${join(root, "data/token")})`).verdict).toBe("deny");
    expect(says(`Write(${globalFile})`).verdict).toBe("deny");
    expect(says(`Write(${join(root, "config/trust.json")})`).verdict).toBe("deny");
    expect(says("Write(.signalbox/permissions.toml)").verdict).toBe("deny");
    expect(says(`Shell(cat ${join(root, "data/token")})`).verdict).toBe("deny");
    expect(says("Shell(signalbox approve)").verdict).toBe("deny");
    expect(says("Shell(true && signalbox permissions trust .)").verdict).toBe("deny");
  });
});

describe("a repository", () => {
  test("permits nothing until it is trusted, and then only as it was", () => {
    const { repo, repoFile, permissions, says } = world();
    put(repoFile, rules({ allow: ["Tool(x)"], deny: ["Tool(y)"] }));
    expect(permissions.isTrusted(repo)).toBe(false);
    expect(says("Tool(x)")).toEqual({
      verdict: "none",
      rule: null,
      file: null,
      because: expect.stringContaining("would allow it, but its folder is not trusted") as string,
    });
    expect(permissions.trustFolder(repo, null, 1)).toMatchObject({
      ok: true,
      report: {
        folder: repo,
        state: "trusted",
        allows: ["Tool(x)"],
        content: { files: ["permissions.toml"] },
      },
    });
    expect(says("Tool(x)")).toMatchObject({ verdict: "allow", rule: "Tool(x)", file: repoFile });
    expect([permissions.isTrusted(repo), permissions.isTrusted(join(repo, ".."))]).toEqual([true, false]);
    put(repoFile, rules({ allow: ["Tool(x)", "Tool(z)"], deny: ["Tool(y)"] }));
    expect(permissions.isTrusted(repo)).toBe(false);
    expect(verdicts(says, "Tool(x)", "Tool(y)", "Tool(z)")).toEqual(["none", "deny", "none"]);
    expect(permissions.report(repo).trust).toMatchObject([{ folder: repo, state: "changed" }]);
  });

  test("is not trusted as something else than was shown", () => {
    const { repo, repoFile, permissions, says } = world();
    put(repoFile, rules({ allow: ["Tool(x)"] }));
    const [shown] = permissions.report(repo).trust;
    const hash = shown?.content.type === "content" ? shown.content.hash : "";
    put(repoFile, rules({ allow: ["Tool"] }));
    expect(permissions.trustFolder(repo, hash, 1)).toMatchObject({ ok: false, isConflict: true });
    expect(says("Tool(x)").verdict).toBe("none");
  });

  test("without a .signalbox, or with one that cannot be pinned, is not trusted at all", () => {
    const { root, repo, permissions } = world();
    expect(permissions.trustFolder(repo, null, 1)).toEqual({
      ok: false,
      isConflict: false,
      message: `${repo} has no .signalbox folder: there is nothing to trust`,
    });
    mkdirSync(join(repo, ".signalbox"));
    symlinkSync(root, join(repo, ".signalbox/away"));
    expect(permissions.trustFolder(repo, null, 1)).toMatchObject({ ok: false, isConflict: false });
  });

  test("is trusted no more when the person says so", () => {
    const { repo, repoFile, permissions, says } = world();
    put(repoFile, rules({ allow: ["Tool(x)"] }));
    permissions.trustFolder(repo, null, 1);
    expect(permissions.revoke(repo)).toMatchObject({ ok: true, report: { state: "untrusted" } });
    expect(says("Tool(x)").verdict).toBe("none");
  });

  test("reached by a link is the same one", () => {
    const { root, repo, repoFile, permissions, says } = world();
    const link = join(root, "link");
    symlinkSync(repo, link);
    put(repoFile, rules({ allow: ["Tool(x)"], deny: ["Read(secret/**)"] }));
    permissions.trustFolder(link, null, 1);
    expect(says("Tool(x)").verdict).toBe("allow");
    expect(says("Tool(x)", { cwd: link }).verdict).toBe("allow");
    expect(says(`Read(${link}/secret/a)`, { cwd: link }).verdict).toBe("deny");
  });
});

describe("files are as they are now", () => {
  test("each change counts for the next decision", () => {
    const { globalFile, says } = world();
    const seen: Verdict[] = [];
    for (const text of [
      rules({ allow: ["Tool(x)"] }),
      rules({ deny: ["Tool(x)"] }),
      rules({ ask: ["Tool(x)"] }),
      "[permissions",
      rules({ allow: ["Tool(x)"] }),
    ]) {
      put(globalFile, text);
      seen.push(says("Tool(x)").verdict);
    }
    rmSync(globalFile);
    expect([...seen, says("Tool(x)").verdict]).toEqual(["allow", "deny", "ask", "ask", "allow", "none"]);
  });

  test.each<[string, (path: string) => void]>([
    ["a folder in its place", (path) => mkdirSync(path, { recursive: true })],
    ["a link to nothing in its place", (path) => symlinkSync("/nowhere/at/all", path)],
    ["more than it may hold", (path) => put(path, `${rules({ allow: ["Tool"] })}${"#".repeat(1024 * 1024)}`)],
  ])("with %s everything is asked, and the file is named", (_name, make) => {
    const { globalFile, repo, repoFile, permissions, says } = world();
    put(globalFile, rules({ allow: ["Tool(x)"], deny: ["Tool(y)"] }));
    mkdirSync(join(repo, ".signalbox"));
    make(repoFile);
    expect(verdicts(says, "Tool(x)", "Tool(y)", "Tool(z)")).toEqual(["ask", "deny", "ask"]);
    expect(says("Tool(x)").because).toContain(repoFile);
    expect(permissions.report(repo).flaws).toMatchObject([{ file: repoFile, line: null }]);
  });

  test("with a flaw everything is asked, and its place is named", () => {
    const { globalFile, repoFile, says } = world();
    put(globalFile, rules({ allow: ["Tool(x)"], grants: ["Tool(g)"] }));
    put(repoFile, '[permissions]\ndeny = ["Tool(y)"]\nallow = [ "Bash(ls)" ]\n');
    expect(verdicts(says, "Tool(x)", "Tool(g)", "Tool(y)")).toEqual(["ask", "ask", "deny"]);
    expect(says("Tool(x)").because).toContain(repoFile);
    expect(says("Tool(x)").because).toContain("line 3, column 11");
  });

  test("whatever becomes of a file, it never allows what it does not plainly say", () => {
    const { globalFile, says } = world();
    const whole = rules({ allow: ["Tool(x)"] });
    fc.assert(
      fc.property(
        fc.nat(whole.length),
        fc.nat(whole.length),
        fc.string({ unit: "binary", maxLength: 3 }),
        (at, length, piece) => {
          const text = whole.slice(0, at) + piece + whole.slice(at + length);
          writeFileSync(put(globalFile, ""), text);
          if (says("Tool(x)").verdict === "allow")
            expect(text.replaceAll(/#.*/g, "")).toMatch(/allow\s*=\s*\[\s*["']+Tool/);
          // Without its parentheses, or with a wildcard in them, it is about other tools too.
          const isAboutOthers = /Tool(?!\()|Tool\([^)]*[*?[{]/.test(text);
          if (!isAboutOthers) expect(says("Tool(other)").verdict).not.toBe("allow");
        },
      ),
      { numRuns: 500 },
    );
  });
});

const RUN_TESTS: AskedTool = { name: "Bash", input: { command: "npm test" } };
const CLAUDE = "claude";

describe("answers that last", () => {
  const asking = (cwd: string, grants: readonly string[] = []) => ({ harness: CLAUDE, cwd, grants });

  test("for the session: the session keeps the rule", () => {
    const { repo, permissions } = world();
    const granted = permissions.grant(asking(repo), "session", RUN_TESTS);
    expect(granted).toEqual({ rules: ["Shell(npm test)"], file: null, problem: null });
    expect(permissions.decide(asking(repo, granted.rules), RUN_TESTS)).toMatchObject({
      verdict: "allow",
      rule: "Shell(npm test)",
      file: null,
    });
    expect(permissions.decide(asking(repo), RUN_TESTS).verdict).toBe("none");
  });

  test("for the project: in the person's own file, for that project alone", () => {
    const { root, repo, permissions } = world();
    const granted = permissions.grant(asking(join(repo, "src")), "project", RUN_TESTS);
    expect(granted).toEqual({
      rules: ["Shell(npm test)"],
      file: expect.stringMatching(/config\/projects\/[0-9a-f]{16}-repo\/permissions\.toml$/) as string,
      problem: null,
    });
    expect(readFileSync(granted.file ?? "", "utf8")).toContain(`folder = ${JSON.stringify(repo)}\n`);
    expect(permissions.decide(asking(repo), RUN_TESTS)).toMatchObject({
      verdict: "allow",
      file: granted.file,
    });
    expect(permissions.decide(asking(join(root, "home")), RUN_TESTS).verdict).toBe("none");
    mkdirSync(join(repo, "inner/.git"), { recursive: true });
    expect(permissions.decide(asking(join(repo, "inner")), RUN_TESTS).verdict).toBe("none");
  });

  test("always: in the global file, with its comments, once", () => {
    const { root, repo, globalFile, permissions } = world();
    put(globalFile, '# mine\n[permissions]\n# no pushes\nask = ["Shell(npm *)"] # all\n');
    for (let n = 0; n < 3; n += 1) permissions.grant(asking(repo), "always", RUN_TESTS);
    expect(readFileSync(globalFile, "utf8")).toBe(
      '# mine\n[permissions]\n# no pushes\nask = ["Shell(npm *)"] # all\ngrants = ["Shell(npm test)"]\n',
    );
    expect(permissions.decide(asking(root), RUN_TESTS)).toMatchObject({ verdict: "allow", file: globalFile });
    const other: AskedTool = { name: "Bash", input: { command: "npm test -- --watch" } };
    expect(permissions.decide(asking(root), other).verdict).toBe("ask");
  });

  test("always, for a file: that file, and not its namesake in every project", () => {
    const { root, repo, permissions } = world();
    const edit: AskedTool = { name: "Write", input: { file_path: "a b/[x].ts", content: "" } };
    const granted = permissions.grant(asking(repo), "always", edit);
    expect(granted.problem).toBe(null);
    expect(permissions.decide(asking(repo), edit).verdict).toBe("allow");
    mkdirSync(join(root, "home/other/.git"), { recursive: true });
    expect(permissions.decide(asking(join(root, "home/other")), edit).verdict).toBe("none");
  });

  test("into a file with a flaw nothing is written, and the answer holds once", () => {
    const { repo, globalFile, permissions } = world();
    put(globalFile, "[permissions\n");
    expect(permissions.grant(asking(repo), "always", RUN_TESTS)).toEqual({
      rules: ["Shell(npm test)"],
      file: null,
      problem: expect.stringMatching(
        /has a flaw and is left as it is, line 1.*The answer holds once\.$/,
      ) as string,
    });
    expect(readFileSync(globalFile, "utf8")).toBe("[permissions\n");
  });

  test("what no rule can permit is offered no rule", () => {
    const { repo, globalFile, permissions } = world();
    const computed: AskedTool = { name: "Bash", input: { command: "$TOOL x" } };
    const problem = "No rule can permit this call, so that the answer holds once.";
    expect(permissions.suggest(asking(repo), computed)).toEqual([]);
    expect(permissions.grant(asking(repo), "session", computed)).toEqual({ rules: [], file: null, problem });
    put(globalFile, rules({ deny: ["Shell(npm *)"] }));
    expect(permissions.suggest(asking(repo), RUN_TESTS)).toEqual([]);
  });

  test("a person's own rules narrow all that is below a folder", () => {
    const { root, repo, permissions, says } = world();
    const home = join(root, "home");
    expect(permissions.add("Tool(x)", "deny", "project", home)).toMatchObject({ ok: true, isNew: true });
    expect(permissions.add("Tool(y)", "allow", "project", home)).toMatchObject({ ok: true, isNew: true });
    expect(verdicts(says, "Tool(x)", "Tool(y)")).toEqual(["deny", "none"]);
    expect(says("Tool(y)", { cwd: home }).verdict).toBe("allow");
    expect(permissions.add("Tool(z)", "allow", "project", repo).ok).toBe(true);
    expect(says("Tool(z)").verdict).toBe("allow");
  });
});

test("what is read from a screen is asked, whatever the rules say", () => {
  const { repo, globalFile, permissions } = world();
  put(globalFile, rules({ allow: ["Tool", "Shell"], deny: ["Shell(rm *)"] }));
  const screen = { harness: "terminal", cwd: repo, grants: ["Shell"] };
  for (const command of ["npm test", "rm x"]) {
    const tool: AskedTool = { name: "Bash", input: { command } };
    expect(permissions.decide(screen, tool)).toEqual({
      verdict: "ask",
      rule: null,
      file: null,
      because: "It was read from a screen, which any program can imitate: only a person answers it.",
    });
    expect(permissions.suggest(screen, tool)).toEqual([]);
  }
});

test("the report has every rule, where it stands, and whether it counts", () => {
  const { repo, globalFile, repoFile, permissions } = world();
  put(globalFile, rules({ allow: ["Tool(a)"] }));
  put(repoFile, rules({ allow: ["Tool(b)"], deny: ["Tool(c)"] }));
  const { project, rules: counting, untrusted, flaws } = permissions.report(repo);
  expect([project.projectDir, flaws]).toEqual([repo, []]);
  const ours = counting.filter(({ origin }) => origin.kind !== "builtin");
  expect(ours.map(({ text, origin }) => [text, origin.file, origin.line])).toEqual([
    ["Tool(a)", globalFile, 2],
    ["Tool(c)", repoFile, 3],
  ]);
  expect(untrusted.map(({ text }) => text)).toEqual(["Tool(b)"]);
  expect(counting.some(({ origin }) => origin.kind === "builtin")).toBe(true);
});

describe("in a checkout that agents work in", () => {
  function workspace(): World & { readonly checkout: string } {
    const all = world();
    const checkout = join(all.root, "home", "workspaces", "w1", "repo");
    mkdirSync(join(checkout, ".git"), { recursive: true });
    all.permissions.carryOver((folder) =>
      folder === checkout || folder.startsWith(`${checkout}/`)
        ? join(all.repo, folder.slice(checkout.length))
        : null,
    );
    return { ...all, checkout };
  }

  test("the original's rules count as if they stood there, trusted as the original is", () => {
    const { repo, repoFile, permissions, says, checkout } = workspace();
    put(repoFile, rules({ allow: ["Write(./src/**)"], deny: ["Shell(rm *)"] }));
    const inside = (call: string): Verdict => says(call, { cwd: checkout }).verdict;
    expect([inside("Write(src/a.ts)"), inside("Shell(rm x)")]).toEqual(["none", "deny"]);
    permissions.trustFolder(repo, null, 1);
    expect([inside("Write(src/a.ts)"), inside(`Write(${repo}/src/a.ts)`)]).toEqual(["allow", "none"]);
    expect(says("Write(src/a.ts)").verdict).toBe("allow");
    expect(permissions.isTrusted(checkout)).toBe(true);
    expect(permissions.report(checkout).trust).toMatchObject([{ folder: repo, state: "trusted" }]);
  });

  test("what an agent writes there is no rule, and cannot be trusted", () => {
    const { permissions, says, checkout } = workspace();
    put(join(checkout, ".signalbox/permissions.toml"), rules({ allow: ["Shell(*)"] }));
    put(join(checkout, ".signalbox/config.toml"), '[harness.script]\nmodel = "theirs"\n');
    expect(permissions.trustFolder(checkout, null, 1)).toMatchObject({ ok: false });
    expect(says("Shell(make)", { cwd: checkout }).verdict).toBe("none");
    expect(permissions.configs.configFor(checkout)).toEqual({ harnesses: {}, ignored: [] });
  });

  test("what a person has granted the project holds in both, and what is denied above the original too", () => {
    const { root, permissions, says, checkout } = workspace();
    expect(permissions.add("Shell(make)", "allow", "project", checkout)).toMatchObject({ ok: true });
    expect([says("Shell(make)").verdict, says("Shell(make)", { cwd: checkout }).verdict]).toEqual([
      "allow",
      "allow",
    ]);
    put(join(root, "home", "work", ".signalbox/permissions.toml"), rules({ deny: ["Tool(a)"] }));
    const deep = join(root, "home", "work", "repo");
    mkdirSync(join(deep, ".git"), { recursive: true });
    permissions.carryOver((folder) => (folder === checkout ? deep : null));
    expect(says("Tool(a)", { cwd: checkout }).verdict).toBe("deny");
  });
});
