/** The example of docs/react.md compiles against what the package gives to others. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../tidy/repository.js";

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

/** Inside the package, where its own name means itself. */
function compile(code: string): string {
  mkdirSync(join(ROOT, ".artifacts"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".artifacts/example-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "example.tsx"), code);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, ...OPTIONS, join(folder, "example.tsx")], { encoding: "utf8" })
    .stdout;
}

test("it compiles", () => {
  expect(compile(exampleIn("docs/react.md"))).toBe("");
});

test("what it must not do would be found", () => {
  const wrong = exampleIn("docs/react.md").replace("ui.showSpinner", "ui.showSpiner");
  expect(compile(wrong)).toContain("TS2551");
});
