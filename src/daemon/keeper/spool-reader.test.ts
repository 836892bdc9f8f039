import { mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spoolSegmentName } from "../../protocol/keeper-format.js";
import { readStderr, SpoolGap, SpoolReader } from "./spool-reader.js";

let folder = "";
let reader: SpoolReader;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-reader-"));
  reader = new SpoolReader(folder);
});

afterEach(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

function segment(start: number, text: string): string {
  const path = join(folder, spoolSegmentName(start));
  writeFileSync(path, text);
  return path;
}

const read = async (offset: number, lengthMax = 100) => (await reader.read(offset, lengthMax)).toString();

test("reads from any offset, over segments of any size, and as they grow", async () => {
  expect([await read(0), await reader.end()]).toEqual(["", 0]);
  segment(0, "abc");
  expect([await read(0), await read(1, 1), await read(3), await reader.end()]).toEqual(["abc", "b", "", 3]);
  segment(0, "abcdef");
  expect([await read(3), await read(6)]).toEqual(["def", ""]);
  segment(6, "ghi");
  segment(9, "j");
  expect([await read(6), await read(9), await read(10)]).toEqual(["ghi", "j", ""]);
  expect([await read(8), await read(2, 2), await read(6, 0), await reader.end()]).toEqual([
    "i",
    "cd",
    "",
    10,
  ]);
});

test("says where something is missing", async () => {
  const first = segment(0, "abc");
  const second = segment(3, "def");
  segment(6, "ghi");
  unlinkSync(first);
  await expect(read(0)).rejects.toEqual(new SpoolGap(folder, 0));
  expect(await read(3)).toBe("def");
  truncateSync(second, 2);
  await expect(read(5)).rejects.toBeInstanceOf(SpoolGap);
  expect(await read(6)).toBe("ghi");
  await expect(read(10)).rejects.toBeInstanceOf(SpoolGap);
  unlinkSync(second);
  await expect(new SpoolReader(folder).read(4, 10)).rejects.toBeInstanceOf(SpoolGap);
});

test("what is open is read though it was deleted", async () => {
  const path = segment(0, "abc");
  expect(await read(0, 1)).toBe("a");
  unlinkSync(path);
  expect(await read(1)).toBe("bc");
  await expect(read(3)).rejects.toBeInstanceOf(SpoolGap);
});

test("hooks are read by offset too, and stderr as a whole", async () => {
  writeFileSync(join(folder, "hooks"), "one\ntwo\n");
  expect((await reader.readHooks(4, 2)).toString()).toBe("tw");
  expect((await reader.readHooks(8, 100)).toString()).toBe("");
  expect((await readStderr(folder)).toString()).toBe("");
  writeFileSync(join(folder, "err.old"), "older ");
  writeFileSync(join(folder, "err"), "newer");
  expect((await readStderr(folder)).toString()).toBe("older newer");
});
