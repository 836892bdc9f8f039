/** What `signalbox ls` loads before it does anything: it is run often, and should be there at once. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../tidy/root.js";
import { buildSignalbox } from "./signalbox.js";

/** By its modules: what is bundled is made of them. */
const FOLDER = join(ROOT, "dist/src/cli");

beforeAll(buildSignalbox);

/** Every module that these import, directly or through others; `import()` does not count. */
function loadedBy(roots: readonly string[]): ReadonlySet<string> {
  const loaded = new Set(roots);
  for (const path of loaded) {
    if (!path.endsWith(".js")) continue;
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(
      /^(?:import|export) (?:.*? from )?"(.+)";$/gm,
    )) {
      loaded.add(name.startsWith(".") ? join(dirname(path), name) : name);
    }
  }
  return loaded;
}

test("ls loads no package at all, and few files", () => {
  const loaded = [...loadedBy([join(FOLDER, "main.js"), join(FOLDER, "commands/ls.js")])];
  const packages = loaded.filter((name) => !name.endsWith(".js") && !name.startsWith("node:"));
  const files = loaded.filter((name) => name.endsWith(".js"));
  expect(packages).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
  expect(files.length).toBeLessThan(50);
  expect(files.filter((path) => path.includes("/daemon/"))).toEqual([]);
  expect(loaded).not.toContain("node:child_process");
});
