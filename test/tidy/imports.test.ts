import { describe, expect, test } from "vitest";
import { coreLeaks, hasComputedImport, unreachable, wallBreaches } from "./imports.js";
import { builtFrom, entryPoints, manifest, pageEntry, sourceFiles, trackedFiles } from "./repository.js";

const isTest = (path: string) => path.endsWith(".test.ts");

describe("walls", () => {
  test("every import in src stays inside its walls", () => {
    expect(sourceFiles("src").flatMap(wallBreaches)).toEqual([]);
  });

  test("only up --foreground loads a program by its address, because it becomes the daemon", () => {
    const loading = sourceFiles("src").filter((file) => !isTest(file.path) && hasComputedImport(file));
    expect(loading.map(({ path }) => path)).toEqual(["src/cli/foreground-daemon.ts"]);
    const lines = [
      "import(url.href)",
      "import(`x`)",
      "import(`$" + "{x}`)",
      'import("./x.js")',
      "import(\n  name,\n)",
    ];
    expect(lines.map((text) => hasComputedImport({ path: "", text }))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test("core reaches nothing but itself", () => {
    const core = sourceFiles("src/core").filter((file) => !isTest(file.path));
    expect(core.flatMap(coreLeaks)).toEqual([]);
  });

  test("breaches are found", () => {
    const text = `
      import type { A } from "../cli/a.js";
      import { b } from "./b.js";
      import { c } from "../../test/c.js";
      const d = await import("../daemon/d.js");
      export * from "../session/e.js";`;
    expect(wallBreaches({ path: "src/core/x.ts", text })).toEqual([
      "src/core/x.ts imports ../cli/a.js",
      "src/core/x.ts imports ../../test/c.js",
      "src/core/x.ts imports ../daemon/d.js",
      "src/core/x.ts imports ../session/e.js",
    ]);
    expect(wallBreaches({ path: "src/core/roster/x.test.ts", text: 'import "../../../test/c.js";' })).toEqual(
      [],
    );
    expect(wallBreaches({ path: "src/cli/x.ts", text: 'import "../core/b.js";' })).toEqual([]);
  });

  test("leaks out of core are found", () => {
    const text = `
      /// <reference types="node" />
      /// <reference lib="dom" />
      import { z } from "zod";
      import "node:fs";
      declare const process: { pid: number };
      import { ok } from "./ok.js";`.trimStart();
    expect(coreLeaks({ path: "src/core/x.ts", text })).toEqual([
      "src/core/x.ts imports zod",
      "src/core/x.ts imports node:fs",
      "src/core/x.ts has a /// reference to node",
      "src/core/x.ts has a /// reference to dom",
      "src/core/x.ts declares what it does not define",
    ]);
  });
});

describe("dead files", () => {
  const { scripts } = manifest();
  /** Programs that a script of package.json runs, or that a file in scripts starts. */
  const started = sourceFiles("scripts").map(({ text }) => text);
  const scriptRoots = [...Object.values(scripts), ...started].flatMap(
    (text) => text.match(/\b(dist|scripts)\/[\w./-]+\.m?js\b/g) ?? [],
  );
  const tests = trackedFiles().filter(isTest);

  test("every entry point is there", () => {
    const files = trackedFiles();
    const named = [...entryPoints(), ...scriptRoots.map(builtFrom)];
    expect(named.filter((path) => !files.includes(path))).toEqual([]);
  });

  /** A file that only its own unit test knows is as dead as one that nobody knows. */
  test("every file in src is used by an entry point or by a test that is not just its own", () => {
    const roots = [
      ...entryPoints(),
      pageEntry(),
      ...scriptRoots.map(builtFrom),
      ...tests.filter((path) => path.startsWith("test/")),
    ];
    const files = sourceFiles("src", "test").filter(
      (file) => file.path.startsWith("test/") || !isTest(file.path),
    );
    expect(unreachable(files, roots).filter((path) => path.startsWith("src/"))).toEqual([]);
  });

  test("every file in test and scripts is a test, or is used by a test or a script", () => {
    const roots = [...tests, ...scriptRoots.map(builtFrom)];
    const found = unreachable(sourceFiles("src", "test", "scripts"), roots);
    expect(found.filter((path) => !path.startsWith("src/"))).toEqual([]);
  });

  test("what nobody imports is found", () => {
    const files = [
      { path: "src/a.ts", text: 'import { b } from "./deep/b.js";' },
      { path: "src/deep/b.ts", text: 'export const later = () => [import("../c.js"), import("./e.js")];' },
      { path: "src/c.ts", text: "" },
      { path: "src/dead.ts", text: 'import "./a.js"; import "./deader.js";' },
      { path: "src/deader.ts", text: "" },
      { path: "src/deep/e.tsx", text: "" },
    ];
    expect(unreachable(files, ["src/a.ts"])).toEqual(["src/dead.ts", "src/deader.ts"]);
  });
});
