/** What people and agents do all day works inside, and leaves nothing behind that was not asked for. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { releaseWall } from "../../src/wall/prepare-wall.js";
import { DEFAULT_WALL_SETTINGS } from "../../src/wall/wall-input.js";
import { CANNOT, deny, ended, start, WallLab, type RunOptions } from "./wall-lab.js";

let lab: WallLab;
beforeEach(() => {
  lab = new WallLab();
});
afterEach(() => lab.remove());

const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: lab.project, encoding: "utf8", env: { ...process.env, HOME: lab.home } });

/** Every path in the lab, but for what a run may have changed: the project's files and git's own. */
function filesOutside(): readonly string[] {
  const isOwn = (path: string) => path.includes("/code/project/") && !path.includes("/.git/hooks");
  return readdirSync(lab.folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !isOwn(`/${path}/`))
    .sort();
}

/** A program of this machine, outside of the lab's home: revealed if it lies in a real home folder. */
function tool(name: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(":");
  const path = folders.map((folder) => join(folder, name)).find(isProgram);
  return path ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const REVEALED = [".pyenv", ".cargo/bin", ".rustup", ".nvm"]
  .map((name) => join(homedir(), name))
  .filter(existsSync);
const withTools = (more: RunOptions = {}): RunOptions => ({
  ...more,
  env: {
    RUSTUP_HOME: join(homedir(), ".rustup"),
    PYENV_ROOT: join(homedir(), ".pyenv"),
    PYTHONDONTWRITEBYTECODE: "1",
    ...more.env,
  },
  session: { settings: { ...DEFAULT_WALL_SETTINGS, network: "closed", reveal: REVEALED }, ...more.session },
});

describe.skipIf(CANNOT)("git", () => {
  beforeEach(() => {
    git("init", "-q");
    lab.inProject("a.txt", "a\n");
    git("add", ".");
    git("commit", "-qm", "One");
  });

  const works = async (script: string) => {
    const result = await lab.inside(`set -e; ${script}`);
    expect(result).toMatchObject({ status: 0 });
    return result.out;
  };

  test("commit", async () => {
    await works("echo b > b.txt; git add -A; git commit -qm Two");
    expect(git("log", "--format=%s")).toBe("Two\nOne\n");
    expect(git("status", "--porcelain")).toBe("");
  });

  test("rebase, merge, stash, tag", async () => {
    await works(
      "git checkout -q -b side; echo s > s.txt; git add .; git commit -qm Side; git checkout -q main; echo m > m.txt; git add .; git commit -qm Main; git rebase -q main side; git checkout -q main; git merge -q --no-ff -m Merge side; echo x >> a.txt; git stash -q; git stash pop -q; git tag v1",
    );
    expect(git("log", "-1", "--format=%s")).toBe("Merge\n");
  });

  test("gc, pack-refs, branch -D, reset, clean", async () => {
    await works(
      "git branch gone; git branch -D gone; git pack-refs --all; git gc -q --prune=now; touch junk; git clean -fdq; git reset -q --hard",
    );
    expect(git("fsck")).toBe("");
    expect(git("branch", "--format=%(refname:short)")).toBe("main\n");
  });

  test("in a linked worktree", async () => {
    const worktree = join(lab.home, "code/tree");
    git("worktree", "add", "-q", worktree, "-b", "tree");
    const { status, err } = await lab.inside(
      "echo t > t.txt; git add -A; git commit -qm Tree; echo x > .git; echo x > $(git rev-parse --git-dir)/commondir; true",
      {
        session: { cwd: worktree },
      },
    );
    expect({ status, err }).toMatchObject({ status: 0 });
    expect(git("log", "-1", "--format=%s", "tree")).toBe("Tree\n");
    expect(readFileSync(join(lab.project, ".git/worktrees/tree/commondir"), "utf8")).toBe("../..\n");
    expect(readFileSync(join(worktree, ".git"), "utf8")).toMatch(/^gitdir: /);
  });

  test("in a folder of a repository: nothing around it looks deleted", async () => {
    lab.inProject("sub/s.txt", "s\n");
    git("add", ".");
    git("commit", "-qm", "Sub");
    const { out } = await lab.inside(
      "echo x >> s.txt; git status --porcelain; git commit -qam Inner; echo x > ../a.txt",
      {
        session: { cwd: join(lab.project, "sub") },
      },
    );
    expect(out).toBe(" M sub/s.txt\n");
    expect(git("show", "--stat", "--format=%s").split("\n")[0]).toBe("Inner");
    expect(git("status", "--porcelain")).toBe("");
  });

  test("a tracked file is hidden only when a rule names it", async () => {
    lab.inProject(".env.example", "EXAMPLE=1\n");
    lab.inProject("named.key", "KEY\n");
    lab.inProject("other.key", "KEY\n");
    git("add", ".env.example", "named.key", "other.key");
    git("commit", "-qm", "Keys");
    lab.inProject(".env.local", "SECRET\n");
    const rules = [deny("Read(**/.env*)"), deny("Read(named.key)"), deny("Read(**/*.key)")];
    const { out } = await lab.inside("cat .env.example .env.local named.key other.key", { rules });
    expect(out).toBe("EXAMPLE=1\nKEY\n");
  });
});

describe.skipIf(CANNOT)("other tools", () => {
  test("npm ci, from a cache", async () => {
    lab.inProject("dep/package.json", '{"name":"dep","version":"1.0.0"}\n');
    lab.inProject(
      "package.json",
      '{"name":"p","version":"1.0.0","dependencies":{"dep":"file:dep"},"scripts":{"test":"node -p 1+1"}}\n',
    );
    const npm = tool("npm");
    if (npm === null) return;
    const options = withTools({
      session: {
        programs: [process.execPath, npm],
        cacheDir: join(lab.dataDir, "caches/p"),
        settings: { ...DEFAULT_WALL_SETTINGS, network: "closed", reveal: REVEALED },
      },
    });
    const script =
      "set -e; npm install --offline --no-audit --no-fund -q; rm -rf node_modules; npm ci --offline --no-audit --no-fund -q; npm test --silent";
    const { status, out, err } = await lab.inside(script, options);
    expect({ status, out: out.trim().split("\n").at(-1), err: status === 0 ? "" : err }).toEqual({
      status: 0,
      out: "2",
      err: "",
    });
    expect(existsSync(join(lab.home, ".npm"))).toBe(false);
    expect(readdirSync(join(lab.dataDir, "caches/p"))).toContain("npm");
  });

  test.skipIf(tool("python3") === null)("python, and pytest where there is one", async () => {
    lab.inProject("test_sum.py", "def test_sum():\n    assert 1 + 1 == 2\n");
    const run =
      tool("pytest") === null
        ? "python3 -c 'import test_sum; test_sum.test_sum(); print(\"1 passed\")'"
        : "python3 -m pytest -q";
    const { status, out, err } = await lab.inside(run, withTools());
    expect({ status, out, err }).toMatchObject({ status: 0 });
    expect(out).toContain("1 passed");
  });

  test.skipIf(tool("cargo") === null)("cargo build", async () => {
    lab.inProject("Cargo.toml", '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n');
    lab.inProject("src/main.rs", 'fn main() { println!("built"); }\n');
    const { status, out, err } = await lab.inside("cargo run --offline -q", withTools());
    expect({ status, out, err }).toMatchObject({ status: 0, out: "built\n" });
  });

  test("make, sed -i, mktemp, a here document, a pipe, a background process", async () => {
    const script =
      "set -e; printf 'all:\\n\\techo made > made.txt\\n' > Makefile; (make -s || echo made > made.txt); sed -i s/made/MADE/ made.txt; f=$(mktemp); cat made.txt > $f; cat $f | tr A-Z a-z; sleep 0 & wait";
    expect(await lab.inside(script)).toMatchObject({ status: 0, out: "made\n" });
  });

  test("an agent's login is its own and never a copy; what it counts is a copy", async () => {
    lab.put("home/ada/.claude/.credentials.json", "old\n");
    lab.put("home/ada/.claude.json", '{"n":1}\n');
    const script =
      "set -e; echo new > ~/.claude/.credentials.json; echo '{\"n\":2}' > ~/.claude.json.tmp; mv ~/.claude.json.tmp ~/.claude.json; cat ~/.claude.json; echo s > ~/.claude/projects/$(pwd | tr -c 'A-Za-z0-9\\n' -)/s.jsonl; touch ~/.claude/statsig";
    const { status, out, err } = await lab.inside(script, { session: { harness: "claude" } });
    expect({ status, out, err }).toEqual({ status: 0, out: '{"n":2}\n', err: "" });
    expect(readFileSync(join(lab.home, ".claude/.credentials.json"), "utf8")).toBe("new\n");
    expect(readFileSync(join(lab.home, ".claude.json"), "utf8")).toBe('{"n":1}\n');
    expect(readdirSync(join(lab.home, ".claude")).sort()).toEqual([".credentials.json", "projects"]);
    const [project = ""] = readdirSync(join(lab.home, ".claude/projects"));
    expect(readdirSync(join(lab.home, ".claude/projects", project))).toEqual(["s.jsonl"]);
  });
});

describe.skipIf(CANNOT)("no litter", () => {
  test("nothing is left on this machine, whatever is hidden, fixed or shown", async () => {
    git("init", "-q");
    lab.inProject(".env", "SECRET\n");
    lab.put("home/ada/.local/bin/tool", "#!/bin/sh\n", 0o755);
    const rules = [
      deny("Read(.env)"),
      deny("Read(missing/**)"),
      deny("Write(not-there.txt)"),
      deny("Read(~/.aws/**)"),
    ];
    const before = filesOutside();
    const raised = await lab.raise(
      "/bin/bash",
      ["-c", "ls -A ~ >/dev/null; touch ~/x /tmp/x; mkdir -p ~/.config/x"],
      { rules, session: { harness: "terminal" } },
    );
    if (!raised.ok) throw new Error(raised.reason);
    expect(await ended(start(raised, lab.project))).toMatchObject({ status: 0 });
    await releaseWall(raised.plan, []);
    const own = "home/ada/.local/share/signalbox/wall";
    expect(filesOutside().filter((path) => !before.includes(path))).toEqual([own, `${own}/empty`]);
    expect(readdirSync(lab.project).sort()).toEqual([".env", ".git"]);
    expect(existsSync(join(lab.project, ".git/commondir"))).toBe(false);
  });

  test("a folder that was made for an agent stays when it holds something, or another run has it mounted", async () => {
    const raise = async () => {
      const raised = await lab.raise("/bin/true", [], { session: { harness: "terminal" } });
      if (!raised.ok) throw new Error(raised.reason);
      return raised.plan;
    };
    const [first, second] = [await raise(), await raise()];
    const [sessions, tmp] = [
      join(lab.folder, "home/ada/.codex/sessions"),
      join(lab.folder, "home/ada/.gemini/tmp"),
    ];
    await releaseWall(first, [second]);
    expect([sessions, tmp].map((path) => existsSync(path))).toEqual([true, true]);
    lab.put("home/ada/.codex/sessions/a.jsonl", "{}\n");
    await releaseWall(first, []);
    expect([sessions, tmp].map((path) => existsSync(path))).toEqual([true, false]);
  });

  test("a stand-in stays as long as another run needs it", async () => {
    git("init", "-q");
    const raised = await lab.raise("/bin/true", []);
    if (!raised.ok) throw new Error(raised.reason);
    const path = join(lab.project, ".git/commondir");
    expect(readFileSync(path, "utf8")).toBe(".\n");
    await releaseWall(raised.plan, [raised.plan]);
    expect(existsSync(path)).toBe(true);
    expect(git("status", "--porcelain")).toBe("");
    await releaseWall(raised.plan, []);
    expect(existsSync(path)).toBe(false);
  });
});
