/** Shows that the linter refuses what the compiler lets pass. */
import { ESLint } from "eslint";
import { expect, test } from "vitest";
import { ROOT } from "./root.js";

const eslint = new ESLint({ cwd: ROOT });

/** The rules that a text breaks, as if it stood in that file. */
async function broken(path: string, text: string): Promise<readonly (string | null)[]> {
  const [result] = await eslint.lintText(text, { filePath: path });
  return result?.messages.map((message) => message.ruleId) ?? [];
}

const CORE = "src/core/step.ts";
const CLI = "src/cli/main.ts";
const TEST = "test/tidy/lint.test.ts";

test.each([
  [CORE, "export const now = Date.now();", "no-restricted-globals"],
  [CORE, "export const at = new Date(0);", "no-restricted-globals"],
  [CORE, "export const chance = Math.random();", "no-restricted-properties"],
  [CORE, 'export const order = "a".localeCompare("b");', "no-restricted-properties"],
  [CORE, "export async function wait(): Promise<void> { await undefined; }", "no-restricted-syntax"],
  [CLI, "export default function main() { return 1; }", "no-restricted-syntax"],
  [CLI, "export function f(x: any): number { return x.y as number; }", "@typescript-eslint/no-explicit-any"],
  [CLI, "export function f(p: Promise<void>): void { p; }", "@typescript-eslint/no-floating-promises"],
  [
    CLI,
    'export function f(x: "a" | "b"): number { switch (x) { case "a": return 1; } return 2; }',
    "@typescript-eslint/switch-exhaustiveness-check",
  ],
  [
    CLI,
    'import { EXIT } from "./exit-codes.js"; export type Code = typeof EXIT;',
    "@typescript-eslint/consistent-type-imports",
  ],
  [TEST, "export function f(p: Promise<void>): void { p; }", "@typescript-eslint/no-floating-promises"],
  ["scripts/test.mjs", "export default 1;", "no-restricted-syntax"],
])("in %s: %s", async (path, text, rule) => {
  expect(await broken(path, `${text}\n`)).toContain(rule);
});

test("what is forbidden in core is not forbidden elsewhere", async () => {
  expect(await broken(CLI, "export const seen = { now: Date.now(), chance: Math.random() };\n")).toEqual([]);
});
