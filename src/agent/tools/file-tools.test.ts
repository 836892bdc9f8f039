import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
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
  expect(await use("read_file", { file_path: "none" })).toEqual(failed("There is no file none."));
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

test("what is no regular file is refused at once, and every tool can say so beforehand", async () => {
  await mkdir(join(cwd, "folder"));
  await writeFile(join(cwd, "file"), "x\n");
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  const inputs = (file_path: string): readonly (readonly [string, Json])[] => [
    ["edit_file", { file_path, old_string: "x", new_string: "y" }],
    ["write_file", { file_path, content: "y", overwrite: true }],
  ];
  const problems = { folder: "folder", pipe: "no regular file", "/dev/zero": "no regular file" };
  for (const [path, problem] of Object.entries({ ...problems, "file/in": "ENOTDIR", "a\0b": "null bytes" }))
    for (const [name, input] of inputs(path)) {
      const tool = tools().get(name);
      expect(await use(name, input)).toEqual(failed(problem));
      const described = await tool?.describe(tool.input.parse(input), context);
      expect(described?.detail).toContain(problem);
    }
  expect(await use("read_file", { file_path: "pipe" })).toEqual(failed("no regular file"));
  expect(await use("read_file", { file_path: "/dev/zero" })).toEqual(failed("no regular file"));
});

test("changes of one file at the same time: none is lost; one that is aborted before its turn is not made", async () => {
  const words = ["one", "two", "three", "four"];
  await writeFile(join(cwd, "a.txt"), words.join(" "));
  await use("read_file", { file_path: "a.txt" });
  const edits = words.map((word) =>
    use("edit_file", { file_path: "a.txt", old_string: word, new_string: word.toUpperCase() }),
  );
  const controller = new AbortController();
  context = { ...context, signal: controller.signal };
  const late = use("write_file", { file_path: "a.txt", content: "", overwrite: true });
  controller.abort();
  await expect(late).rejects.toThrow("aborted");
  expect((await Promise.all(edits)).map(({ content }) => content)).toEqual(words.map(() => "Edited a.txt."));
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("ONE TWO THREE FOUR");
  expect(await readdir(cwd)).toEqual(["a.txt"]);
});

test("a file keeps its mode, whatever the mask is, its line ends, and the lack of a last one", async () => {
  const path = join(cwd, "a.sh");
  await writeFile(path, "one\r\ntwo\r\nthree");
  await chmod(path, 0o2777);
  await use("read_file", { file_path: "a.sh" });
  const edit = { file_path: "a.sh", old_string: "one\ntwo", new_string: "1\n2\n2" };
  expect(await use("edit_file", edit)).toMatchObject({ isError: false });
  expect(await readFile(path, "utf8")).toBe("1\r\n2\r\n2\r\nthree");
  expect((await stat(path)).mode & 0o7777).toBe(0o2777);
  // Where line ends are mixed, nothing is assumed.
  await writeFile(path, "one\r\ntwo\n");
  await use("read_file", { file_path: "a.sh" });
  expect(await use("edit_file", { ...edit, new_string: "x" })).toEqual(failed("not in the file"));
});

test("text in another encoding is read and never edited; a binary file is named when it is replaced", async () => {
  await writeFile(join(cwd, "latin"), Buffer.from([0x61, 0xe9, 0x0a]));
  expect(await use("read_file", { file_path: "latin" })).toMatchObject({ isError: false });
  const edit = { file_path: "latin", old_string: "a", new_string: "b" };
  expect(await use("edit_file", edit)).toEqual(failed("not UTF-8"));
  expect(await readFile(join(cwd, "latin"))).toEqual(Buffer.from([0x61, 0xe9, 0x0a]));
  await writeFile(join(cwd, "binary"), Buffer.from([1, 0, 2]));
  const write = { file_path: "binary", content: "text\n", overwrite: true };
  const diff = "[replaces a binary file of 3 bytes]\n--- binary\n+++ binary\n@@ -0,0 +1,1 @@\n+text\n";
  expect(await use("write_file", write)).toEqual({ isError: false, content: "Wrote binary.", diff });
});
