import { expect, test } from "vitest";
import { sourceFiles } from "./repository.js";
import { longFunctions } from "./sizes.js";

const FILES = sourceFiles("src", "test", "scripts");

test("every function has less than 70 lines", () => {
  expect(FILES.flatMap(longFunctions)).toEqual([]);
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
