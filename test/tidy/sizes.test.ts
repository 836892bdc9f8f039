import { expect, test } from "vitest";
import { sourceFiles } from "./repository.js";
import { FILE_LINES_MAX, lineCount, longFunctions } from "./sizes.js";

const FILES = sourceFiles("src", "test", "scripts");

test("every file has less than 400 lines", () => {
  const long = FILES.filter((file) => lineCount(file.text) > FILE_LINES_MAX);
  expect(long.map((file) => `${file.path}: ${lineCount(file.text)} lines`)).toEqual([]);
});

test("every function has less than 70 lines", () => {
  expect(FILES.flatMap(longFunctions)).toEqual([]);
});

test("a last line counts with and without its newline", () => {
  expect([lineCount("a\nb\n"), lineCount("a\nb"), lineCount("a\n\n")]).toEqual([2, 2, 2]);
});

test("long functions of every form are found, and groups of tests are not", () => {
  const body = "  work();\n".repeat(68);
  const text = [
    `function named() {\n${body}  work();\n}`,
    `const arrow = () => {\n${body}  work();\n};`,
    `class C {\n  method() {\n${body}  }\n}`,
    `describe.each([1])("group", () => {\n${body}  work();\n});`,
    `function short() {\n${body.slice(0, -10)}}`,
  ].join("\n");
  expect(longFunctions({ path: "a.ts", text })).toEqual([
    "a.ts:1 named, 71 lines",
    "a.ts:72 arrow, 71 lines",
    "a.ts:144 method, 70 lines",
  ]);
});
