/** A full disk, a repository on a file system that cannot be written, no git, and much to carry. */
import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBackend } from "../../src/wall/probe.js";
import { WorkspaceLab } from "./workspace-lab.js";

const PROGRAM = fileURLToPath(new URL("../../dist/test/workspace/odd-world.js", import.meta.url));
const run = promisify(execFile);
const found = await findBackend(process.env);
/** Of namespaces, which a small disk needs. */
const bubblewrap = found.ok ? found.backend.program : null;

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sb-odd-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function odd(mounts: readonly string[], ...args: readonly string[]): Promise<Record<string, unknown>> {
  const all = ["--dev-bind", "/", "/", ...mounts, "--", process.execPath, PROGRAM, ...args];
  const { stdout } = await run(bubblewrap ?? "bwrap", all, { env: { ...process.env, TMPDIR: folder } });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test.runIf(bubblewrap)("a full disk is told, nothing is lost, and with room again it goes on", async () => {
  const told = await odd(["--size", String(6 * 1_024 * 1_024), "--tmpfs", folder], "full");
  expect(told).toMatchObject({
    full: { status: "ready", isUntouched: true, agents: "the agent's\n" },
    failed: { status: "failed" },
    fsck: "",
    retried: "ready",
    after: "merged",
    inBase: "the agent's",
    persons: "the person's\n",
  });
});

test.runIf(bubblewrap)("an original that cannot be written is told, and nothing is left behind", async () => {
  const repo = join(folder, "repo");
  await mkdir(repo);
  const git = (...args: readonly string[]) =>
    run("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: repo });
  await git("init", "-q", "-b", "main");
  await writeFile(join(repo, "a.txt"), "one\n");
  await git("add", "-A");
  await git("commit", "-qm", "first");
  const told = await odd(["--ro-bind", repo, repo], "read-only", repo);
  expect(told).toMatchObject({ status: "failed", isMade: false, after: "failed" });
  expect(JSON.stringify(told["error"])).not.toContain("Another git");
  expect((await git("status", "--porcelain")).stdout).toBe("");
});

test("without git it is said what is missing", async () => {
  const { stdout } = await run(process.execPath, [PROGRAM, "no-git", folder], { env: { PATH: folder } });
  const { code, message } = JSON.parse(stdout) as { readonly code: string; readonly message: string };
  expect(code).toBe("no_git");
  expect(message).toContain("git is not installed, or not in PATH");
});

test("ten thousand files, and a binary change of 16 MiB", async () => {
  const lab = await WorkspaceLab.open();
  try {
    await lab.commit({ "large.bin": "small\n" });
    const blob = await lab.git("rev-parse", "HEAD:large.bin");
    const entries = Array.from({ length: 10_000 }, (_, at) => `100644 ${blob}\td${at % 100}/f${at}.txt\n`);
    execFileSync("git", ["update-index", "--index-info"], { cwd: lab.repo, input: entries.join("") });
    await lab.git("commit", "--quiet", "-m", "many");
    const bare = join(lab.root, "bare.git");
    await lab.gitIn(lab.root, "clone", "--quiet", "--bare", lab.repo, bare);
    const { id, path } = await lab.made({ directory: bare });
    expect(lab.state(id)).toMatchObject({ status: "ready", observed: { dirty: false } });
    const large = randomBytes(16 * 1_024 * 1_024);
    await writeFile(join(path, "large.bin"), large);
    await lab.finish(id, "squash");
    expect(lab.state(id)).toMatchObject({ status: "merged", error: null });
    const kept = execFileSync("git", ["show", "main:large.bin"], { cwd: bare, maxBuffer: 2 * large.length });
    expect(kept.equals(large)).toBe(true);
    expect((await lab.gitIn(bare, "diff", "--name-only", "main~1", "main")).split("\n")).toEqual([
      "large.bin",
    ]);
  } finally {
    await lab.close();
  }
});
