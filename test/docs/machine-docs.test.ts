import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MACHINES } from "../../src/core/machines.js";
import { staleMachineDocs, writeMachineDocs } from "./machine-docs.js";

const FILES = Object.keys(MACHINES).map((name) => `${name}.md`);

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "signalbox-docs-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("what is missing is stale", () => {
  expect(staleMachineDocs(join(folder, "nowhere"))).toEqual(FILES);
});

test("what was just written is not, and has one file per machine", () => {
  writeMachineDocs(join(folder, "machines"));
  expect(staleMachineDocs(join(folder, "machines"))).toEqual([]);
  expect(readdirSync(join(folder, "machines"))).toEqual(FILES.toSorted());
});

test("what was changed by hand is", () => {
  writeMachineDocs(folder);
  writeFileSync(join(folder, "roster.md"), "# The roster machine, in my own words\n");
  expect(staleMachineDocs(folder)).toEqual(["roster.md"]);
});
