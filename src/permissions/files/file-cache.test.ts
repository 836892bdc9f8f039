import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { put, temporaryFolder } from "../temporary-folder.test.js";
import { FILE_SIZE_BYTES_MAX, FileCache, readFile } from "./file-cache.js";

const LATER_MS = 3_600_000;

/** A cache whose clock is so late that every file has settled, and what it made of bytes so far. */
function settledCache() {
  const made: string[] = [];
  const cache = new FileCache<string>(() => Date.now() + LATER_MS);
  const read = (path: string) =>
    cache.read(path, (bytes) => {
      made.push(bytes.toString());
      return bytes.toString();
    });
  return { read, made };
}

function file(text: string) {
  return { type: "file", hash: createHash("sha256").update(text).digest("hex"), value: text };
}

describe("what is read", () => {
  test("a file, once, until it changes in any way", () => {
    const path = put(join(temporaryFolder(), "f"), "one");
    const { read, made } = settledCache();
    expect([read(path), read(path)]).toEqual([file("one"), file("one")]);
    expect(made).toEqual(["one"]);
    writeFileSync(path, "two");
    expect(read(path)).toEqual(file("two"));
    utimesSync(path, 1_000, 1_000);
    expect(read(path)).toEqual(file("two"));
    writeFileSync(path, "six");
    utimesSync(path, 1_000, 1_000);
    expect(read(path)).toEqual(file("six"));
    renameSync(put(`${path}.new`, "ten"), path);
    expect(read(path)).toEqual(file("ten"));
    rmSync(path);
    expect(read(path)).toEqual({ type: "missing" });
    put(path, "ten");
    expect(read(path)).toEqual(file("ten"));
    expect(made).toEqual(["one", "two", "six", "ten"]);
  });

  test("one that changed just now is read again: its clock may be too coarse to show the next change", () => {
    const path = put(join(temporaryFolder(), "f"), "one");
    const changedAtMs = statSync(path).ctimeMs;
    let nowMs = changedAtMs + 2_000;
    const cache = new FileCache<string>(
      () => nowMs,
      () => "always the same",
    );
    const read = () => cache.read(path, (bytes) => bytes.toString());
    const first = read();
    expect(read()).toBe(first);
    writeFileSync(path, "two");
    expect(read()).toEqual(file("two"));
    nowMs = changedAtMs + 60_000;
    expect(read()).toEqual(file("two"));
    writeFileSync(path, "six");
    expect(read()).toEqual(file("two"));
  });

  test("a link, as what it leads to", () => {
    const folder = temporaryFolder();
    const { read } = settledCache();
    const link = join(folder, "link");
    symlinkSync(put(join(folder, "a"), "one"), link);
    expect(read(link)).toEqual(file("one"));
    rmSync(link);
    symlinkSync(put(join(folder, "b"), "two"), link);
    expect(read(link)).toEqual(file("two"));
  });
});

describe("what cannot be read is told from what is not there", () => {
  test.each<[string, (path: string) => void, object]>([
    ["nothing", () => undefined, { type: "missing" }],
    ["a folder", (path) => mkdirSync(path), { type: "unreadable", why: "not a file" }],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), { type: "unreadable", why: "not a file" }],
    [
      "a link to nothing",
      (path) => symlinkSync(`${path}.x`, path),
      { type: "unreadable", why: "a link that leads nowhere" },
    ],
    [
      "a link to itself",
      (path) => symlinkSync(path, path),
      { type: "unreadable", why: expect.stringContaining("ELOOP") as string },
    ],
    [
      "more than there may be",
      (path) => writeFileSync(path, Buffer.alloc(FILE_SIZE_BYTES_MAX + 1)),
      { type: "unreadable", why: "larger than 1048576 bytes" },
    ],
  ])("%s", (_name, make, content) => {
    const path = join(temporaryFolder(), "f");
    make(path);
    expect([readFile(path), settledCache().read(path)]).toEqual([content, content]);
  });

  test("a file where a folder should be", () => {
    const path = join(put(join(temporaryFolder(), "f"), ""), "g");
    expect(readFile(path)).toEqual({ type: "missing" });
  });

  test("as much as there may be is read", () => {
    const path = put(join(temporaryFolder(), "f"), Buffer.alloc(FILE_SIZE_BYTES_MAX, "x"));
    expect(readFile(path)).toMatchObject({ type: "file", value: { length: FILE_SIZE_BYTES_MAX } });
  });
});
