import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.test.js";
import { FolderLooks, isSameStamp } from "./folder-looks.js";

/** For which everything has lasted long enough. */
const LATER = () => Date.now() + 60_000;
const TICK_MS = 30;

const isKnown = process.platform === "linux";

test("what changed just now says nothing by its times", () => {
  const folder = temporaryFolder();
  expect(new FolderLooks().stampOf(folder, lstatSync(folder))).toBeNull();
  expect(new FolderLooks(LATER).stampOf(folder, lstatSync(folder)) !== null).toBe(isKnown);
});

test.runIf(isKnown)("a file system of which nothing is known says nothing either", () => {
  const stats = lstatSync("/proc");
  expect(new FolderLooks(LATER).stampOf("/proc", stats)).toBeNull();
});

const CHANGES: readonly (readonly [string, (folder: string) => void])[] = [
  ["a name that comes", (folder) => writeFileSync(join(folder, "new"), "")],
  ["a name that goes", (folder) => rmSync(join(folder, "file"))],
  [
    "a file that becomes a link",
    (folder) => {
      rmSync(join(folder, "file"));
      symlinkSync("/etc", join(folder, "file"));
    },
  ],
  ["a name that is changed", (folder) => renameSync(join(folder, "file"), join(folder, "other"))],
  ["a link put over a file", (folder) => renameSync(join(folder, "link"), join(folder, "file"))],
  ["what everybody may write", (folder) => chmodSync(folder, 0o777)],
];

test.runIf(isKnown).each(CHANGES)(
  "%s changes the stamp, whatever the folder is told of its age",
  async (_name, change) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    symlinkSync("/etc", join(folder, "link"));
    const looks = new FolderLooks(LATER);
    const before = lstatSync(folder);
    const stamp = looks.stampOf(folder, before);
    await pause(TICK_MS);
    change(folder);
    utimesSync(folder, before.atimeMs / 1_000, before.mtimeMs / 1_000);
    expect(isSameStamp(stamp, looks.stampOf(folder, lstatSync(folder)))).toBe(false);
  },
);

test("names are what they are by themselves", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "folder"));
  symlinkSync("folder", join(folder, "link"));
  const looks = new FolderLooks(LATER);
  const stamp = looks.stampOf(folder, lstatSync(folder));
  const kinds = () => ["file", "folder", "link", "nothing"].map((name) => looks.entryOf(folder, name, stamp));
  expect(kinds()).toEqual(["file", "folder", "other", "none"]);
  expect(kinds()).toEqual(["file", "folder", "other", "none"]);
});
