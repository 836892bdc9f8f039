/** The example of docs/react.md compiles against what the package gives to others. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../tidy/root.js";

const OPTIONS = [
  ...["--noEmit", "--ignoreConfig", "--strict", "--pretty", "false", "--skipLibCheck", "--jsx", "react-jsx"],
  ...["--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom,dom.iterable"],
];

function exampleIn(path: string): string {
  const text = readFileSync(join(ROOT, path), "utf8");
  const [, code] = /^```tsx\n([\s\S]*?)^```$/m.exec(text) ?? [];
  if (code === undefined) throw new Error(`${path} has no example`);
  return code;
}

/** What the compiler says of each example, all at once. Inside the package, where its own name means itself. */
function compile(examples: Readonly<Record<string, string>>): string {
  mkdirSync(join(ROOT, ".artifacts"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".artifacts/example-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = Object.keys(examples).map((name) => join(folder, name));
  for (const [name, code] of Object.entries(examples)) writeFileSync(join(folder, name), code);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, ...OPTIONS, ...paths], { encoding: "utf8" }).stdout;
}

test("it compiles, and what it must not do would be found", () => {
  const right = exampleIn("docs/react.md");
  const wrong = right.replace("ui.showSpinner", "ui.showSpiner");
  const [first, ...others] = compile({ "right.tsx": right, "wrong.tsx": wrong }).trim().split("\n");
  expect(first).toMatch(/wrong\.tsx\(.*TS2551/);
  expect(others).toEqual([]);
});
