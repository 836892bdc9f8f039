import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { put, temporaryFolder } from "../temporary-folder.test.js";
import { projectFolders, realPath } from "./project-folders.js";

function tree(...folders: readonly string[]): string {
  const root = temporaryFolder();
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

test("from the working directory up to the home folder", () => {
  const home = tree("code/repo/.git", "code/repo/src/deep");
  expect(projectFolders(join(home, "code/repo/src/deep"), home)).toMatchObject({
    home,
    cwd: join(home, "code/repo/src/deep"),
    projectDir: join(home, "code/repo"),
    folders: ["code/repo/src/deep", "code/repo/src", "code/repo", "code", "."].map((path) =>
      join(home, path),
    ),
  });
});

test("elsewhere, up to the root", () => {
  const root = tree("a");
  const { folders, projectDir } = projectFolders(join(root, "a"), "/nobody");
  expect([folders.slice(0, 2), folders.at(-1), projectDir]).toEqual([
    [join(root, "a"), root],
    "/",
    join(root, "a"),
  ]);
});

test.each([
  ["the nearest with .signalbox", ["r/.git", "r/p/.signalbox", "r/p/src"], "r/p/src", "r/p"],
  ["the nearest with .git", ["r/.signalbox", "r/p/.git", "r/p/src"], "r/p/src", "r/p"],
  ["none: the working directory itself", ["r/p"], "r/p", "r/p"],
  ["not home, whatever is in it", [".git", ".signalbox", "r/p"], "r/p", "r/p"],
  ["home, for who works right there", [".git"], ".", "."],
])("the project is %s", (_name, folders, cwd, project) => {
  const home = tree(...folders);
  expect(projectFolders(join(home, cwd), home).projectDir).toBe(join(home, project));
});

test("a worktree, whose .git is a file, is a project", () => {
  const home = tree("w/src");
  put(join(home, "w/.git"), "gitdir: elsewhere\n");
  expect(projectFolders(join(home, "w/src"), home).projectDir).toBe(join(home, "w"));
});

test("a folder in which everybody may write is nobody's project", () => {
  const home = tree("shared/.git", "shared/mine");
  chmodSync(join(home, "shared"), 0o1777);
  expect(projectFolders(join(home, "shared/mine"), home).projectDir).toBe(join(home, "shared/mine"));
});

test("reached by a link, it is the same project, under the rules of both places", () => {
  const home = tree("data/repo/.git", "work");
  symlinkSync(join(home, "data/repo"), join(home, "work/repo"));
  const { cwd, projectDir, folders } = projectFolders(join(home, "work/repo"), home);
  expect([cwd, projectDir]).toEqual([join(home, "data/repo"), join(home, "data/repo")]);
  expect(folders).toEqual(["data/repo", "data", ".", "work"].map((path) => join(home, path)));
});

test("what is not there is where its parent is", () => {
  const home = tree("real");
  symlinkSync(join(home, "real"), join(home, "link"));
  expect(realPath(join(home, "link/not/yet"))).toBe(join(home, "real/not/yet"));
});
