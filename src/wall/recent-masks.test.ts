import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deny } from "../../test/wall/wall-lab.js";
import { RecentMasks } from "./recent-masks.js";

let project = "";
let nowMs = 0;
let recent: RecentMasks;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-masks-")));
  mkdirSync(join(project, "a"));
  writeFileSync(join(project, "a/.env"), "");
  nowMs = 0;
  recent = new RecentMasks(() => nowMs);
});
afterEach(() => rmSync(project, { recursive: true }));

/** The files that are hidden, relative. */
async function hidden(rule = "Read(**/.env)"): Promise<readonly string[]> {
  const expanded = await recent.expand({
    rules: [deny(rule)],
    project,
    home: "/nobody",
    folders: [project],
    tracked: () => Promise.resolve(null),
    workTree: null,
  });
  return expanded.ok ? expanded.masks.map(({ path }) => path.slice(project.length + 1)) : [expanded.reason];
}

test("a folder is walked once for a start, and anew for the next, or later", async () => {
  expect(await hidden()).toEqual(["a/.env"]);
  writeFileSync(join(project, ".env"), "");
  expect(await hidden()).toEqual(["a/.env"]);
  expect(await hidden()).toHaveLength(2);
  rmSync(join(project, ".env"));
  nowMs = 2_000;
  expect(await hidden()).toEqual(["a/.env"]);
});

test("other rules are expanded for themselves", async () => {
  expect(await hidden()).toEqual(["a/.env"]);
  expect(await hidden("Read(a/**)")).toEqual(["a"]);
});

test("what is gone, or has become a link, is looked for again", async () => {
  expect(await hidden()).toEqual(["a/.env"]);
  rmSync(join(project, "a/.env"));
  expect(await hidden()).toEqual([]);
  writeFileSync(join(project, "a/.env"), "");
  nowMs = 10_000;
  expect(await hidden()).toEqual(["a/.env"]);
  renameSync(join(project, "a"), join(project, "b"));
  symlinkSync("b", join(project, "a"));
  expect(await hidden()).toEqual(["b/.env"]);
});
