import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NEW_RECORD } from "../../../test/sim/loop-fixture.js";
import type { Decision } from "../../core/index.js";
import type { Query, QueryAnswer } from "../../runtime/query.js";
import { answerQuery } from "./answer-query.js";

const ALLOWED: Decision = { verdict: "allow", rule: "Read", file: null, because: "Read allows it" };

let folder = "";
let outside = "";

beforeEach(async () => {
  const root = await mkdtemp(join(tmpdir(), "signalbox-query-"));
  folder = join(root, "project");
  outside = join(root, "outside");
  await mkdir(folder);
  await mkdir(outside);
});
afterEach(() => rm(join(folder, ".."), { recursive: true }));

function answer(query: Query): Promise<QueryAnswer> {
  const record = { ...NEW_RECORD, settings: { ...NEW_RECORD.settings, cwd: folder } };
  return answerQuery(query, record, { decide: () => Promise.resolve(ALLOWED) });
}

const read = (path: string, line: number | null = null, limit: number | null = null): Promise<QueryAnswer> =>
  answer({ type: "read_file", path, line, limit });

const write = (path: string, content: string): Promise<QueryAnswer> =>
  answer({ type: "write_file", path, content });

test("what the rules say", async () => {
  expect(await answer({ type: "permission", tool: { name: "Read", input: null } })).toEqual({
    type: "decided",
    decision: ALLOWED,
  });
});

test("a file, or some lines of it", async () => {
  await writeFile(join(folder, "a.txt"), "1\n2\n3\n4\n");
  expect(await read("a.txt")).toEqual({ type: "file", content: "1\n2\n3\n4\n" });
  expect(await read(join(folder, "a.txt"), 2, 2)).toEqual({ type: "file", content: "2\n3" });
  expect(await read("a.txt", 4)).toEqual({ type: "file", content: "4\n" });
  expect(await read("none.txt")).toMatchObject({ type: "failed" });
});

test("a file is written whole, with the folders that it needs, and nothing is left beside it", async () => {
  expect(await write("new/deep/a.txt", "one")).toEqual({ type: "written" });
  expect(await write("new/deep/a.txt", "two")).toEqual({ type: "written" });
  expect(await readFile(join(folder, "new/deep/a.txt"), "utf8")).toBe("two");
  expect(await readdir(join(folder, "new/deep"))).toEqual(["a.txt"]);
});

test("nothing outside the session's folder, however it is called", async () => {
  await writeFile(join(outside, "secret"), "s");
  await symlink(outside, join(folder, "link"));
  await symlink(join(outside, "secret"), join(folder, "alias"));
  const refused = { type: "failed", message: expect.stringContaining("not inside the session's folder") };
  for (const path of ["../outside/secret", join(outside, "secret"), "link/secret", "alias", ".", ".."]) {
    expect(await read(path), path).toEqual(refused);
    expect(await write(path, "x"), path).toEqual(refused);
  }
  expect(await write("link/new", "x")).toEqual(refused);
  expect(await readFile(join(outside, "secret"), "utf8")).toBe("s");
  expect(await readdir(outside)).toEqual(["secret"]);
});
