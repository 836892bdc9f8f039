import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { git, gitLine, nameOf, runGit, splitNul } from "./git.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sb-git-"));
  await git(["init", "--quiet", "--initial-branch=main", folder], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("it tells the code, and what was said", async () => {
  const { code, stdout, stderr } = await runGit(["rev-parse", "--verify", "nothing"], { cwd: folder });
  expect({ code, stdout: stdout.toString(), stderr }).toMatchObject({ code: 128, stdout: "" });
  expect(stderr).toContain("fatal:");
});

test("a code other than 0 is a failure with git's words", async () => {
  await expect(git(["rev-parse", "--verify", "nothing"], { cwd: folder })).rejects.toMatchObject({
    code: "failed",
    message: "fatal: Needed a single revision",
  });
});

test("a locked index is told as one", async () => {
  await writeFile(join(folder, "a.txt"), "a");
  await writeFile(join(folder, ".git", "index.lock"), "");
  await expect(git(["add", "a.txt"], { cwd: folder })).rejects.toMatchObject({ code: "locked" });
  await rm(join(folder, ".git", "index.lock"));
});

test("neither a hook, nor an fsmonitor, nor an editor is run", async () => {
  const trap = join(folder, "trap.sh");
  await writeFile(trap, `#!/bin/sh\ntouch '${folder}/sprung'\n`, { mode: 0o755 });
  await writeFile(join(folder, ".git", "hooks", "pre-commit"), `#!/bin/sh\n'${trap}'\n`, { mode: 0o755 });
  for (const name of ["core.fsmonitor", "core.editor", "core.pager"])
    await git(["config", name, trap], { cwd: folder });
  await git(["add", "-A"], { cwd: folder });
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.test"];
  await git([...who, "commit", "--quiet", "-m", "one"], { cwd: folder });
  await git(["status"], { cwd: folder });
  expect(await gitLine(["ls-files", "--others", "--", "sprung"], { cwd: folder })).toBe("");
});

test("what takes too long is ended with all that it started", async () => {
  const config = ["-c", "alias.sleep=!sleep 600"];
  await expect(git([...config, "sleep"], { cwd: folder, timeoutMs: 200 })).rejects.toMatchObject({
    code: "timed_out",
  });
});

test("more than may be printed is a failure, never a cut", async () => {
  await expect(git(["help", "-a"], { cwd: folder, maxBytes: 100 })).rejects.toMatchObject({
    code: "output_too_large",
  });
});

test("an own index leaves the repository's alone", async () => {
  const indexFile = join(folder, "own-index");
  await writeFile(join(folder, "b.txt"), "b");
  await git(["add", "b.txt"], { cwd: folder, indexFile });
  expect(await gitLine(["ls-files", "b.txt"], { cwd: folder })).toBe("");
  expect(await gitLine(["ls-files"], { cwd: folder, indexFile })).toBe("b.txt");
});

test("names are bytes", () => {
  const names = splitNul(
    Buffer.concat([Buffer.from("ä b\0"), Buffer.from([0x66, 0xff, 0xc3, 0xa4, 0x5c, 0])]),
  );
  expect(names.map(nameOf)).toEqual(["ä b", "f\\xffä\\x5c"]);
  expect(nameOf(Buffer.from("\\xff"))).not.toBe(nameOf(Buffer.from([0xff])));
});
