import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lookAtGit, readIndex, trackedFiles } from "./git-facts.js";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-git-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
const put = (path: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), "x");
};

describe("the index", () => {
  test.each([2, 3, 4])("version %i", async (version) => {
    const paths = ["a", "dir/b", "dir/bb", "dir/long-name-of-a-file.txt", "é.txt"];
    git("init", "-q");
    git("config", "index.version", String(version));
    paths.forEach(put);
    git("add", ".");
    if (version === 3) git("update-index", "--skip-worktree", "a");
    const index = readFileSync(join(folder, ".git/index"));
    expect(index.readUInt32BE(4)).toBe(version);
    expect(await trackedFiles(join(folder, ".git"))).toEqual(new Set(paths));
  });

  test("what is none is not known", async () => {
    expect(readIndex(Buffer.from("DIRC"))).toBeNull();
    expect(readIndex(Buffer.from("no index at all"))).toBeNull();
    const cut = Buffer.concat([Buffer.from("DIRC"), Buffer.from([0, 0, 0, 2, 0, 0, 0, 9])]);
    expect(readIndex(cut)).toBeNull();
    expect(await trackedFiles(folder)).toBeNull();
  });
});

test("what git runs programs for: hooks in the project, too", async () => {
  git("init", "-q");
  git("config", "core.hooksPath", ".husky/_");
  put(".husky/_/h");
  const facts = await lookAtGit(folder, "/nobody");
  const at = (path: string) => join(folder, path);
  expect(facts).toEqual({
    gitDir: at(".git"),
    commonDir: at(".git"),
    gitFile: null,
    guarded: [
      { path: at(".git/hooks"), type: "folder" },
      { path: at(".git/info"), type: "folder" },
      { path: at(".git/config"), type: "file" },
      { path: at(".husky"), type: "folder" },
    ],
    missing: [{ path: at(".git/commondir"), type: "file", text: ".\n" }],
  });
});

test("a repository of the home folder itself is none of the session's", async () => {
  git("init", "-q");
  mkdirSync(join(folder, "project"));
  expect(await lookAtGit(join(folder, "project"), folder)).toBeNull();
});

test("what was made for another run is needed by this one, too; what somebody else wrote there is only held", async () => {
  git("init", "-q");
  const path = join(folder, ".git/commondir");
  const of = async () => {
    const facts = await lookAtGit(folder, "/nowhere");
    return {
      missing: facts?.missing.filter((each) => each.path === path),
      guarded: facts?.guarded.filter((each) => each.path === path),
    };
  };
  const made = { missing: [{ path, type: "file", text: ".\n" }], guarded: [] };
  expect(await of()).toEqual(made);
  writeFileSync(path, ".\n");
  expect(await of()).toEqual(made);
  writeFileSync(path, "elsewhere\n");
  expect(await of()).toEqual({ missing: [], guarded: [{ path, type: "file" }] });
});
