import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../../core/index.js";
import { allTools } from "./all-tools.js";
import { FileMemory } from "./file-memory.js";
import type { ToolContext, ToolOutcome } from "./tool.js";

let root = "";
let cwd = "";
let context: ToolContext;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "signalbox-tools-"));
  cwd = join(root, "project");
  await mkdir(cwd);
  context = {
    cwd,
    files: new FileMemory(),
    signal: new AbortController().signal,
    preview: () => undefined,
    ask: () => Promise.resolve(null),
  };
});
afterEach(() => rm(root, { recursive: true }));

async function use(name: string, input: Json): Promise<ToolOutcome> {
  const tool = tools().get(name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.execute(tool.input.parse(input), context);
}

let made: ReturnType<typeof allTools> | null = null;
beforeEach(() => {
  made = null;
});
const tools = (): ReturnType<typeof allTools> =>
  (made ??= allTools({
    backups: join(root, "backups"),
    conversations: join(root, "conversations"),
    env: { HOME: root },
    loadSkill: () => Promise.reject(new Error("none")),
    more: [],
  }));

const failed = (content: string): unknown => ({
  isError: true,
  content: expect.stringContaining(content) as string,
});

test("reading: numbered lines, a part of them, folders, and what is refused", async () => {
  await writeFile(join(cwd, "a.txt"), "one\ntwo\nthree\n");
  await mkdir(join(cwd, "sub"));
  expect(await use("read_file", { file_path: "a.txt" })).toEqual({
    isError: false,
    content: "1\tone\n2\ttwo\n3\tthree",
  });
  expect(await use("read_file", { file_path: "a.txt", offset: 1, limit: 1 })).toEqual({
    isError: false,
    content: "2\ttwo\n[1 more lines]",
  });
  expect(await use("read_file", { file_path: "." })).toEqual({ isError: false, content: "a.txt\nsub/" });
  await writeFile(join(cwd, "big"), `${"x".repeat(100_001)}\n`);
  expect(await use("read_file", { file_path: "big" })).toEqual(failed("more than 100000 characters"));
  await writeFile(join(cwd, "binary"), Buffer.from([1, 0, 2]));
  expect(await use("read_file", { file_path: "binary" })).toEqual(failed("not a text file"));
  await expect(use("read_file", { file_path: "none" })).rejects.toThrow("ENOENT");
  await expect(use("read_file", { file_path: "a.txt", limit: 1_001 })).rejects.toThrow();
});

test("editing: only what was read, as it was read, in one place", async () => {
  const path = join(cwd, "a.txt");
  await writeFile(path, "a b a\n");
  await chmod(path, 0o750);
  const edit = { file_path: "a.txt", old_string: "b", new_string: "$&" };
  expect(await use("edit_file", edit)).toEqual(failed("Read a.txt before"));
  await use("read_file", { file_path: "a.txt" });
  expect(await use("edit_file", { ...edit, old_string: "z" })).toEqual(failed("not in the file"));
  expect(await use("edit_file", { ...edit, old_string: "a" })).toEqual(failed("2 times"));
  expect(await use("edit_file", edit)).toEqual({
    isError: false,
    content: "Edited a.txt.",
    diff: "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-a b a\n+a $& a\n",
  });
  expect(await readFile(path, "utf8")).toBe("a $& a\n");
  expect((await stat(path)).mode & 0o777).toBe(0o750);
  // Its own change is no surprise; another's is.
  await use("edit_file", { file_path: "a.txt", old_string: "a", new_string: "c", replace_all: true });
  expect(await readFile(path, "utf8")).toBe("c $& c\n");
  await writeFile(path, "other\n");
  expect(await use("edit_file", { ...edit, old_string: "other" })).toEqual(failed("has changed"));
});

test("writing: not over what is there, unless asked; what was there is kept once", async () => {
  expect(await use("write_file", { file_path: "new/a.txt", content: "1\n" })).toMatchObject({
    isError: false,
    diff: "--- new/a.txt\n+++ new/a.txt\n@@ -0,0 +1,1 @@\n+1\n",
  });
  expect(await use("write_file", { file_path: "new/a.txt", content: "2\n" })).toEqual(
    failed("there already"),
  );
  await writeFile(join(cwd, "old.txt"), "old\n");
  for (const content of ["2\n", "3\n"])
    await use("write_file", { file_path: "old.txt", content, overwrite: true });
  expect(await readFile(join(cwd, "old.txt"), "utf8")).toBe("3\n");
  const backups = await readdir(join(root, "backups"));
  expect(await Promise.all(backups.map((name) => readFile(join(root, "backups", name), "utf8")))).toEqual([
    "old\n",
  ]);
  expect(await readdir(join(cwd, "new"))).toEqual(["a.txt"]);
});

test("a link is followed: its target is edited, and the link stays", async () => {
  await writeFile(join(root, "target"), "x\n");
  await symlink(join(root, "target"), join(cwd, "link"));
  await use("read_file", { file_path: "link" });
  await use("edit_file", { file_path: "link", old_string: "x", new_string: "y" });
  expect(await readFile(join(root, "target"), "utf8")).toBe("y\n");
  expect((await readdir(cwd, { withFileTypes: true }))[0]?.isSymbolicLink()).toBe(true);
});
