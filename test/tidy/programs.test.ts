/** What is started by its address must be built as a program of its own: `dist/programs` has no other files. */
import { posix } from "node:path";
import { expect, test } from "vitest";
import { read, sourceFiles, type SourceFile } from "./repository.js";

const ADDRESS = /new URL\(\s*"(\.[^"]+\.js)",\s*import\.meta\.url/g;
const THREAD = /scriptOf\("([\w-]+)"\)/g;

/** As below `src`: `keeper/main.js`. */
function startedBy({ path, text }: SourceFile): readonly string[] {
  const folder = posix.dirname(path).replace(/^src\//, "");
  const files = [...text.matchAll(ADDRESS)].map((match) => match[1] ?? "");
  const threads = [...text.matchAll(THREAD)].map((match) => `${match[1] ?? ""}.js`);
  return [...files, ...threads].map((file) => posix.join(folder, file));
}

test("every program that is started is built", () => {
  const list = /const PROGRAMS = \[([^\]]+)\]/.exec(read("scripts/build-programs.mjs").text)?.[1] ?? "";
  const built = [...list.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
  const started = new Set(
    sourceFiles("src")
      .filter(({ path }) => !path.endsWith(".test.ts"))
      .flatMap(startedBy),
  );
  expect([...started, "cli/main.js"].filter((program) => !built.includes(program))).toEqual([]);
  expect(started.size).toBeGreaterThan(6);
});
